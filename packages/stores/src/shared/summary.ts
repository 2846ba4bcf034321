import { foldSessionSummary, type SessionKey, type SessionSummaryEntry } from 'claudewire';
import { entryOf, type Line } from './lines.js';

type SummaryData = SessionSummaryEntry['data'];

/** The stored form of a summary with more lines folded in. @param before - Stored form, `undefined` for a new session. */
export function foldLines(
  before: SummaryData | undefined,
  key: SessionKey,
  lines: readonly Pick<Line, 'text'>[],
): string {
  const { sessionId } = key;
  const entries = lines.map(({ text }) => entryOf(text, 'an entry'));
  const prev = before === undefined ? undefined : { sessionId, mtime: 0, data: before };
  return JSON.stringify(foldSessionSummary(prev, key, entries).data);
}

/** `undefined` for what is no summary: it can be made again from the entries. */
export function summaryData(text: string | null | undefined): SummaryData | undefined {
  try {
    const data: unknown = JSON.parse(text ?? '');
    return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as SummaryData) : undefined;
  } catch {
    return undefined;
  }
}
