import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { InvalidOptionError } from '../errors/usage-errors.js';
import { codeOf } from './error-code.js';
import { omitUndefined } from './json.js';

/**
 * The working directory of this process.
 * @param option - The option that would have made it unnecessary.
 * @throws {@link InvalidOptionError} the directory was removed, or may not be looked at.
 */
export function workingDirectory(option: string): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new InvalidOptionError(
      option,
      `Option \`${option}\` must be an absolute path: the working directory of this process does not exist any more.`,
      omitUndefined({
        cause,
        code: codeOf(cause),
        hint: 'Give an absolute path, or go to a directory that exists with `process.chdir()`.',
      }),
    );
  }
}

/**
 * The absolute form of a path. An absolute path needs no working directory.
 * @throws {@link InvalidOptionError} as {@link workingDirectory}.
 */
export function absolutePath(option: string, path: string): string {
  return isAbsolute(path) ? resolve(path) : resolve(workingDirectory(option), path);
}

/** The home of this process's user; `undefined` for a user without an entry in the user database and without `HOME`. */
export function knownHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** The home of this process's user. @throws {@link InvalidOptionError} there is none, as {@link knownHome}. */
export function homeDirectory(): string {
  const home = knownHome();
  if (home !== undefined) return home;
  throw new InvalidOptionError(
    'env.HOME',
    `The home directory is not known: \`HOME\` is not set, and the user with the id ${process.getuid?.()} is not in the user database.`,
    { hint: 'Set `HOME`. `CLAUDE_CONFIG_DIR` is enough for the files of Claude Code.' },
  );
}
