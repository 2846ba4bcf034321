import { Buffer } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import type { AnchoredDirectory } from './anchored-directory.js';

const CHUNK_BYTES = 256 * 1024;

/**
 * Copies an open file into a directory, byte for byte, with its permission bits and modification time. What is appended
 * meanwhile is not copied.
 *
 * @param onSize - Told the size before anything is written; throws to stop.
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
      // Unlike `write`, this does not stop half way.
      await copy.writeFile(buffer.subarray(0, bytesRead));
      total += bytesRead;
    }
    // Set-user-id and its kin belong to the owner of the original.
    await copy.chmod(mode & 0o777);
    await copy.utimes(atime, mtime);
    return total;
  } finally {
    await copy.close();
  }
}
