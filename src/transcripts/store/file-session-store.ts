import { readdir, rm } from 'node:fs/promises';
import { sep } from 'node:path';
import { invalidOption } from '../../errors/usage-errors.js';
import { unlessMissing } from '../../util/error-code.js';
import { absolutePath } from '../../util/host-places.js';
import { entriesOf, parseLine, transcriptLines } from '../files/transcript-lines.js';
import { Slices } from '../yield-to-event-loop.js';
import { FileLayout, keepLongName, nameFile, nameOf, transcriptNames } from './file/file-layout.js';
import { appendLines, checkFolder, lstatIfThere, openIfThere } from './file/private-files.js';
import { foldAppended, knownSummary, Repetitions, readSummary, type SummaryPaths } from './file/summary-sidecar.js';
import { mapLimited } from './map-limited.js';
import type { SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';
import { checkEntries, checkKey, checkProjectKey, jsonLines } from './store-key.js';

/** How many transcripts are read at once while listing a project. */
const READS_AT_ONCE = 16;

/**
 * A {@link SessionStore} in a directory: one JSONL file for each transcript, readable with any tool.
 *
 * - Several processes may append to one session at once: an `append` is one write at the end of the file, and no entry
 *   is lost or torn. Within this object, calls for one session take effect in the order in which they were made, and a
 *   listing of a project knows the calls before it.
 * - A line that a crash left unfinished is passed over; the next `append` begins a new one.
 * - Of entries with the same `uuid` `load` returns the first one, so repeating an `append` or an import is safe.
 * - File names are made so that no key leaves the directory and no two keys share a file, on any file system. Files
 *   have mode 0600, folders 0700; symbolic links below the directory are not followed.
 * - Summaries are kept up to date by `append`, from what is new in the file alone.
 *
 * It keeps no file open between calls and needs no closing. Not for network file systems without atomic appends (NFS).
 */
export class FileSessionStore implements SessionStore {
  readonly #layout: FileLayout;
  readonly #queues = new SessionQueues();

  /**
   * @param directory - Made at the first `append`. A relative path is resolved now.
   * @throws {@link InvalidOptionError} not a path.
   */
  constructor(directory: string) {
    if (typeof directory !== 'string' || directory === '' || directory.includes('\0')) {
      throw invalidOption('directory', 'a path', directory);
    }
    this.#layout = new FileLayout(absolutePath('directory', directory));
  }

  /** The absolute path of the directory. */
  get directory(): string {
    return this.#layout.root;
  }

  async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    checkKey(key);
    checkEntries(entries);
    if (entries.length === 0) return;
    // Serialised now: the caller may change its entries afterwards.
    const text = jsonLines(entries);
    const path = this.#layout.transcript(key);
    await this.#queued(key, async () => {
      this.#checkFolders('append', key);
      const appended = await appendLines(this.#layout.root, path, text);
      keepLongName(path, key.subpath ?? key.sessionId);
      if (key.subpath !== undefined) return;
      const stored = text.split('\n').flatMap((line) => parseLine(line) ?? []);
      // The entries are stored. If this fails, the next listing makes up for it.
      await foldAppended(this.#pathsOf(key), key, stored, appended).catch(() => {});
    });
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    checkKey(key);
    return await this.#queued(key, () => this.#read(key));
  }

  async listSessions(projectKey: string): Promise<Array<{ sessionId: string; mtime: number }>> {
    checkProjectKey(projectKey);
    const folder = this.#layout.projectFolder(projectKey);
    await this.#queues.settled(folder + sep);
    const ids = await this.#namesIn('listSessions', folder);
    const listed = await new Slices().map(ids, (sessionId) => {
      const found = lstatIfThere(this.#layout.transcript({ projectKey, sessionId }));
      if (found === undefined || !found.isFile() || found.size === 0) return [];
      return [{ sessionId, mtime: Math.floor(found.mtimeMs) }];
    });
    return listed.flat();
  }

  async listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]> {
    checkProjectKey(projectKey);
    const folder = this.#layout.projectFolder(projectKey);
    await this.#queues.settled(folder + sep);
    const ids = await this.#namesIn('listSessionSummaries', folder);
    const known = await new Slices().map(ids, (sessionId) => {
      const key = { projectKey, sessionId };
      return { key, summary: knownSummary(this.#pathsOf(key), key) };
    });
    const summaries = await mapLimited(known, READS_AT_ONCE, async ({ key, summary }) =>
      summary === 'stale' ? await this.#queued(key, () => readSummary(this.#pathsOf(key), key)) : summary,
    );
    return summaries.filter((summary) => summary !== undefined);
  }

  async delete(key: SessionKey): Promise<void> {
    checkKey(key);
    const path = this.#layout.transcript(key);
    await this.#queued(key, async () => {
      this.#checkFolders('delete', key);
      const summary = this.#layout.summary(key);
      // The summary first: after a crash, a summary without its transcript could be taken for a later session's.
      if (key.subpath === undefined) await rm(summary, { force: true });
      await rm(path, { force: true });
      await rm(nameFile(path), { force: true });
      if (key.subpath !== undefined) return;
      // Another process may have written it meanwhile.
      await rm(summary, { force: true });
      await rm(this.#layout.sessionFolder(key), { recursive: true, force: true });
    });
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const { projectKey, sessionId } = key;
    checkKey({ projectKey, sessionId });
    checkFolder('listSubkeys', this.#layout.projectFolder(projectKey));
    return await this.#queued(key, () => this.#namesIn('listSubkeys', this.#layout.sessionFolder(key)));
  }

  async #read(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    this.#checkFolders('load', key);
    const handle = await openIfThere(this.#layout.transcript(key));
    if (handle === undefined) return null;
    try {
      const entries: SessionStoreEntry[] = [];
      const repetitions = new Repetitions();
      for await (const batch of transcriptLines(handle, { isLastWhole: false })) {
        for (const entry of entriesOf(batch)) if (repetitions.isNew(entry)) entries.push(entry);
      }
      return entries.length === 0 ? null : entries;
    } finally {
      await handle.close();
    }
  }

  #queued<Result>(key: SessionKey, task: () => Promise<Result>): Promise<Result> {
    return this.#queues.run(this.#layout.sessionFolder(key), task);
  }

  #pathsOf(key: SessionKey): SummaryPaths {
    return { transcript: this.#layout.transcript(key), sidecar: this.#layout.summary(key) };
  }

  /** Checks that neither the project's nor the session's folder leads out of the directory. */
  #checkFolders(method: string, key: SessionKey): void {
    checkFolder(method, this.#layout.projectFolder(key.projectKey));
    if (key.subpath !== undefined) checkFolder(method, this.#layout.sessionFolder(key));
  }

  /** The names behind the transcripts in a folder, sorted by file name. Empty when there is no folder. */
  async #namesIn(method: string, folder: string): Promise<string[]> {
    checkFolder(method, folder);
    const files = (await unlessMissing(readdir(folder))) ?? [];
    const encoded = transcriptNames(files.sort());
    const names = await new Slices().map(encoded, (name) => nameOf(folder, name));
    return names.filter((name) => name !== undefined);
  }
}

/** Runs tasks of one name in order, one at a time, and tasks of different names in parallel. */
class SessionQueues {
  readonly #tails = new Map<string, Promise<void>>();

  /** Settles as `task` does. A failing task does not stop the ones after it. */
  run<Result>(name: string, task: () => Promise<Result>): Promise<Result> {
    const result = (this.#tails.get(name) ?? Promise.resolve()).then(task);
    const tail = result.then(
      () => {},
      () => {},
    );
    this.#tails.set(name, tail);
    void tail.then(() => {
      if (this.#tails.get(name) === tail) this.#tails.delete(name);
    });
    return result;
  }

  /** Resolves when all tasks given so far, under names with this prefix, are done. */
  async settled(prefix: string): Promise<void> {
    const tails = [...this.#tails].flatMap(([name, tail]) => (name.startsWith(prefix) ? tail : []));
    await Promise.all(tails);
  }
}
