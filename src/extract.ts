/** `claudewire/extract`: copies an executable out of a program that `bun build --compile` made. */

import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidOptionError } from './errors.js';
import { describeValue } from './util/describe-value.js';
import { errorText } from './util/error-text.js';
import { warnOnce } from './util/warn-once.js';

/** How Bun names the read-only file system inside a compiled program: POSIX, Windows. */
const EMBEDDED = /\$bunfs|~BUN/;

/** Only its owner may read, write or run it. */
const PRIVATE = 0o700;

/**
 * The path of a file that a process can be started from.
 *
 * A program made by `bun build --compile` carries files that only it can open. For such a path (`/$bunfs/...`,
 * `B:\~BUN\...`) this writes the file into a folder of this user below the temporary directory, executable and closed
 * to others, and returns that path: the same one for the same content, written once. Every other path comes back as it
 * is. The file is read whole into memory while it is copied.
 *
 * When it cannot be copied, the path comes back unchanged with a process warning (`CLAUDE_SDK_EXTRACT_FAILED`):
 * starting it then fails with an error that the run reports.
 * @throws InvalidOptionError the path is not a string.
 */
export function extractFromBunfs(embeddedPath: string): string {
  if (typeof embeddedPath !== 'string') {
    throw new InvalidOptionError(
      'embeddedPath',
      `extractFromBunfs() takes a path, got ${describeValue(embeddedPath)}. Pass the value of \`import path from './claude' with { type: 'file' }\`.`,
    );
  }
  if (!EMBEDDED.test(embeddedPath)) return embeddedPath;
  try {
    return copyOut(embeddedPath);
  } catch (error) {
    warnOnce({
      code: 'CLAUDE_SDK_EXTRACT_FAILED',
      message: `${embeddedPath} could not be copied out of the compiled program: ${errorText(error)}. No process can be started from there.`,
    });
    return embeddedPath;
  }
}

function copyOut(embeddedPath: string): string {
  const content = readFileSync(embeddedPath);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 32);
  const name = embeddedPath.split(/[\\/]/).pop() || 'executable';
  const folder = join(userFolder(), hash);
  mkdirSync(folder, { recursive: true, mode: PRIVATE });
  const target = join(folder, name);
  if (isWhole(target, content.length)) return target;
  const partial = join(folder, `${randomUUID()}.partial`);
  try {
    writeFileSync(partial, content, { flag: 'wx', mode: PRIVATE });
    // Two processes may do this at once: each writes its own file, and both have the same content.
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    // Windows refuses to replace an executable that runs; then it is there already.
    if (!isWhole(target, content.length)) throw error;
  }
  return target;
}

function isWhole(path: string, size: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size === size;
}

/** One folder per user. A new one if another user made it or may write there: its content is executed. */
function userFolder(): string {
  const uid = process.getuid?.();
  const folder = join(tmpdir(), `claudewire-extract-${uid ?? 'user'}`);
  mkdirSync(folder, { recursive: true, mode: PRIVATE });
  const stats = lstatSync(folder);
  // Windows has one temporary directory per user, and no useful mode bits.
  const isOurs = stats.isDirectory() && (uid === undefined || (stats.uid === uid && (stats.mode & 0o077) === 0));
  return isOurs ? folder : mkdtempSync(join(tmpdir(), 'claudewire-extract-'));
}
