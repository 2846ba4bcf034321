import { type JsonObject, omitUndefined } from '../../util/json.js';
import type { SDKSessionInfo } from '../session-types.js';
import { FirstPrompt, isPromptEntry, kindOfCutLine, type PromptKind } from './first-prompt.js';
import type { EdgeText } from './head-tail.js';

/** How much of each end of a transcript is read for a row, in bytes. */
export const EDGE_BYTES = 65_536;

/** Beginning and end of a transcript: the same text when it is no longer than {@link EDGE_BYTES}. */
export interface TranscriptEdges {
  readonly head: EdgeText;
  readonly tail: EdgeText;
}

/** Facts of a row that are in no entry. */
export interface RowFacts {
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly lastModified: number;
  /** Bytes of the transcript, when they are known. */
  readonly fileSize?: number | undefined;
  /** The row's `cwd` when no entry names one. */
  readonly projectDirectory?: string | undefined;
  readonly archived?: boolean | undefined;
}

type RowText = 'customTitle' | 'lastPrompt' | 'summary' | 'firstPrompt' | 'gitBranch' | 'cwd' | 'tag';

/** Facts of a row that come from entries. An empty string counts as absent. */
export type RowTexts = { readonly [Name in RowText]: string | undefined } & {
  /** Epoch milliseconds. */
  readonly createdAt: number | undefined;
  /** Shown when there is no text. */
  readonly promptKind?: PromptKind | undefined;
};

/** The row of a session. `undefined` for a session without a title and without a prompt. */
export function rowOf(texts: RowTexts, facts: RowFacts): SDKSessionInfo | undefined {
  const { customTitle, firstPrompt, gitBranch, tag, createdAt } = texts;
  const summary = customTitle || texts.lastPrompt || texts.summary || firstPrompt || texts.promptKind;
  if (!summary) return undefined;
  const { sessionId, lastModified, fileSize, archived } = facts;
  const cwd = texts.cwd || facts.projectDirectory;
  return {
    sessionId,
    summary,
    lastModified,
    ...omitUndefined({ fileSize }),
    ...(customTitle ? { customTitle } : {}),
    ...(firstPrompt ? { firstPrompt } : {}),
    ...(gitBranch ? { gitBranch } : {}),
    ...(cwd ? { cwd } : {}),
    ...(tag ? { tag } : {}),
    ...omitUndefined({ createdAt, archived }),
  };
}

/** The row of a session from the edges of its transcript. */
export function rowOfEdges(edges: TranscriptEdges, facts: RowFacts): SDKSessionInfo | undefined {
  const { head, tail } = edges;
  if (head.firstLineHas('isSidechain')) return undefined;
  const createdAt = Date.parse(head.first('timestamp') ?? '');
  const prompt = firstPromptOf(head);
  const texts = {
    customTitle: givenTitle(edges),
    lastPrompt: tail.lastOf('lastPrompt'),
    summary: tail.lastOf('summary'),
    firstPrompt: prompt.text,
    promptKind: prompt.text === '' ? (prompt.kind ?? kindOfCutLine(head.cutLine)) : undefined,
    gitBranch: tail.last('gitBranch') || head.first('gitBranch'),
    cwd: relocatedTo(edges) ?? head.first('cwd'),
    tag: tail.lastOf('tag', isOfType('tag')),
    createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
  };
  return rowOf(texts, facts);
}

/** The git worktree that a session has moved to, with its transcript, or the folder that it came back to. */
export function relocatedTo({ tail }: TranscriptEdges): string | undefined {
  return tail.lastOf('relocatedCwd', ({ relocatedCwd }) => relocatedCwd !== '');
}

/** The title that a fork is named after: the given or generated one, else the first prompt. */
export function titleOf(edges: TranscriptEdges): string | undefined {
  return givenTitle(edges) ?? (firstPromptOf(edges.head).text || undefined);
}

/** True when an edge has a prompt later than `at` (epoch milliseconds). */
export function wasPromptedAfter({ head, tail }: TranscriptEdges, at: number): boolean {
  for (const edge of head === tail ? [tail] : [tail, head]) {
    for (const entry of edge.entriesWith('"timestamp":')) {
      const { timestamp } = entry;
      if (typeof timestamp === 'string' && Date.parse(timestamp) > at && isPromptEntry(entry)) return true;
    }
  }
  return false;
}

const PROGRAM_ENTRYPOINTS = new Set(['sdk-cli', 'sdk-ts', 'sdk-py']);
const DAEMON_KINDS = new Set<unknown>(['daemon', 'daemon-worker']);

/** True for a session that a program started, not somebody at a terminal. */
export function isProgrammatic({ head, tail }: TranscriptEdges): boolean {
  const entrypoint = head.first('entrypoint') ?? tail.first('entrypoint');
  if (entrypoint !== undefined && PROGRAM_ENTRYPOINTS.has(entrypoint)) return true;
  for (const entry of head.entriesWith('"type":')) {
    if (entry.type !== 'user' && entry.type !== 'assistant') continue;
    return DAEMON_KINDS.has(entry.sessionKind);
  }
  return false;
}

/** Counts only in an entry of its own type. `foldSessionSummary` accepts it in any entry. */
function givenTitle({ head, tail }: TranscriptEdges): string | undefined {
  return (
    tail.lastOf('customTitle', isOfType('custom-title')) ||
    head.lastOf('customTitle', isOfType('custom-title')) ||
    tail.lastOf('aiTitle', isOfType('ai-title')) ||
    head.lastOf('aiTitle', isOfType('ai-title')) ||
    undefined
  );
}

function isOfType(type: string): (entry: JsonObject) => boolean {
  return (entry) => entry.type === type;
}

function firstPromptOf(head: EdgeText): FirstPrompt {
  const prompt = new FirstPrompt();
  for (const entry of head.entriesWith('"type":"user"')) {
    prompt.add(entry);
    if (prompt.isFound) break;
  }
  return prompt;
}
