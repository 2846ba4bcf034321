/** The entry point `claudewire-stores/s3`. */

export { StoreError, type StoreErrorCode, type StoreErrorOptions } from '../errors.js';
export type { RetentionOptions } from '../shared/retention.js';
export type { S3Options } from './calls.js';
export { S3SessionStore, type S3SessionStoreOptions } from './session-store.js';
