import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** An option whose value cannot be used. Thrown before anything is spawned. */
export class InvalidOptionError extends ClaudeSDKError {
  override name = 'InvalidOptionError';
  /** The option's path, such as `hooks.PreToolUse[0].timeout`. */
  readonly option: string;

  constructor(option: string, message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'invalid_option', options);
    this.option = option;
  }
}
