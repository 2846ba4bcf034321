import { requireOption } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { array, object } from '../../util/validate.js';
import type { SDKSessionInfo } from '../session-types.js';
import { FirstPrompt, type PromptKind } from '../transcript/first-prompt.js';
import { type RowFacts, rowOf } from '../transcript/session-row.js';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';

/**
 * Fields of an entry whose last value counts, and what they are called in a summary. In entries of every type, as the
 * official fold has it: summaries are stored, and both SDKs may write to one store.
 */
const LAST_WINS = {
  customTitle: 'customTitle',
  aiTitle: 'aiTitle',
  lastPrompt: 'lastPrompt',
  summary: 'summaryHint',
  gitBranch: 'gitBranch',
} as const;

/**
 * Adds new entries to a session's summary. A store calls it in `append` and keeps the result, so that listing sessions
 * needs no transcript. Pure: `prev` is not changed.
 *
 * Kept: whether the first entry is a sidechain; the first time, working directory and prompt; the last titles, last
 * prompt, summary, git branch and tag. Entries that are not objects are skipped.
 * @param prev - What was returned for this session last, `undefined` at its first entries.
 * @param key - The main transcript's key. Entries of a subagent (a `subpath`) do not belong in a summary.
 * @param options - `mtime`: when the entries were stored, in epoch milliseconds, by the clock of `listSessions`.
 *   Without it the summary keeps its time, `0` for a new one.
 * @throws {@link InvalidOptionError} `key` is not an object, or `entries` is not an array.
 */
export function foldSessionSummary(
  prev: SessionSummaryEntry | undefined,
  key: SessionKey,
  entries: SessionStoreEntry[],
  options?: { mtime?: number },
): SessionSummaryEntry {
  requireOption(object, key, 'key');
  requireOption(array, entries, 'entries');
  const data: Record<string, unknown> = { ...prev?.data };
  const prompt = data.firstPromptLocked === true ? undefined : new FirstPrompt();
  for (const entry of entries) {
    if (!isJsonObject(entry)) continue;
    data.isSidechain ??= entry.isSidechain === true;
    addFirsts(data, entry);
    addLasts(data, entry);
    prompt?.add(entry);
  }
  if (prompt !== undefined) addPrompt(data, prompt);
  return { sessionId: prev?.sessionId ?? key.sessionId, mtime: options?.mtime ?? prev?.mtime ?? 0, data };
}

function addFirsts(data: Record<string, unknown>, entry: JsonObject): void {
  const { timestamp, cwd, relocatedCwd } = entry;
  if (data.createdAt === undefined && typeof timestamp === 'string') {
    const time = Date.parse(timestamp);
    if (!Number.isNaN(time)) data.createdAt = time;
  }
  if (data.cwd === undefined && typeof cwd === 'string' && cwd !== '') data.cwd = cwd;
  // To a git worktree, or back. What follows there names the same folder.
  if (typeof relocatedCwd === 'string' && relocatedCwd !== '') data.cwd = relocatedCwd;
}

function addLasts(data: Record<string, unknown>, entry: JsonObject): void {
  for (const [field, name] of Object.entries(LAST_WINS)) {
    const value = entry[field];
    if (typeof value === 'string') data[name] = value;
  }
  if (entry.type !== 'tag') return;
  const { tag } = entry;
  if (typeof tag === 'string' && tag !== '') data.tag = tag;
  else delete data.tag;
}

function addPrompt(data: Record<string, unknown>, prompt: FirstPrompt): void {
  if (prompt.isFound) {
    data.firstPrompt = prompt.text;
    data.firstPromptLocked = true;
  }
  if (prompt.command !== undefined) data.commandFallback ??= prompt.command;
}

/**
 * The row of a session from its summary. `undefined` for a sidechain, and for a session that has neither a title nor a
 * prompt. Fields of a wrong type, as another version of an SDK may have left them, count as absent.
 */
export function rowOfSummary(
  { sessionId, mtime, data }: SessionSummaryEntry,
  facts: Pick<RowFacts, 'fileSize' | 'projectDirectory'> & { readonly promptKind?: PromptKind | undefined } = {},
): SDKSessionInfo | undefined {
  if (data.isSidechain === true) return undefined;
  const isPromptFound = data.firstPromptLocked === true;
  const texts = {
    customTitle: stringField(data, 'customTitle') || stringField(data, 'aiTitle'),
    lastPrompt: stringField(data, 'lastPrompt'),
    summary: stringField(data, 'summaryHint'),
    firstPrompt: stringField(data, isPromptFound ? 'firstPrompt' : 'commandFallback'),
    gitBranch: stringField(data, 'gitBranch'),
    cwd: stringField(data, 'cwd'),
    tag: stringField(data, 'tag'),
    createdAt: typeof data.createdAt === 'number' ? data.createdAt : undefined,
    promptKind: facts.promptKind,
  };
  return rowOf(texts, { ...facts, sessionId, lastModified: mtime });
}

/** The row of a session whose entries were loaded; like {@link rowOfSummary} of their fold, with the size as JSONL. */
export function rowOfEntries(
  key: SessionKey,
  entries: SessionStoreEntry[],
  facts: { readonly mtime: number; readonly projectDirectory?: string | undefined },
): SDKSessionInfo | undefined {
  const { mtime, projectDirectory } = facts;
  const summary = foldSessionSummary(undefined, key, entries, { mtime });
  const prompt = new FirstPrompt();
  for (const entry of entries) prompt.add(entry);
  return rowOfSummary(summary, { fileSize: jsonlBytes(entries), projectDirectory, promptKind: prompt.kind });
}

/** `undefined` for entries that have no JSON form: a cycle, a bigint. Only the size needs their text. */
function jsonlBytes(entries: readonly SessionStoreEntry[]): number | undefined {
  try {
    return entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)) + 1, 0);
  } catch {
    return undefined;
  }
}
