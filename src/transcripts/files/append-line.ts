import { closeSync, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { SessionNotFoundError } from '../../errors.js';
import type { TranscriptEntry } from '../transcript/entry.js';
import type { FoundTranscript } from './find-transcript.js';
import { fileError, NO_FOLLOW, readAt } from './open-file.js';

const NEWLINE = 0x0a;

/** Smaller writes take less time than a switch to a thread and back. */
const MAX_SYNC_BYTES = 64 * 1024;

const writeAsync = promisify(write);

/** The range of the appended lines in the file. */
export interface AppendedAt {
  /** Size of the file before. */
  readonly start: number;
  /** Size of the file after the lines; `undefined` when there is more than they after `start`. */
  readonly end: number | undefined;
}

/**
 * Appends whole lines to a file in one write, which the system puts after the lines of other writers, also in other
 * processes. When another writer's last line is unfinished, only that one is lost.
 * @param descriptor - Of a regular file, opened with `O_RDWR | O_APPEND`.
 * @param text - One line or more, each with its newline.
 * @throws what the file system says; an error with the code `ENOSPC` when only a part was written.
 */
export async function appendLines(descriptor: number, text: string): Promise<AppendedAt> {
  const start = fstatSync(descriptor).size;
  const isUnfinished = start > 0 && bytesBetween(descriptor, start - 1, start)[0] !== NEWLINE;
  const bytes = Buffer.from(isUnfinished ? `\n${text}` : text);
  await writeAtOnce(descriptor, bytes);
  const end = fstatSync(descriptor).size;
  if (end === start + bytes.length) return { start, end: isUnfinished ? undefined : end };
  // Another writer came in between, perhaps with half a line: then the first of these lines was joined to it.
  if (!standsOnItsOwn(descriptor, text, start, end)) {
    const firstLine = text.slice(0, text.indexOf('\n') + 1);
    await writeAtOnce(descriptor, Buffer.from(`\n${firstLine}`));
  }
  return { start, end: undefined };
}

function standsOnItsOwn(descriptor: number, text: string, start: number, end: number): boolean {
  const written = bytesBetween(descriptor, Math.max(0, start - 1), end);
  const lines = start === 0 ? Buffer.concat([Buffer.of(NEWLINE), written]) : written;
  return lines.includes(Buffer.from(`\n${text}`));
}

async function writeAtOnce(descriptor: number, bytes: Buffer): Promise<void> {
  const written =
    bytes.length > MAX_SYNC_BYTES ? (await writeAsync(descriptor, bytes)).bytesWritten : writeSync(descriptor, bytes);
  if (written === bytes.length) return;
  // A second write could end up after another writer's line.
  const message = `only ${written} of ${bytes.length} bytes could be written`;
  throw Object.assign(new Error(message), { code: 'ENOSPC' });
}

function bytesBetween(descriptor: number, from: number, to: number): Buffer {
  return readAt(descriptor, Buffer.alloc(Math.max(0, to - from)), from);
}

/** Adds one line at the end of a transcript that must exist. */
export async function appendEntry({ sessionId, path }: FoundTranscript, entry: TranscriptEntry): Promise<void> {
  try {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_APPEND | NO_FOLLOW);
    try {
      if (fstatSync(descriptor).size === 0)
        throw new SessionNotFoundError(sessionId, `Session ${sessionId} not found: ${path} is empty`);
      await appendLines(descriptor, `${JSON.stringify(entry)}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof SessionNotFoundError) throw error;
    throw fileError(sessionId, path, 'change', error);
  }
}
