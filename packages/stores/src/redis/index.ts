/** The entry point `claudewire-stores/redis`. It loads no client: it gets one of `ioredis`. */

export { StoreError, type StoreErrorCode, type StoreErrorOptions } from '../errors.js';
export type { RetentionOptions } from '../shared/retention.js';
export { RedisApprovalStore } from './approval-store.js';
export type { RedisClient, RedisOptions } from './client.js';
export { RedisConversationStore } from './conversation-store.js';
export { RedisEventLog, type RedisEventLogOptions } from './event-log.js';
export { type DeleteOldOptions, RedisSessionStore, type RedisSessionStoreOptions } from './session-store.js';
export { RedisWakeUpStore } from './wake-up-store.js';
