import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import { type CheckItem, failed, passed } from './check-report.js';

const TEXT = 'x'.repeat(4_096);

/** Makes a folder in the temporary directory, and writes and reads a file there. The folder is the caller's to remove. */
export async function checkTemp(
  tempRoot: string,
): Promise<{ readonly item: CheckItem; readonly folder: string | undefined }> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tempRoot, ownDirectoryPrefix()));
    const file = join(folder, 'check');
    await writeFile(file, TEXT, { mode: 0o600, flag: 'wx' });
    if ((await readFile(file, 'utf8')) !== TEXT)
      throw new Error('it does not keep what is written');
    return { item: passed('temp', `${tempRoot} can be written.`), folder };
  } catch (error) {
    const why = codeOf(error) ?? (error instanceof Error ? error.message : 'unknown');
    const fix =
      why === 'ENOSPC'
        ? 'Free some space on that disk, or set TMPDIR to a directory on another.'
        : 'Set TMPDIR to a directory that this user can write.';
    return {
      item: failed('temp', `The temporary directory ${tempRoot} cannot be used: ${why}.`, fix),
      folder,
    };
  }
}
