const MARK: unique symbol = Symbol.for('claudewire.error');

/** Stable within a major version. Where the official SDK has a name for a failure, it is that name. */
export type ErrorClass =
  | 'aborted'
  | 'connection_failed'
  | 'query_closed'
  | 'not_connected'
  | 'executable_not_found'
  | 'executable_launch_failed'
  | 'process_error'
  | 'process_exited_nonzero'
  | 'process_killed_by_signal'
  | 'error_result'
  | 'frame_invalid'
  | 'frame_too_large'
  | 'message_invalid'
  | 'control_request_failed'
  | 'control_request_timeout'
  | 'initialize_timeout'
  | 'idle_timeout'
  | 'deadline_exceeded'
  | 'queue_limit_exceeded'
  | 'prompt_failed'
  | 'incomplete_stream'
  | 'invalid_option';

export interface ClaudeSDKErrorOptions {
  readonly cause?: unknown;
  /** What to try next, as one sentence. */
  readonly hint?: string;
  /** What Node or the CLI called it, such as `ENOENT`. */
  readonly code?: string;
}

/**
 * Base of every error this package throws or rejects with. Branch on `errorClass`.
 * Use {@link isClaudeSDKError} rather than `instanceof` when two copies of the package may be installed.
 */
export class ClaudeSDKError extends Error {
  override name = 'ClaudeSDKError';
  readonly errorClass: ErrorClass;
  readonly hint: string | undefined;
  /** What Node or the CLI called it, such as `ENOENT`. */
  declare readonly code?: string;

  constructor(message: string, errorClass: ErrorClass, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.errorClass = errorClass;
    this.hint = options.hint;
    if (options.code !== undefined) this.code = options.code;
  }

  get [MARK](): true {
    return true;
  }

  /** A plain object for logs: name, message, errorClass, code, hint, the class's own fields, and the cause's message. */
  toJSON(): Record<string, unknown> {
    const { name, message, cause, ...own } = this;
    return {
      ...own,
      name,
      message,
      ...(cause === undefined
        ? {}
        : { cause: cause instanceof Error ? cause.message : String(cause) }),
    };
  }
}

/** True for every error of this package, also one thrown by another installed copy of it. */
export function isClaudeSDKError(value: unknown): value is ClaudeSDKError {
  return typeof value === 'object' && value !== null && MARK in value;
}

/** The caller's `AbortSignal` fired, or the run was stopped by it. `cause` is the signal's reason. */
export class AbortError extends ClaudeSDKError {
  override name = 'AbortError';

  constructor(message = 'The operation was aborted', options: ClaudeSDKErrorOptions = {}) {
    super(message, 'aborted', options);
  }
}

/** The CLI could not be reached, or no longer can be. */
export class CLIConnectionError extends ClaudeSDKError {
  override name = 'CLIConnectionError';

  constructor(
    message: string,
    options: ClaudeSDKErrorOptions & { readonly errorClass?: ErrorClass } = {},
  ) {
    super(message, options.errorClass ?? 'connection_failed', options);
  }
}

/** No executable at the given path, or none in any of the places where it is looked for. */
export class CLINotFoundError extends CLIConnectionError {
  override name = 'CLINotFoundError';
  /** The path that was asked for, when one was. */
  readonly cliPath: string | undefined;
  /** Every place that was searched, in order. */
  readonly searched: readonly string[];

  constructor(
    message: string,
    options: ClaudeSDKErrorOptions & {
      readonly cliPath?: string;
      readonly searched?: readonly string[];
    } = {},
  ) {
    super(options.cliPath === undefined ? message : `${message}: ${options.cliPath}`, {
      code: 'ENOENT',
      ...options,
      errorClass: 'executable_not_found',
    });
    this.cliPath = options.cliPath;
    this.searched = options.searched ?? [];
  }
}

/** The session is over: the request was not sent, or its answer will not come. */
export class SessionClosedError extends CLIConnectionError {
  override name = 'SessionClosedError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, { ...options, errorClass: 'query_closed' });
  }
}

/** How a process ended. */
export interface ProcessExit {
  /** `null` after a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Last 2048 UTF-16 units of stderr, trimmed. Empty when stderr was silent. */
  readonly stderrTail: string;
}

