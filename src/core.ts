/** `claudewire/core`: the names of the official entry, and every type. Loads less than the root does. */

export * from './constants.js';
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
export * from './transcripts/change-session.js';
export { getSessionInfo } from './transcripts/list-sessions.js';
