import { ClaudeSDKError } from './claude-sdk-error.js';

/** What was called exists for imports to resolve, and this package does not do it. */
export class NotSupportedError extends ClaudeSDKError {
  override name = 'NotSupportedError';
  /** The name that was called, such as `createCodeSession`. */
  readonly feature: string;

  constructor(feature: string, message: string, hint?: string) {
    super(message, 'not_supported', hint === undefined ? {} : { hint });
    this.feature = feature;
  }
}
