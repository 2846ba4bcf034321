/** Every error this package throws or rejects with, by what failed. All extend `ClaudeSDKError`. */

export * from './errors/claim-error.js';
export * from './errors/claude-sdk-error.js';
export * from './errors/connection-errors.js';
export * from './errors/control-errors.js';
export * from './errors/frame-errors.js';
export * from './errors/not-supported-error.js';
export * from './errors/option-errors.js';
export * from './errors/process-errors.js';
export * from './errors/run-errors.js';
export * from './errors/session-errors.js';
export * from './errors/session-store-error.js';
