import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { CLIConnectionError, CLINotFoundError } from '../errors.js';
import { codeOf } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';

const HEADER_BYTES = 256;

/** What was to be started. */
export interface LaunchAttempt {
  readonly file: string;
  /** `undefined`: the host's. */
  readonly cwd?: string | undefined;
}

/**
 * Turns what the operating system said about a failed start into an error that names the cause.
 * `ENOENT` alone may mean the file, its interpreter, its loader or the working directory.
 */
export function toLaunchError(error: unknown, attempt: LaunchAttempt): CLIConnectionError {
  const directoryError = checkWorkingDirectory(attempt.cwd, error);
  if (directoryError !== undefined) return directoryError;
  const code = codeOf(error);
  const path = pathOf(attempt);
  switch (code) {
    case 'ENOENT':
      return path !== undefined && kindOf(path) === 'missing'
        ? notFoundAt(attempt.file, { cause: error })
        : launchFailure(missingInterpreter(attempt.file, path), { code, cause: error });
    case 'EACCES':
    case 'EPERM':
      return path !== undefined && kindOf(path) === 'directory'
        ? launchFailure(`${attempt.file} is a directory`, { code, cause: error })
        : launchFailure(`${attempt.file} is not executable`, {
            code,
            cause: error,
            hint: `Make it executable (\`chmod +x\`), or name the executable itself.`,
          });
    case 'E2BIG':
    case 'ENAMETOOLONG':
      return launchFailure('its arguments and environment are longer than the system allows', {
        code,
        cause: error,
        hint: 'Pass long texts as files, or pass a smaller `env`.',
      });
    case 'EMFILE':
      return launchFailure('this process has too many files open', {
        code,
        cause: error,
        hint: 'Start fewer runs at a time, or raise the limit of open files (`ulimit -n`).',
      });
    case 'ENFILE':
      return launchFailure('the system has too many files open', {
        code,
        cause: error,
        hint: 'Start fewer runs at a time, or raise the limit of the system (on Linux `sysctl fs.file-max`).',
      });
    case 'EAGAIN':
      return launchFailure('the system allows no more processes', {
        code,
        cause: error,
        hint: 'Start fewer runs at a time, or raise the limit on processes (`ulimit -u`; in a container its `pids` limit).',
      });
    default:
      return launchFailure(errorText(error), {
        ...(code === undefined ? {} : { code }),
        cause: error,
      });
  }
}

/** The error for a working directory that is missing or is none; `undefined` when it is in order. */
export function checkWorkingDirectory(
  cwd: string | undefined,
  cause?: unknown,
): CLIConnectionError | undefined {
  if (cwd === undefined) return undefined;
  const options = cause === undefined ? {} : { cause };
  switch (kindOf(cwd)) {
    case 'directory':
      return undefined;
    case 'missing':
      return new CLIConnectionError(`Working directory does not exist: ${cwd}`, {
        ...options,
        code: 'ENOENT',
        errorClass: 'executable_launch_failed',
      });
    default:
      return launchFailure(`the working directory is not a directory: ${cwd}`, {
        ...options,
        code: 'ENOTDIR',
      });
  }
}

/**
 * Nothing is at the path that was given. For a native executable the text begins as in the official SDK, since programs look for
 * it; that one starts a script without looking.
 */
export function notFoundAt(
  cliPath: string,
  options: {
    readonly searched?: readonly string[];
    readonly cause?: unknown;
    readonly hint?: string;
  },
): CLINotFoundError {
  const message = isScript(cliPath)
    ? 'Claude Code not found at'
    : `Claude Code native binary not found at ${cliPath}`;
  return new CLINotFoundError(message, { ...options, cliPath });
}

/** Lower case only, as in the official SDK (TS-009, TS-010). */
export function isScript(path: string): boolean {
  return /\.(?:js|mjs|ts|tsx|jsx)$/.test(path);
}

/** A start that failed although the executable was found. The text begins as in the Python SDK (PY-008). */
export function launchFailure(
  reason: string,
  options: { readonly code?: string; readonly cause?: unknown; readonly hint?: string } = {},
): CLIConnectionError {
  return new CLIConnectionError(`Failed to start Claude Code: ${reason}`, {
    ...options,
    errorClass: 'executable_launch_failed',
  });
}

function missingInterpreter(file: string, path: string | undefined): string {
  if (path === undefined) return `\`${file}\` is not on the PATH of the child’s environment`;
  const header = readHeader(path);
  const shebang = /^#!\s*(\S+)/.exec(header)?.[1];
  return shebang === undefined
    ? `the loader of ${file} does not exist; it may be built for another C library (glibc, musl)`
    : `${file} asks for the interpreter ${shebang}, which does not exist`;
}

/** Where the file is; `undefined` for a bare name, which the system looks up in the child's PATH. */
function pathOf({ file, cwd }: LaunchAttempt): string | undefined {
  if (!isAbsolute(file) && !/[\\/]/.test(file)) return undefined;
  try {
    return resolve(cwd ?? '.', file);
  } catch {
    // It is relative to a directory that does not exist any more.
    return file;
  }
}

function kindOf(path: string): 'missing' | 'directory' | 'other' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isDirectory() ? 'directory' : 'other';
  } catch {
    // It may not be looked at, which says nothing about what it is.
    return 'other';
  }
}

function readHeader(path: string): string {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK a pipe with no writer would hold the host for ever.
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const buffer = Buffer.alloc(HEADER_BYTES);
    return buffer.toString('latin1', 0, readSync(descriptor, buffer));
  } catch {
    return '';
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
