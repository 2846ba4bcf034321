import type { FileHandle } from 'node:fs/promises';
import { invalidOption } from '../../errors/usage-errors.js';
import { SessionNotFoundError } from '../../errors.js';
import { requireTranscript } from '../files/find-transcript.js';
import { fileError, openToRead } from '../files/open-file.js';
import { projectKeyForDirectory } from '../files/project-folder.js';
import { sidecarOf, transcriptsBelow } from '../files/subagent-files.js';
import { parseLine, transcriptLines } from '../files/transcript-lines.js';
import { booleanOption, optionsObject, placeOf } from '../session-options.js';
import type { SessionKey, SessionStore, SessionStoreEntry } from './session-store.js';
import { callStore, checkStore } from './store-call.js';

/** Options of {@link importSessionToStore}. */
export type ImportSessionToStoreOptions = {
  /**
   * Project directory to find the session in, which also gives the `projectKey`. Without it every project is searched,
   * and the key is that of the working directory.
   */
  dir?: string;
  /** Also import what is below the session: subagents, with their metadata. @defaultValue `true` */
  includeSubagents?: boolean;
  /** Most entries in one `append`; not above zero: the default. A batch also ends at 1 MiB. @defaultValue `500` */
  batchSize?: number;
};

const DEFAULT_BATCH_SIZE = 500;
const MAX_BATCH_BYTES = 1024 * 1024;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Copies a session from the local disk into a store, in order and in batches, one `append` after another. The file is
 * read as it is sent, so only one batch is in memory.
 *
 * Lines that are not JSON objects are left out. The local session stays. When an `append` fails, the import stops: what
 * was appended stays in the store, and the import can be repeated for a store that knows entries by their `uuid`.
 * @param sessionId - UUID of the session.
 * @throws {@link InvalidOptionError} a bad argument.
 * @throws {@link SessionNotFoundError} no such session.
 * @throws {@link SessionFileError} a file or folder of the session cannot be read.
 * @throws {@link SessionStoreError} an `append` took longer than 60 s.
 * @throws what the store rejected an `append` with.
 */
export async function importSessionToStore(
  sessionId: string,
  store: SessionStore,
  options?: ImportSessionToStoreOptions,
): Promise<void> {
  checkStore(store, 'store');
  const given = optionsObject(options);
  const { directory } = placeOf(given);
  const batchSize = checkBatchSize(given.batchSize);
  const includeSubagents = booleanOption(given, 'includeSubagents', true);
  const found = requireTranscript(sessionId, directory);
  const key = { projectKey: projectKeyForDirectory(directory), sessionId };
  if (!(await importTranscript(found.path, store, key, batchSize))) {
    throw new SessionNotFoundError(sessionId, `Session ${sessionId} not found: it is gone`);
  }
  if (!includeSubagents) return;
  const failed = (folder: string, error: unknown): never => {
    throw fileError(sessionId, folder, 'read', error);
  };
  for (const { path, subpath } of transcriptsBelow(found.sessionFolder, failed)) {
    const subkey = { ...key, subpath };
    if (!(await importTranscript(path, store, subkey, batchSize))) continue;
    const metadata = sidecarOf(path);
    if (metadata !== undefined) await callStore(store, 'append', [subkey, [{ ...metadata, type: 'agent_metadata' }]]);
  }
}

function checkBatchSize(batchSize: unknown): number {
  if (batchSize === undefined || batchSize === null) return DEFAULT_BATCH_SIZE;
  if (typeof batchSize === 'number' && !Number.isNaN(batchSize)) return batchSize > 0 ? batchSize : DEFAULT_BATCH_SIZE;
  throw invalidOption('batchSize', 'a number of entries', batchSize);
}

/** False when the file is gone or has been replaced by a link. */
async function importTranscript(
  path: string,
  store: SessionStore,
  key: SessionKey,
  batchSize: number,
): Promise<boolean> {
  const file = await openToRead(key.sessionId, path);
  if (file === undefined) return false;
  const failed = (error: unknown) => fileError(key.sessionId, path, 'read', error);
  try {
    for await (const batch of batchesOf(file, batchSize, failed)) await callStore(store, 'append', [key, batch]);
  } finally {
    await file.close();
  }
  return true;
}

async function* batchesOf(
  file: FileHandle,
  batchSize: number,
  failed: (error: unknown) => Error,
): AsyncGenerator<SessionStoreEntry[], void, void> {
  let batch: SessionStoreEntry[] = [];
  let bytes = 0;
  try {
    // The CLI may be writing its last line without a newline yet; if it is whole, it counts.
    for await (const { lines } of transcriptLines(file)) {
      for (const line of lines) {
        const entry = parseLine(withoutMark(line.bytes));
        if (entry === undefined) continue;
        batch.push(entry);
        bytes += line.bytes.length;
        if (batch.length < batchSize && bytes < MAX_BATCH_BYTES) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
    }
  } catch (error) {
    // Errors of the consumer of a batch do not get here.
    throw failed(error);
  }
  if (batch.length > 0) yield batch;
}

/** An editor may have added a byte order mark. */
function withoutMark(line: Buffer): Buffer {
  return line.subarray(0, MARK.length).equals(MARK) ? line.subarray(MARK.length) : line;
}
