/** `claudewire/browser`: the names of the official entry. What needs a session hosted by Anthropic throws. */

export type * from './control/dialog-types.js';
export type { HookCallbackMatcher, HookEvent } from './control/hook-types.js';
export type { CanUseTool } from './control/permission-types.js';
export type { McpSdkServerConfigWithInstance, McpServerConfig } from './mcp/mcp-server-config.js';
export { tool } from './mcp/tool.js';
export type {
  SDKAssistantMessage,
  SDKMessage,
  SDKResultMessage,
  SDKSystemMessage,
  SDKUserMessage,
} from './parser/message.js';
export type { Query } from './query/query-types.js';
export * from './unsupported/browser.js';
/** @internal Undeclared in the official package too. */
export { CommandMatcher, FileIndex } from './unsupported/out-of-scope.js';
