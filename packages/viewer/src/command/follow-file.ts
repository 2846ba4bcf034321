import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** How often a file is looked at. */
const POLL_MS = 150;
const CHUNK_BYTES = 1024 * 1024;
/** Read at one look; the rest comes at the next. */
const LOOK_BYTES = 32 * 1024 * 1024;

export interface FollowListener {
  onBytes(chunk: Buffer): void;
  /** The file was cut or replaced: what comes is another file. */
  onNew(): void;
  /** After each look. @param quietMs - milliseconds since something came. */
  onLook(quietMs: number): void;
}

/** Reads a file as it grows, until the signal is aborted. Then nothing is left open. @throws Error it cannot be read. */
export async function followFile(path: string, listener: FollowListener, signal: AbortSignal): Promise<void> {
  let file = await open(path, 'r');
  try {
    let offset = 0;
    let cameAt = performance.now();
    while (!signal.aborted) {
      const next = await replacement(path, file);
      const isCut = (await file.stat()).size < offset;
      if (next !== undefined || isCut) {
        if (next !== undefined) {
          await file.close();
          file = next;
        }
        offset = 0;
        listener.onNew();
      }
      const read = await readOn(file, offset, listener);
      offset += read;
      if (read > 0) cameAt = performance.now();
      listener.onLook(performance.now() - cameAt);
      if (read < LOOK_BYTES) await pause(POLL_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    await file.close();
  }
}

/** Another file at the same path, opened; `undefined` while it is the same, or there is none. */
async function replacement(path: string, file: FileHandle): Promise<FileHandle | undefined> {
  const [own, now] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
  if (now === undefined || (now.ino === own.ino && now.dev === own.dev)) return undefined;
  // It may be gone again by now.
  return open(path, 'r').catch(() => undefined);
}

async function readOn(file: FileHandle, offset: number, { onBytes }: FollowListener): Promise<number> {
  let read = 0;
  while (read < LOOK_BYTES) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, offset + read);
    if (bytesRead === 0) break;
    onBytes(buffer.subarray(0, bytesRead));
    read += bytesRead;
  }
  return read;
}
