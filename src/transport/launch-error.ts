import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { CLIConnectionError, CLINotFoundError } from '../errors.js';
import { codeOf } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';
import { omitUndefined } from '../util/json.js';
import { readFileHeader } from './command-host.js';

const HEADER_BYTES = 256;

/** An archive of Electron in a path. The unpacked copy is beside it, in `app.asar.unpacked`. */
export const ASAR = /\.asar(?=[\\/]|$)/;

const TOO_LONG = [
  'its arguments and environment are longer than the system allows',
  'Pass long texts as files, or pass a smaller `env`.',
] as const;

/** What a system without room for the process says, by code: the reason and the hint. */
const SYSTEM_LIMITS: Readonly<Record<string, readonly [reason: string, hint: string]>> = {
  E2BIG: TOO_LONG,
  ENAMETOOLONG: TOO_LONG,
  EMFILE: [
    'this process has too many files open',
    'Start fewer runs at a time, or raise the limit of open files (`ulimit -n`).',
  ],
  ENFILE: [
    'the system has too many files open',
    'Start fewer runs at a time, or raise the limit of the system (on Linux `sysctl fs.file-max`).',
  ],
  EAGAIN: [
    'the system allows no more processes',
    'Start fewer runs at a time, or raise the limit on processes (`ulimit -u`; in a container its `pids` limit).',
  ],
};

/** What could not be started. */
export interface LaunchAttempt {
  readonly file: string;
  /** `undefined`: the host's. */
  readonly cwd?: string | undefined;
}

/**
 * Turns the operating system's error of a failed start into one that names the cause. `ENOENT` alone can mean the file,
 * its interpreter, its loader or the working directory.
 */
export function toLaunchError(error: unknown, attempt: LaunchAttempt): CLIConnectionError {
  const directoryError = checkWorkingDirectory(attempt.cwd, error);
  if (directoryError !== undefined) return directoryError;
  const code = codeOf(error);
  const path = pathOf(attempt);
  const kind = path === undefined ? undefined : kindOf(path);
  // Windows says ENOENT.
  if (path !== undefined && kind === 'directory') {
    const hint = `It has ${namesIn(path)}. Name the executable, or the folder of the npm package that has it.`;
    return launchFailure(`${attempt.file} is a directory`, omitUndefined({ code, cause: error, hint }));
  }
  switch (code) {
    case 'ENOENT':
      return kind === 'missing'
        ? notFoundAt(attempt.file, { cause: error })
        : launchFailure(missingInterpreter(attempt.file, path), { code, cause: error });
    case 'EACCES':
    case 'EPERM':
      return launchFailure(`${attempt.file} is not executable`, {
        code,
        cause: error,
        hint: `Make it executable (\`chmod +x\`), or name the executable itself.`,
      });
    default: {
      const [reason, hint] = SYSTEM_LIMITS[code ?? ''] ?? [errorText(error)];
      return launchFailure(reason, omitUndefined({ code, hint, cause: error }));
    }
  }
}

/** The error for a working directory that is missing or not a directory, else `undefined`. */
export function checkWorkingDirectory(cwd: string | undefined, cause?: unknown): CLIConnectionError | undefined {
  if (cwd === undefined) return undefined;
  const options = cause === undefined ? {} : { cause };
  // Electron takes an archive for a directory, but no process starts in it. Windows says ENOENT.
  const isInArchive = ASAR.test(cwd) && /^ENO(?:ENT|TDIR)$/.test(codeOf(cause) ?? '');
  switch (isInArchive ? 'other' : kindOf(cwd)) {
    case 'directory':
      return undefined;
    case 'missing':
      return new CLIConnectionError(`Working directory does not exist: ${cwd}`, {
        ...options,
        code: 'ENOENT',
        errorClass: 'executable_launch_failed',
      });
    default:
      return launchFailure(
        `the working directory is ${isInArchive ? 'in an asar archive' : 'not a directory'}: ${cwd}`,
        { ...options, code: 'ENOTDIR', hint: 'Set `cwd` to a directory on the disk.' },
      );
  }
}

/** The adapter and `claudewire doctor` say the same. */
export const INSTALL = 'npm install -g @anthropic-ai/claude-code';

/**
 * There is no file at the given path. For a native executable the text begins as in the official SDK, because programs
 * search for it. The official SDK starts scripts without a check.
 */
export function notFoundAt(
  cliPath: string,
  options: { readonly searched?: readonly string[]; readonly cause?: unknown },
): CLINotFoundError {
  const message = isScript(cliPath) ? 'Claude Code not found at' : `Claude Code native binary not found at ${cliPath}`;
  const hint = `Check the path, or leave it out and run \`${INSTALL}\`. \`claudewire doctor\` checks the rest.`;
  return new CLINotFoundError(message, { ...options, cliPath, hint });
}

/** Lower case only, as in the official SDK (TS-009, TS-010). */
export function isScript(path: string): boolean {
  return /\.(?:js|mjs|ts|tsx|jsx)$/.test(path);
}

/** The executable was found but could not be started. The text begins as in the Python SDK (PY-008). */
export function launchFailure(
  reason: string,
  options: { readonly code?: string; readonly cause?: unknown; readonly hint?: string } = {},
): CLIConnectionError {
  return new CLIConnectionError(`Failed to start Claude Code: ${reason}`, {
    ...options,
    errorClass: 'executable_launch_failed',
  });
}

/** Enough of them to recognize it. */
function namesIn(directory: string): string {
  try {
    return readdirSync(directory).slice(0, 8).join(', ') || 'nothing';
  } catch (error) {
    return errorText(error);
  }
}

function missingInterpreter(file: string, path: string | undefined): string {
  if (path === undefined) return `\`${file}\` is not on the PATH of the child's environment`;
  // How Bun names what is inside: POSIX, Windows.
  if (/\$bunfs|~BUN/.test(file)) return `\`${file}\` is inside this program; \`extractFromBunfs()\` copies it out`;
  const header = readFileHeader(path, HEADER_BYTES).toString('latin1');
  const shebang = /^#!\s*(\S+)/.exec(header)?.[1];
  return shebang === undefined
    ? `the loader of ${file} does not exist; it may be built for another C library (glibc, musl)`
    : `${file} asks for the interpreter ${shebang}, which does not exist`;
}

/** The path of the file. `undefined` for a bare name, which the system looks up in the child's PATH. */
function pathOf({ file, cwd }: LaunchAttempt): string | undefined {
  if (!isAbsolute(file) && !/[\\/]/.test(file)) return undefined;
  try {
    return resolve(cwd ?? '.', file);
  } catch {
    // The path is relative, and the working directory does not exist any more.
    return file;
  }
}

function kindOf(path: string): 'missing' | 'directory' | 'other' {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isDirectory() ? 'directory' : 'other';
  } catch {
    // Not permitted to look at it, so nothing is known.
    return 'other';
  }
}
