/** `claudewire/core`: the names of the official entry, and every type. Loads less than the root does. */

export {
  BUILTIN_TOOL_NAMES,
  EXIT_REASONS,
  LEGACY_TOOL_NAME_ALIASES,
  ORG_POLICY_LIMIT_PREFIXES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
} from './constants.js';
export { HOOK_EVENTS } from './control/hook-types.js';
export { AbortError } from './errors.js';
export type * from './index.js';
export { createSdkMcpServer } from './mcp/create-sdk-mcp-server.js';
export { tool } from './mcp/tool.js';
export { prewarm } from './query/prewarm/prewarm.js';
export { query } from './query/query.js';
export { startup } from './query/startup.js';
export { matchDeniedModels } from './settings/denied-models.js';
export { filterEscalatingDefaultMode, resolveSettings } from './settings/resolve-settings.js';
export {
  archiveSession,
  deleteSession,
  renameSession,
  tagSession,
  unarchiveSession,
} from './transcripts/change-session.js';
export { getSessionInfo } from './transcripts/list-sessions.js';
