import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from './claude-sdk-error.js';

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
    this.subtype = text(data.subtype);
    this.errors = cleanErrors(data.errors);
    this.result = text(data.result);
    this.apiErrorStatus =
      typeof data.api_error_status === 'number' ? data.api_error_status : undefined;
    this.terminalReason = text(data.terminal_reason);
    this.sessionId = text(data.session_id);
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
