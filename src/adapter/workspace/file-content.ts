import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { codeOf } from '../../util/error-code.js';
import { WorkspaceSecurityError } from '../errors/adapter-error.js';
import type { AnchoredDirectory } from './anchored-directory.js';
import { closing } from './walk-down.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * The content in chunks, which are valid until the next one.
 * @param size - The size at the start. What is appended later is not read: a process of the model may never stop.
 */
export async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Buffer, void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size));
  let total = 0;
  while (total < size) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - total), total);
    if (bytesRead === 0) return;
    total += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Copies an open file into a directory, with its permission bits and modification time.
 * @param onSize - Called with the size before anything is written. It can throw to stop.
 * @returns the bytes copied.
 */
export async function copyFile(
  source: FileHandle,
  target: AnchoredDirectory,
  name: string,
  onSize: (bytes: number) => void = () => {},
): Promise<number> {
  const { mode, atime, mtime, size } = await source.stat();
  onSize(size);
  return closing(target.createFile(name), async (copy) => {
    let total = 0;
    for await (const chunk of chunksOf(source, size)) {
      // Unlike `write`, this writes all bytes.
      await copy.writeFile(chunk);
      total += chunk.length;
    }
    // Without set-user-id and similar bits, which belong to the owner of the original.
    await copy.chmod(mode & 0o777);
    await copy.utimes(atime, mtime);
    return total;
  });
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
    const opened = await folder.openFile(name);
    if (opened === undefined) return undefined;
    return await closing(opened, async (file) => {
      const { mode } = await file.stat();
      return { sha256: (await digest(file)).sha256, permissions: mode & 0o777 };
    });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof WorkspaceSecurityError) return undefined;
    throw error;
  }
}

export async function digest(file: FileHandle): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const { size } = await file.stat();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of chunksOf(file, size)) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
