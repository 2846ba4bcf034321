import { codeOf } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';
import { ClaudeSDKError, type ClaudeSDKErrorOptions } from './claude-sdk-error.js';

/**
 * The `result` frame of the turn that was stopped, with its usage and cost. Absent when no turn ran, or when Claude Code
 * did not report before the loop ended.
 */
export type StoppedResult = Readonly<Record<string, unknown>>;

/** The caller's `AbortSignal` fired, or the run was stopped by it. `cause` is the signal's reason. */
export class AbortError extends ClaudeSDKError {
  override name = 'AbortError';
  /** See {@link StoppedResult}. */
  declare readonly result?: StoppedResult;

  constructor(message = 'The operation was aborted', options: ClaudeSDKErrorOptions = {}) {
    super(message, 'aborted', options);
  }
}

/** No frame at all for `idleTimeoutMs` while a turn was running. The session was closed. */
export class IdleTimeoutError extends ClaudeSDKError {
  override name = 'IdleTimeoutError';
  /** See {@link StoppedResult}. */
  declare readonly result?: StoppedResult;
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
export class RunDeadlineError extends ClaudeSDKError {
  override name = 'RunDeadlineError';
  /** See {@link StoppedResult}. */
  declare readonly result?: StoppedResult;
  readonly deadlineMs: number;

  constructor(deadlineMs: number) {
    super(`The run reached its deadline of ${deadlineMs} ms and was stopped`, 'deadline_exceeded');
    this.deadlineMs = deadlineMs;
  }
}

/**
 * More than `maxQueuedBytes` of messages waited for the consumer, or more than `maxSpooledBytes` of them in the temporary file.
 * The session was closed.
 */
export class QueueLimitError extends ClaudeSDKError {
  override name = 'QueueLimitError';
  /** See {@link StoppedResult}. */
  declare readonly result?: StoppedResult;
  readonly limitBytes: number;

  constructor(limitBytes: number, option: 'maxQueuedBytes' | 'maxSpooledBytes' = 'maxQueuedBytes') {
    const where = option === 'maxSpooledBytes' ? ' in a temporary file' : '';
    super(
      `More than ${limitBytes} bytes of messages wait to be read${where}`,
      'queue_limit_exceeded',
      { hint: `Read faster, or raise \`${option}\`.` },
    );
    this.limitBytes = limitBytes;
  }
}

/**
 * Messages that wait for the consumer could not be written to a temporary file, or not be read back. `code` is what the system
 * says, such as `ENOSPC`. The session was closed.
 */
export class SpoolError extends ClaudeSDKError {
  override name = 'SpoolError';

  /** @param cause - What the file system said. */
  constructor(cause: unknown) {
    const code = codeOf(cause);
    super(
      `Messages that wait to be read could not be kept in a temporary file: ${errorText(cause)}`,
      'spool_failed',
      {
        cause,
        ...(code === undefined ? {} : { code }),
        hint: 'Read faster, make room in the temporary folder, or set TMPDIR to a folder that can be written.',
      },
    );
  }
}

/** The prompt iterable threw, or yielded something that is not a message. `cause` is what it threw. */
export class PromptError extends ClaudeSDKError {
  override name = 'PromptError';
  /** See {@link StoppedResult}. */
  declare readonly result?: StoppedResult;

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'prompt_failed', options);
  }
}

/** The CLI exited cleanly without a result, or before it had answered every message. Thrown only with `incompleteStream: 'throw'`. */
export class IncompleteStreamError extends ClaudeSDKError {
  override name = 'IncompleteStreamError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'incomplete_stream', options);
  }
}
