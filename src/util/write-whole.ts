import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Replaces a file in one step: a reader finds the whole text or what was there, also when the disk is full. Follows a
 * link, and keeps the mode of a file that was there. A pipe or a device is written to.
 * @param mode - Of a new file.
 * @throws what the file system says; then the file is as it was.
 */
export function writeWhole(file: string, text: string, mode = 0o600): void {
  const present = statSync(file, { throwIfNoEntry: false });
  if (present !== undefined && !present.isFile()) {
    writeFileSync(file, text);
    return;
  }
  const target = present === undefined ? file : realpathSync(file);
  const draft = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' });
    if (present !== undefined) chmodSync(draft, present.mode & 0o777);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
