import { stringField } from '../../util/json.js';
import type { SDKSessionInfo } from '../session-types.js';
import { type RowFacts, rowOf } from '../transcript/session-row.js';
import { foldSessionSummary } from './fold-session-summary.js';
import type { SessionKey, SessionStoreEntry, SessionSummaryEntry } from './session-store.js';

/**
 * The row of a session from its summary. `undefined` for a sidechain, and for a session that has neither a title nor
 * a prompt. Fields of a wrong type, as another version of an SDK may have left them, count as absent.
 */
export function rowOfSummary(
  { sessionId, mtime, data }: SessionSummaryEntry,
  facts: Pick<RowFacts, 'fileSize' | 'projectDirectory'> = {},
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
  return rowOfSummary(summary, { fileSize: jsonlBytes(entries), projectDirectory });
}

/** `undefined` for entries that are no JSON: a cycle, a bigint. Nothing else of the row needs their text. */
function jsonlBytes(entries: readonly SessionStoreEntry[]): number | undefined {
  try {
    return entries.reduce((sum, entry) => sum + Buffer.byteLength(JSON.stringify(entry)) + 1, 0);
  } catch {
    return undefined;
  }
}
