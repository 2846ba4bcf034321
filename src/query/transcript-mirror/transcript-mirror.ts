import type { DiagnosticListener } from '../../diagnostics.js';
import { SessionStoreError } from '../../errors.js';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../../transcripts/store/session-store.js';
import { callStore } from '../../transcripts/store/store-call.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { within } from '../../util/race.js';
import { wait } from '../../util/wait.js';
import { keyElsewhere, type TranscriptFolder } from './transcript-folder.js';

/** Above either limit, entries are stored before the result, so that a long turn neither piles up nor is lost whole. */
const MAX_WAITING_ENTRIES = 500;
const MAX_WAITING_BYTES = 1024 * 1024;
/** Limits memory: above this much that the store has not taken, entries are dropped and reported. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const OVERFLOW = `More than ${MAX_HELD_BYTES} bytes of entries wait for the session store`;

/** Entries that the store will not get. */
export interface MirrorFailure {
  readonly key: SessionKey;
  /** Why, in the store's own words where it had any. */
  readonly error: string;
}

export interface TranscriptMirrorOptions {
  readonly store: Pick<SessionStore, 'append'>;
  readonly flush: SessionStoreFlush;
  /** Where the CLI's transcripts are. */
  readonly folder: Pick<TranscriptFolder, 'path' | 'keyOf'>;
  readonly onFailure: (failure: MirrorFailure) => void;
  readonly onDiagnostic: DiagnosticListener;
}

interface HeldBatch extends MirrorBatch {
  bytes: number;
}

/**
 * Carries the CLI's transcript entries to a session store: collected by transcript, one `append` at a time, in the
 * order in which the CLI wrote them. Trouble with the store never ends the session.
 */
export class TranscriptMirror {
  readonly #options: TranscriptMirrorOptions;
  /** By key, first seen first: what no `append` has been planned for. */
  #waiting = new Map<string, HeldBatch>();
  #waitingEntries = 0;
  #waitingBytes = 0;
  /** Waiting, planned, or on its way. */
  #heldBytes = 0;
  /** By key: transcripts that lose entries for want of room, and how many since that was reported. */
  #overflowing = new Map<string, { readonly key: SessionKey; lost: number }>();
  /** Paths of transcripts elsewhere whose loss was reported. */
  readonly #unknownPaths = new Set<string>();
  /** Every planned `append`, one after another. Never rejects. */
  #tail: Promise<void> = Promise.resolve();
  #plannedCount = 0;
  readonly #giveUp = new AbortController();

  constructor(options: TranscriptMirrorOptions) {
    this.#options = options;
  }

  /** True while the store does not have everything. */
  get isBehind(): boolean {
    return this.#waitingEntries > 0 || this.#plannedCount > 0;
  }

  /** Takes one `transcript_mirror` frame. @param bytes - The length of its line. */
  onFrame(frame: JsonObject, bytes: number): void {
    const batch = this.#read(frame);
    if (batch === undefined || batch.entries.length === 0) return;
    const id = JSON.stringify([batch.key.projectKey, batch.key.sessionId, batch.key.subpath]);
    if (this.#isTooMuch(id, batch, bytes)) return;
    this.#hold(id, batch, bytes);
    const isDue =
      this.#options.flush === 'eager' ||
      this.#waitingEntries > MAX_WAITING_ENTRIES ||
      this.#waitingBytes > MAX_WAITING_BYTES;
    if (isDue) this.#plan();
  }

  /** Resolves when everything that came so far is stored or given up. */
  flush(): Promise<void> {
    this.#plan();
    return this.#tail;
  }

  /**
   * As {@link flush}, but after `limitMs` what is not stored is given up and reported, and nothing is taken any more.
   * Of several calls the earliest limit counts.
   */
  async finish(limitMs: number): Promise<void> {
    const stored = this.flush();
    if (this.isBehind) {
      await within(limitMs, stored, () => {
        this.#giveUp.abort(new Error('The run ended before the session store had taken the entries'));
        // It runs out by itself from here.
        return this.#tail;
      });
    }
    this.#reportLost();
  }

  #read(frame: JsonObject): MirrorBatch | undefined {
    const filePath = stringField(frame, 'filePath');
    const list = frame.entries;
    if (filePath === undefined || !Array.isArray(list)) {
      this.#malformed('without a filePath or a list of entries');
      return undefined;
    }
    if (list.length === 0) return undefined;
    const key = this.#options.folder.keyOf(filePath);
    if (key === undefined) {
      this.#unknownPath(filePath);
      return undefined;
    }
    // An entry is one object of the transcript; that it has a `type` is the CLI's promise and the store's to pass on.
    const entries = list.filter(isJsonObject) as SessionStoreEntry[];
    if (entries.length < list.length) this.#malformed('with entries that are not objects');
    return { key, entries };
  }

