import { ClaudeSDKError, type ClaudeSDKErrorOptions, type ErrorClass } from './claude-sdk-error.js';

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

/** The session is over: the request was not sent, or its answer will not come. */
export class SessionClosedError extends CLIConnectionError {
  override name = 'SessionClosedError';

  constructor(message: string, options: ClaudeSDKErrorOptions = {}) {
    super(message, { ...options, errorClass: 'query_closed' });
  }
}
