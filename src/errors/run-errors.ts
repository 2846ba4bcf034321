import { codeOf } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';
import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/** A `result` frame of the CLI. */
export type StoppedResult = Readonly<Record<string, unknown>>;

/** The run was stopped, perhaps in the middle of a turn. */
abstract class StoppedRunError extends ClaudeSDKError {
  /**
   * The `result` frame of the turn that was stopped, with its usage and cost. Absent when no turn ran, or when Claude
   * Code did not report before the loop ended.
   */
  declare readonly result?: StoppedResult;
}

/** The caller's `AbortSignal` fired, or the run was stopped by it. `cause` is the signal's reason. */
export class AbortError extends StoppedRunError {
  override name = 'AbortError';

  constructor(message = 'The operation was aborted', options: ClaudeSDKErrorOptions = {}) {
    super(message, 'aborted', options);
  }
}

/** No frame at all for `idleTimeoutMs` while a turn was running. The session was closed. */
export class IdleTimeoutError extends StoppedRunError {
  override name = 'IdleTimeoutError';
  readonly idleTimeoutMs: number;
  /** Types of the last frames seen, oldest first. */
  readonly lastFrames: readonly string[];

  constructor(idleTimeoutMs: number, lastFrames: readonly string[]) {
    super(
      `No frame from Claude Code for ${idleTimeoutMs} ms (last: ${lastFrames.join(', ') || 'none'})`,
      'idle_timeout',
      { hint: 'Raise `idleTimeoutMs`, or look at the CLI with `debug: true`.' },
    );
    this.idleTimeoutMs = idleTimeoutMs;
    this.lastFrames = lastFrames;
  }
}

/** The run reached its `deadlineMs` and was stopped. What was produced before was delivered. */
export class RunDeadlineError extends StoppedRunError {
  override name = 'RunDeadlineError';
  readonly deadlineMs: number;

  constructor(deadlineMs: number) {
    super(`The run reached its deadline of ${deadlineMs} ms and was stopped`, 'deadline_exceeded');
    this.deadlineMs = deadlineMs;
  }
}

/**
 * More than `maxQueuedBytes` of messages waited for the consumer, or more than `maxSpooledBytes` of them in the
 * temporary file. The session was closed.
 */
export class QueueLimitError extends StoppedRunError {
  override name = 'QueueLimitError';
  readonly limitBytes: number;

  constructor(limitBytes: number, option: 'maxQueuedBytes' | 'maxSpooledBytes' = 'maxQueuedBytes') {
    const where = option === 'maxSpooledBytes' ? ' in a temporary file' : '';
    super(`More than ${limitBytes} bytes of messages wait to be read${where}`, 'queue_limit_exceeded', {
      hint: `Read faster, or raise \`${option}\`.`,
    });
    this.limitBytes = limitBytes;
  }
}

/**
 * Messages that wait for the consumer could not be written to a temporary file, or not be read back. `code` is what the
 * system says, such as `ENOSPC`. The session was closed.
 */
export class SpoolError extends ClaudeSDKError {
  override name = 'SpoolError';

  /** @param cause - What the file system said. */
  constructor(cause: unknown) {
    const code = codeOf(cause);
    super(`Messages that wait to be read could not be kept in a temporary file: ${errorText(cause)}`, 'spool_failed', {
      cause,
      ...(code === undefined ? {} : { code }),
      hint: 'Read faster, make room in the temporary folder, or set TMPDIR to a folder that can be written.',
    });
  }
}

/** The prompt iterable threw, or yielded something that is not a message. `cause` is what it threw. */
export class PromptError extends StoppedRunError {
  override name = 'PromptError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'prompt_failed', options);
  }
}

/**
 * The CLI exited cleanly without a result, or before it had answered every message. Thrown only with `incompleteStream:
 * 'throw'`.
 */
export class IncompleteStreamError extends ClaudeSDKError {
  override name = 'IncompleteStreamError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'incomplete_stream', options);
  }
}

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
    fields: Pick<ControlRequestError, 'subtype' | 'requestId' | 'errorCode'> &
      Partial<Pick<ControlRequestError, 'details'>>,
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
    readonly startup?: StartupProgress | undefined;
  }) {
    const isInitialize = fields.subtype === 'initialize';
    super(
      isInitialize
        ? `Subprocess initialization did not complete within ${fields.timeoutMs}ms: initialize (${fields.requestId}) was not answered. ${initializeAdvice(fields.startup)}`
        : `Control request timeout: ${fields.subtype} (${fields.requestId}) was not answered within ${fields.timeoutMs} ms. ` +
            "The change may still take effect. Raise `controlTimeoutMs` or the call's own `timeoutMs`.",
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

/** What a spare process answered to its claim. A type and not an interface, as the official one: it fits a `Record`. */
export type ClaimInfo = {
  /** The session's working directory, as the CLI resolved it. */
  cwd: string;
  sessionId: string;
  /** How long the process had been waiting, in milliseconds. */
  parkedMs?: number;
  /** Whether the in-process MCP servers had finished their handshakes. */
  sdkMcpSettled: boolean;
};

/**
 * Why a spare process serves no session, or not quite the one that was asked for.
 *
 * - `spare_closed`, `spare_exited`: it ended before it was claimed.
 * - `settings_not_applied`: the `settings` were refused; the prompt was not sent.
 * - `option_not_applied`: the CLI took the prompt, and refused `model` or `maxThinkingTokens`. The session runs.
 */
export type ClaimFailure = 'spare_closed' | 'spare_exited' | 'settings_not_applied' | 'option_not_applied';

/** A spare process serves no session, or not quite the one that was asked for. The message begins with `reason`. */
export class ClaimError extends ClaudeSDKError {
  override name = 'ClaimError';
  readonly reason: ClaimFailure;
  /** The claim itself, where it was made. */
  declare readonly claim?: ClaimInfo;

  constructor(
    reason: ClaimFailure,
    explanation: string,
    options: ClaudeSDKErrorOptions & { readonly claim?: ClaimInfo | undefined } = {},
  ) {
    super(`${reason}: ${explanation}`, 'claim_failed', options);
    this.reason = reason;
    if (options.claim !== undefined) this.claim = options.claim;
  }
}
