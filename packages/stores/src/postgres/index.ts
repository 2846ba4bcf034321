/** The entry point `claudewire-stores/postgres`. It loads no client: it gets a pool of `pg`. */

export { StoreError, type StoreErrorCode, type StoreErrorOptions } from '../errors.js';
export type { RetentionOptions } from '../shared/retention.js';
export { PostgresApprovalStore } from './approval-store.js';
export type { PostgresOptions } from './calls.js';
export { PostgresConversationStore } from './conversation-store.js';
export { PostgresEventLog, type PostgresEventLogOptions } from './event-log.js';
export { migrate } from './migrate.js';
export { type DeleteOldOptions, PostgresSessionStore, type PostgresSessionStoreOptions } from './session-store.js';
export { PostgresWakeUpStore } from './wake-up-store.js';
