import { ClaudeSDKError } from './claude-sdk-error.js';

/** The CLI answered a control request with an error. The message is the CLI's own text. */
export class ControlRequestError extends ClaudeSDKError {
  override name = 'ControlRequestError';
  readonly subtype: string;
  readonly requestId: string;
  /** The answer's `error_code`, such as `unsupported_request`. */
  declare readonly errorCode?: string;
  /** The answer's other fields. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    fields: {
      readonly subtype: string;
      readonly requestId: string;
      readonly errorCode?: string;
      readonly details?: Readonly<Record<string, unknown>>;
    },
  ) {
    super(message, 'control_request_failed');
    this.subtype = fields.subtype;
    this.requestId = fields.requestId;
    if (fields.errorCode !== undefined) this.errorCode = fields.errorCode;
    this.details = fields.details ?? {};
  }
}

/** No answer to a control request in time. The session goes on, and the change may still take effect. */
export class ControlRequestTimeoutError extends ClaudeSDKError {
  override name = 'ControlRequestTimeoutError';
  readonly subtype: string;
  readonly requestId: string;
  readonly timeoutMs: number;

  constructor(fields: {
    readonly subtype: string;
    readonly requestId: string;
    readonly timeoutMs: number;
  }) {
    const isInitialize = fields.subtype === 'initialize';
    super(
      `Control request timeout: ${fields.subtype} (${fields.requestId}) was not answered within ${fields.timeoutMs} ms. ` +
        (isInitialize
          ? 'Raise `initializeTimeoutMs`, or check that the executable is Claude Code and reads stdin.'
          : 'The change may still take effect. Raise `controlTimeoutMs` or the call’s own `timeoutMs`.'),
      isInitialize ? 'initialize_timeout' : 'control_request_timeout',
    );
    this.subtype = fields.subtype;
    this.requestId = fields.requestId;
    this.timeoutMs = fields.timeoutMs;
  }
}
