import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from './claude-sdk-error.js';

/** A line on stdout that had to be JSON and was not. */
export class CLIJSONDecodeError extends ClaudeSDKError {
  override name = 'CLIJSONDecodeError';
  /** The line; the message shows its first 100 characters. */
  readonly line: string;

  constructor(
    line: string,
    options: ClaudeSDKErrorOptions & {
      readonly errorClass?: ErrorClass;
      readonly message?: string;
    } = {},
  ) {
    super(
      options.message ?? `Failed to decode JSON: ${line.slice(0, 100)}...`,
      options.errorClass ?? 'frame_invalid',
      options,
    );
    this.line = line;
  }
}

/** One line on stdout was longer than `maxBufferBytes`. Frames before it were delivered. */
export class FrameTooLargeError extends CLIJSONDecodeError {
  override name = 'FrameTooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number, excerpt: string) {
    super(excerpt, {
      errorClass: 'frame_too_large',
      message: `Failed to decode JSON: message exceeded maximum buffer size of ${limitBytes} bytes`,
      hint: 'Raise `maxBufferBytes`, or find out what makes the CLI write so long a line.',
    });
    this.limitBytes = limitBytes;
  }
}

/** One problem found in a message. */
export interface MessageIssue {
  /** Where, as keys and indexes from the top of the frame. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A frame that is not a message of the strict union. */
export class MessageParseError extends ClaudeSDKError {
  override name = 'MessageParseError';
  /** The frame as it came. */
  readonly data: unknown;
  readonly issues: readonly MessageIssue[];

  constructor(message: string, data: unknown, issues: readonly MessageIssue[] = []) {
    super(message, 'message_invalid');
    this.data = data;
    this.issues = issues;
  }
}