  #hold(id: string, { key, entries }: MirrorBatch, bytes: number): void {
    const held = this.#waiting.get(id);
    if (held === undefined) {
      this.#waiting.set(id, { key, entries, bytes });
    } else {
      for (const entry of entries) held.entries.push(entry);
      held.bytes += bytes;
    }
    this.#waitingEntries += entries.length;
    this.#waitingBytes += bytes;
    this.#heldBytes += bytes;
  }

  /** Puts an `append` for everything that waits at the end of the line. */
  #plan(): void {
    if (this.#waitingEntries === 0) return;
    const batches = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#waitingEntries = 0;
    this.#waitingBytes = 0;
    for (const batch of batches) {
      const isFirst = this.#plannedCount === 0;
      this.#plannedCount += 1;
      this.#tail = isFirst ? this.#store(batch) : this.#tail.then(() => this.#store(batch));
    }
  }

  async #store(batch: HeldBatch): Promise<void> {
    const { store } = this.#options;
    const error = await appendEntries(store, batch, this.#giveUp.signal);
    this.#plannedCount -= 1;
    this.#heldBytes -= batch.bytes;
    if (error === undefined) this.#reportLost();
    else this.#fail(batch.key, error, batch.entries.length);
  }

  #isTooMuch(id: string, { key, entries }: MirrorBatch, bytes: number): boolean {
    if (this.#heldBytes + bytes <= MAX_HELD_BYTES) return false;
    const known = this.#overflowing.get(id);
    if (known === undefined) {
      this.#overflowing.set(id, { key, lost: 0 });
      this.#fail(key, `${OVERFLOW}: entries are lost from here on`, entries.length);
    } else known.lost += entries.length;
    return true;
  }

  /** There is room again, or never will be: says what was lost since the first report of each transcript. */
  #reportLost(): void {
    const overflowing = this.#overflowing;
    this.#overflowing = new Map();
    for (const { key, lost } of overflowing.values()) {
      if (lost > 0) this.#fail(key, `${OVERFLOW}: ${lost} more entries are lost`, lost);
    }
  }

  /** Once for each path: the CLI goes on writing there for as long as it runs. */
  #unknownPath(filePath: string): void {
    if (this.#unknownPaths.has(filePath)) return;
    this.#unknownPaths.add(filePath);
    const { path: folder } = this.#options.folder;
    const problem =
      `The CLI writes a transcript outside ${folder}: ${filePath}. It is not stored. ` +
      'Set CLAUDE_CONFIG_DIR in `env` to the configuration folder that the CLI uses.';
    this.#options.onDiagnostic({ code: 'mirror_path_unknown', message: problem, details: { filePath, folder } });
    const key = keyElsewhere(filePath);
    if (key !== undefined) this.#options.onFailure({ key, error: problem });
  }

  #fail(key: SessionKey, error: string, entries: number): void {
    this.#options.onDiagnostic({
      code: 'mirror_failed',
      message: `The session store did not take ${entries} entries: ${error.slice(0, 200)}`,
      details: { ...key, entries },
    });
    this.#options.onFailure({ key, error });
  }

  #malformed(how: string): void {
    this.#options.onDiagnostic({
      code: 'mirror_frame_malformed',
      message: `A transcript_mirror frame ${how}; it is not stored`,
    });
  }
}

/** For one call of `append`. */
const APPEND_TIMEOUT_MS = 60_000;
/** Before the second and the third try. */
const RETRY_WAITS_MS: readonly number[] = [200, 800];

/** Entries for one transcript, in order. */
interface MirrorBatch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

/**
 * Hands one batch to the store: three tries, each with {@link APPEND_TIMEOUT_MS}. One that ran out of time is not made
 * again, since it may still arrive, and would then be there twice.
 * @param signal - Aborted: no more tries, and no more waiting.
 * @returns why it could not be stored; `undefined` when it was. Never throws.
 */
async function appendEntries(
  store: Pick<SessionStore, 'append'>,
  { key, entries }: MirrorBatch,
  signal: AbortSignal,
): Promise<string | undefined> {
  let text: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    try {
      // What the store does to its arguments must not reach the next try. Most batches need one, so only that pays
      // for a copy.
      const given = text === undefined ? entries : (JSON.parse(text) as SessionStoreEntry[]);
      text ??= JSON.stringify(entries);
      await callStore(store, 'append', [{ ...key }, given], { timeoutMs: APPEND_TIMEOUT_MS, signal });
      return undefined;
    } catch (error) {
      const waitMs = RETRY_WAITS_MS[attempt];
      if (signal.aborted || waitMs === undefined || isStoreTimeout(error)) return errorText(error);
      await wait(waitMs, signal);
      if (signal.aborted) return errorText(error);
    }
  }
}

function isStoreTimeout(error: unknown): boolean {
  return error instanceof SessionStoreError && error.errorClass === 'session_store_timeout';
}
