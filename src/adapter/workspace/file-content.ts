import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/workspace-errors.js';
import type { AnchoredDirectory } from './anchored-directory.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * Copies an open file into a directory, with its permission bits and modification time. Bytes that are appended
 * meanwhile are not copied.
 *
 * @param onSize - Called with the size before anything is written. It can throw to stop.
 * @returns the bytes copied.
 */
export async function copyFile(
  source: FileHandle,
  target: AnchoredDirectory,
  name: string,
  onSize: (bytes: number) => void,
): Promise<number> {
  const { mode, atime, mtime, size } = await source.stat();
  onSize(size);
  const copy = await target.createFile(name);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
    let total = 0;
    while (total < size) {
      const length = Math.min(buffer.length, size - total);
      const { bytesRead } = await source.read(buffer, 0, length, total);
      if (bytesRead === 0) break;
      // Unlike `write`, this writes all bytes.
      await copy.writeFile(buffer.subarray(0, bytesRead));
      total += bytesRead;
    }
    // Without set-user-id and similar bits, which belong to the owner of the original.
    await copy.chmod(mode & 0o777);
    await copy.utimes(atime, mtime);
    return total;
  } finally {
    await copy.close();
  }
}

/** Content and permissions of a file, for comparisons. */
export interface FileFacts {
  readonly sha256: string;
  /** Permission bits. */
  readonly permissions: number;
}

/** `undefined`: it is gone, or not a regular file. */
export async function factsOf(folder: AnchoredDirectory, name: string): Promise<FileFacts | undefined> {
  try {
    const file = await folder.openFile(name);
    if (file === undefined) return undefined;
    try {
      const { mode } = await file.stat();
      return { sha256: (await digest(file)).sha256, permissions: mode & 0o777 };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof WorkspaceSecurityError) return undefined;
    throw error;
  }
}

export async function digest(file: FileHandle): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const { size } = await file.stat();
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  let sizeBytes = 0;
  // Up to the initial size: a process of the model may append without end.
  while (sizeBytes < size) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, sizeBytes);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    sizeBytes += bytesRead;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
