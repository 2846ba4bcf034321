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

/** How far a start had come when its `initialize` was given up. */
export interface StartupProgress {
  /** SessionStart and Setup hooks that were reported running. */
  readonly hooksOpen: number;
  /** The last `startup_mark` of the CLI. It gives them to `startup()` and `prewarm()` only. */
  readonly mark?: string | undefined;
  /** Milliseconds since that mark. */
  readonly markAgeMs?: number | undefined;
}

/** No answer to a control request in time. The session goes on, and the change may still take effect. */
export class ControlRequestTimeoutError extends ClaudeSDKError {
  override name = 'ControlRequestTimeoutError';
  readonly subtype: string;
  readonly requestId: string;
  readonly timeoutMs: number;
  /** Of `initialize`: SessionStart and Setup hooks that were reported running. */
  declare readonly startupHooksOpen?: number;
  /** Of `initialize`: the last start-up mark of the CLI, and how many milliseconds before it came. */
  declare readonly startupMark?: string;
  declare readonly startupMarkAgeMs?: number;

  constructor(fields: {
    readonly subtype: string;
    readonly requestId: string;
    readonly timeoutMs: number;
    /** Of `initialize` only. */
    readonly startup?: StartupProgress;
  }) {
    const isInitialize = fields.subtype === 'initialize';
    super(
      isInitialize
        ? `Subprocess initialization did not complete within ${fields.timeoutMs}ms: initialize (${fields.requestId}) was not answered. ${initializeAdvice(fields.startup)}`
        : `Control request timeout: ${fields.subtype} (${fields.requestId}) was not answered within ${fields.timeoutMs} ms. ` +
            'The change may still take effect. Raise `controlTimeoutMs` or the call’s own `timeoutMs`.',
      isInitialize ? 'initialize_timeout' : 'control_request_timeout',
    );
    this.subtype = fields.subtype;
    this.requestId = fields.requestId;
    this.timeoutMs = fields.timeoutMs;
    const { startup } = fields;
    if (startup === undefined) return;
    this.startupHooksOpen = startup.hooksOpen;
    if (startup.mark !== undefined) this.startupMark = startup.mark;
    if (startup.markAgeMs !== undefined) this.startupMarkAgeMs = startup.markAgeMs;
  }
}

function initializeAdvice(startup: StartupProgress | undefined): string {
  return startup === undefined || startup.hooksOpen === 0
    ? 'Raise `initializeTimeoutMs`, or check that the executable is Claude Code and reads stdin.'
    : `SessionStart or Setup hooks that had not ended: ${startup.hooksOpen}. Look at these first, or raise \`initializeTimeoutMs\`.`;
}