export interface ProcessErrorOptions extends ClaudeSDKErrorOptions {
  readonly exitCode?: number | null;
  readonly signal?: NodeJS.Signals | null;
  /** Last 2048 UTF-16 units of stderr, trimmed. */
  readonly stderrTail?: string;
  readonly errorClass?: ErrorClass;
}

/** The CLI process ended with a non-zero exit code or by a signal. */
export class ProcessError extends ClaudeSDKError {
  override name = 'ProcessError';
  /** `null` after a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Last 2048 UTF-16 units of stderr, trimmed. Empty when stderr was silent. */
  readonly stderrTail: string;

  constructor(message: string, options: ProcessErrorOptions = {}) {
    const signal = options.signal ?? null;
    super(
      message,
      options.errorClass ??
        (signal === null ? 'process_exited_nonzero' : 'process_killed_by_signal'),
      options,
    );
    this.exitCode = options.exitCode ?? null;
    this.signal = signal;
    this.stderrTail = options.stderrTail ?? '';
  }

  /** The error for an exit that was not clean; the stderr tail becomes part of the message. */
  static fromExit(exit: ProcessExit): ProcessError {
    return processErrorOf(exit);
  }
}

/** Outside the class: a class that names itself inside is renamed by the bundler, and stacks would show that name. */
function processErrorOf(exit: ProcessExit): ProcessError {
  const what =
    exit.signal === null
      ? `Claude Code process exited with code ${exit.exitCode}`
      : `Claude Code process terminated by signal ${exit.signal}`;
  return new ProcessError(
    exit.stderrTail === '' ? what : `${what}. stderr: ${exit.stderrTail}`,
    exit,
  );
}

/** The CLI reported a failed run in its result and then exited with an error. The result itself was delivered before. */
export class ResultError extends ProcessError {
  override name = 'ResultError';
  /** The whole `result` frame. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly subtype: string | undefined;
  /** Trimmed, blanks and non-strings left out. */
  readonly errors: readonly string[] | undefined;
  readonly result: string | undefined;
  readonly apiErrorStatus: number | undefined;
  readonly terminalReason: string | undefined;
  readonly sessionId: string | undefined;

  constructor(
    message: string,
    data: Readonly<Record<string, unknown>>,
    options: Omit<ProcessErrorOptions, 'errorClass'> = {},
  ) {
    super(message, { ...options, errorClass: 'error_result' });
    this.data = data;
    this.subtype = text(data['subtype']);
    this.errors = cleanErrors(data['errors']);
    this.result = text(data['result']);
    this.apiErrorStatus =
      typeof data['api_error_status'] === 'number' ? data['api_error_status'] : undefined;
    this.terminalReason = text(data['terminal_reason']);
    this.sessionId = text(data['session_id']);
  }
}

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

/** No frame at all for `idleTimeoutMs` while a turn was running. The session was closed. */
export class IdleTimeoutError extends ClaudeSDKError {
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

/** The run reached its `deadline` and was stopped. What was produced before was delivered. */
export class DeadlineExceededError extends ClaudeSDKError {
  override name = 'DeadlineExceededError';
  readonly deadlineMs: number;

  constructor(deadlineMs: number) {
    super(
      `The run was stopped at its deadline, ${deadlineMs} ms after it started`,
      'deadline_exceeded',
    );
    this.deadlineMs = deadlineMs;
  }
}

/** More than `maxQueuedBytes` of messages waited for the consumer. The session was closed. */
export class QueueLimitError extends ClaudeSDKError {
  override name = 'QueueLimitError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`More than ${limitBytes} bytes of messages wait to be read`, 'queue_limit_exceeded', {
      hint: 'Read faster, or raise `maxQueuedBytes`.',
    });
    this.limitBytes = limitBytes;
  }
}

/** The prompt iterable threw, or yielded something that is not a message. `cause` is what it threw. */
export class PromptError extends ClaudeSDKError {
  override name = 'PromptError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'prompt_failed', options);
  }
}

/** The CLI ended without a result although it exited cleanly. Thrown only with `incompleteStream: 'throw'`. */
export class IncompleteStreamError extends ClaudeSDKError {
  override name = 'IncompleteStreamError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, 'incomplete_stream', options);
  }
}

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

/** The usable texts of a result's `errors`: trimmed, blanks and non-strings left out; a bare string counts as a list of one. */
function cleanErrors(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const list = Array.isArray(value) ? value : [value];
  return list
    .filter((entry): entry is string => typeof entry === 'string')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
