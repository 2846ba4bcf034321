/** The public door: everything an application uses, grouped by what it is for. */

// Running the CLI.
export { query } from './sdk/query.js';
export type { FlagSettings, Query, QueryParams } from './sdk/query-types.js';
export { ClaudeClient } from './sdk/client.js';
export type { Options } from './sdk/options.js';
export type * from './sdk/options/extension-options.js';
export type * from './sdk/options/limit-options.js';
export type * from './sdk/options/model-options.js';
export type * from './sdk/options/process-options.js';
export type * from './sdk/options/prompt-options.js';
export type * from './sdk/options/sandbox-settings.js';
export type * from './sdk/options/session-options.js';
export type * from './sdk/options/settings-options.js';
export type * from './sdk/options/tool-options.js';
export type * from './sdk/control-requests.js';
export type { RequestOptions } from './control/controller-options.js';

// Telling how it went.
export { outcomeOf } from './sdk/outcome.js';
export type * from './sdk/outcome/outcome-types.js';
export * from './errors.js';
export type { Diagnostic, DiagnosticCode, DiagnosticListener } from './diagnostics.js';

// Reading messages.
export type * from './parser/message.js';
export * from './parser/guards.js';
export { parseMessage, parseMessageOrThrow } from './parser/parse-message.js';
export type { ParseResult } from './parser/issue.js';
export type * as Parsed from './parser/parsed-message.js';

// Answering the CLI: permissions, hooks, dialogs.
export { HOOK_EVENTS } from './control/hook-types.js';
export type * from './control/hook-types.js';
export type * from './control/permission-types.js';
export type * from './control/dialog-types.js';

// In-process tools.
export { createSdkMcpServer } from './mcp/create-sdk-mcp-server.js';
export type { CreateSdkMcpServerOptions, SdkMcpServer } from './mcp/create-sdk-mcp-server.js';
export { tool } from './mcp/tool.js';
export type {
  AnyZodRawShape,
  InferShape,
  SdkMcpToolDefinition,
  ToolAnnotations,
  ToolExtras,
  ToolInputSchema,
} from './mcp/tool.js';
export type { CallToolResult } from './mcp/call-tool-result.js';
export type { ToolCallExtra } from './mcp/tool-call-extra.js';
export type * from './mcp/mcp-server-config.js';

// Reaching a CLI that runs somewhere else.
export type {
  SpawnClaudeCodeProcess,
  SpawnedProcess,
  SpawnOptions,
} from './transport/custom-spawn.js';
export type { Transport } from './transport/pull-adapter.js';

export { VERSION } from './version.js';
