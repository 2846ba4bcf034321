/** The main entry point: everything an application uses, grouped by what it is for. */

// Running the CLI.
export { query } from './query/query.js';
export type { FlagSettings, Query, QueryParams } from './query/query-types.js';
export { ClaudeClient } from './query/client.js';
export { startup, type WarmQuery } from './query/startup.js';
export type { ClaimOptions } from './query/prewarm/claim.js';
export { prewarm } from './query/prewarm/prewarm.js';
export type { SpareProcess } from './query/prewarm/spare-process.js';
export type { Options } from './query/options.js';
export type * from './query/options/extension-options.js';
export type * from './query/options/process-options.js';
export type * from './query/options/model-options.js';
export type {
  SandboxNetworkConfig,
  SandboxFilesystemConfig,
  SandboxCredentialRule,
  SandboxCredentialsConfig,
  SandboxIgnoreViolations,
  SandboxSettings,
} from './query/options/policy-settings.js';
export type * from './query/control-frames.js';
export type * from './query/control-requests.js';
export type { RequestOptions } from './control/controller-options.js';

// Telling how it went.
export { outcomeOf } from './parser/outcome.js';
export type * from './parser/outcome-types.js';
export { type RunSummary, summaryOf, textOf } from './query/summary.js';
export type { ModelUsage as RunModelUsage, OneModelUsage, TokenUsage } from './parser/token-usage.js';
export type * from './parser/tool-calls/outcome-types.js';
export { toolCallOutcomes } from './parser/tool-calls/tool-call-outcomes.js';
export { ToolCallReader } from './parser/tool-calls/tool-call-reader.js';
export * from './errors.js';
export type { Diagnostic, DiagnosticCode, DiagnosticListener } from './diagnostics.js';

// Watching runs: channels of `node:diagnostics_channel`.
export { channelNames } from './query/channels/channels.js';
export type * from './query/channels/contexts.js';

// Reading messages.
export type * from './parser/message.js';
export * from './parser/guards.js';
export { parseMessage, parseMessageOrThrow } from './parser/parse-message.js';
export type { ParseResult } from './parser/field-reader.js';
export type * as Parsed from './parser/parsed-message.js';

// Answering the CLI: permissions, hooks, dialogs.
export { HOOK_EVENTS } from './control/hook-types.js';
export type * from './control/hook-types.js';
export type * from './control/permission-types.js';
export type * from './control/dialog-types.js';

// In-process tools.
export * from './mcp/create-sdk-mcp-server.js';
export { tool } from './mcp/tool.js';
export type {
  AnyZodRawShape,
  InferShape,
  SdkMcpToolDefinition,
  ToolDefinition,
  ToolHandler,
  ToolAnnotations,
  ToolExtras,
  ToolInputSchema,
} from './mcp/tool.js';
export type { CallToolResult } from './mcp/call-tool-result.js';
export type { ToolCallExtra } from './mcp/tool-call.js';
export type * from './mcp/mcp-server-config.js';

// Reaching a CLI that runs somewhere else.
export type { SpawnClaudeCodeProcess, SpawnedProcess, SpawnOptions } from './transport/custom-spawn.js';
export type { Transport } from './query/transport.js';

// Sessions on disk and in stores.
export * from './transcripts/change-session.js';
export { projectKeyForDirectory } from './transcripts/files/project-folder.js';
export { forkSession } from './transcripts/fork-session.js';
export { getSessionInfo, listSessions } from './transcripts/list-sessions.js';
export * from './transcripts/session-messages.js';
export type * from './transcripts/session-types.js';
export { FileSessionStore } from './transcripts/store/file-session-store.js';
export { foldSessionSummary } from './transcripts/store/fold-session-summary.js';
export * from './transcripts/store/import-session.js';
export { InMemorySessionStore } from './transcripts/store/in-memory-session-store.js';
export type * from './transcripts/store/session-store.js';

// Settings, as a run would see them.
export { matchDeniedModels } from './settings/denied-models.js';
export { filterEscalatingDefaultMode, resolveSettings } from './settings/resolve-settings.js';
export type * from './settings/types.js';

// Names and texts of the CLI, as data.
export * from './constants.js';

// Official, undeclared: an import of one has to resolve under an alias. Using one throws NotSupportedError.
/** @internal */
export {
  CommandMatcher,
  DirectConnectError,
  DirectConnectTransport,
  FileIndex,
  parseDirectConnectUrl,
} from './unsupported/out-of-scope.js';

export { VERSION } from './version.js';
