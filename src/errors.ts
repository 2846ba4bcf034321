/** The errors of this package, by what failed. All extend `ClaudeSDKError`. */

export * from './errors/claude-sdk-error.js';
export * from './errors/run-errors.js';
export * from './errors/session-errors.js';
export * from './errors/transport-errors.js';
export { InvalidOptionError, NotSupportedError } from './errors/usage-errors.js';
