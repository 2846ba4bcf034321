import { stringField, usableTexts } from '../util/json.js';
import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from './claude-sdk-error.js';

/** The CLI could not be reached, or no longer can be. */
export class CLIConnectionError extends ClaudeSDKError {
  override name = 'CLIConnectionError';

  constructor(message: string, options: ClaudeSDKErrorOptions & { readonly errorClass?: ErrorClass } = {}) {
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
    options: ClaudeSDKErrorOptions & { readonly cliPath?: string; readonly searched?: readonly string[] } = {},
  ) {
    const isNamed = options.cliPath === undefined || message.includes(options.cliPath);
    super(isNamed ? message : `${message}: ${options.cliPath}`, {
      code: 'ENOENT',
      ...options,
      errorClass: 'executable_not_found',
    });
    this.cliPath = options.cliPath;
    this.searched = options.searched ?? [];
  }
}

/** This release of the CLI does not do what the run relies on. Nothing was sent to it. */
export class CLIVersionError extends CLIConnectionError {
  override name = 'CLIVersionError';
  /** The release that was found, such as `2.0.40`. */
  readonly version: string;
  /** What is needed, such as `2.1.83 or newer`. */
  readonly needs: string;
  /** The option that needs it. `undefined`: every run does. */
  readonly option: string | undefined;

  constructor(version: string, needs: string, option?: string, hint?: string) {
    const what = option === undefined ? 'is too old for a run' : `does not honour \`${option}\``;
    super(`Claude Code ${version} ${what}, which needs ${needs}. No prompt was sent to it.`, {
      errorClass: 'cli_version_unsupported',
      hint:
        hint ??
        `Update Claude Code${option === undefined ? '' : `, or leave \`${option}\` out`}. If it is another release, set \`claudeCodeVersion\`.`,
    });
    this.version = version;
    this.needs = needs;
    this.option = option;
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

export interface ProcessErrorOptions extends ClaudeSDKErrorOptions, Partial<ProcessExit> {
  readonly errorClass?: ErrorClass;
}

/** The CLI process ended with a non-zero exit code or by a signal. */
export class ProcessError extends ClaudeSDKError implements ProcessExit {
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
      options.errorClass ?? (signal === null ? 'process_exited_nonzero' : 'process_killed_by_signal'),
      options,
    );
    this.exitCode = options.exitCode ?? null;
    this.signal = signal;
    this.stderrTail = options.stderrTail ?? '';
  }

  /** The error for an exit that was not clean. Its message ends with the stderr tail. */
  static fromExit(exit: ProcessExit): ProcessError {
    const { exitCode, signal, stderrTail } = exit;
    const what =
      signal === null
        ? `Claude Code process exited with code ${exitCode}`
        : `Claude Code process terminated by signal ${signal}`;
    return new ProcessError(stderrTail === '' ? what : `${what}. stderr: ${stderrTail}`, exit);
  }
}

/** The CLI reported a failed run in its result, which was delivered, and then exited with an error. */
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
    this.subtype = stringField(data, 'subtype');
    this.errors = data.errors === undefined || data.errors === null ? undefined : usableTexts(data.errors);
    this.result = stringField(data, 'result');
    this.apiErrorStatus = typeof data.api_error_status === 'number' ? data.api_error_status : undefined;
    this.terminalReason = stringField(data, 'terminal_reason');
    this.sessionId = stringField(data, 'session_id');
  }
}

/** A line on stdout that had to be JSON and was not. */
export class CLIJSONDecodeError extends ClaudeSDKError {
  override name = 'CLIJSONDecodeError';
  /** The line; the message shows its first 100 characters. */
  readonly line: string;

  constructor(
    line: string,
    options: ClaudeSDKErrorOptions & { readonly errorClass?: ErrorClass; readonly message?: string } = {},
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
