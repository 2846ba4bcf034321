import { lstat, mkdir, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { lenientRealPath } from './lenient-real-path.js';
import { isInside } from './sandbox-paths.js';

const FIELD = 'isolation.sandbox.writablePaths';

/**
 * The CLI ignores a writable path that does not exist, and refuses writes through one that is a link out of the working
 * directory. So a missing relative one is made, and the rest is said before the start.
 *
 * @throws {@link AdapterConfigError} an absolute path that is missing, a relative one that a link takes elsewhere.
 */
export async function makeWritablePaths(
  paths: readonly string[],
  cwd: string | undefined,
): Promise<void> {
  for (const path of paths) {
    if (isAbsolute(path)) await requirePath(path);
    // A relative one without a working directory was refused with the settings.
    else if (cwd !== undefined) await makePath(path, cwd);
  }
}

async function requirePath(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    throw refused(
      path,
      'which does not exist',
      'Make it, or give a relative path, which is made.',
      cause,
    );
  }
}

async function makePath(path: string, cwd: string): Promise<void> {
  const target = resolve(cwd, path);
  // One that names the outside says so itself; a link says nothing.
  if (isInside(target, resolve(cwd)) && !isInside(lenientRealPath(target), lenientRealPath(cwd))) {
    throw refused(path, 'which leads out of the working directory by a link', 'Name the target.');
  }
  try {
    if (await exists(target)) await stat(target);
    else await mkdir(target, { recursive: true });
  } catch (cause) {
    throw refused(path, `which cannot be made (${codeOf(cause) ?? 'unknown'})`, 'Make it.', cause);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

function refused(path: string, what: string, hint: string, cause?: unknown): AdapterConfigError {
  return new AdapterConfigError(`\`${FIELD}\` has ${JSON.stringify(path)}, ${what}`, [FIELD], {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
