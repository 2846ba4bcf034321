import { type SessionStoreEntry, ToolCallReader } from 'claudewire';
import { isPlainObject } from '../job/fields.js';
import type { CallEnd, UnknownCall } from '../redis/job-state.js';

/** What a stored transcript says about the turn of one job. */
export interface StoredTurn {
  /** The job's prompt is in it. */
  readonly hasPrompt: boolean;
  /** The turn reached its end: the text of the answer. */
  readonly answer: string | undefined;
  /** Tool calls of the turn that were cut, or whose result the model has not seen. */
  readonly unknownCalls: readonly UnknownCall[];
  /** Since the last prompt of the job: calls that did not start, of which the model was told that the user refused them. */
  readonly neverStarted: readonly UnknownCall[];
  /** Calls of the whole transcript of which the model knows what became of them. */
  readonly known: ReadonlySet<string>;
}

/** What hooks have recorded about the job's calls. */
export interface CallJournal {
  readonly calls: readonly UnknownCall[];
  readonly ends: ReadonlyMap<string, CallEnd>;
}

/** With these the model had nothing more to say. Others, such as `max_tokens`, leave something to go on with. */
const FINAL = new Set<unknown>(['end_turn', 'stop_sequence']);

/**
 * Reads a transcript as carefully as a text of a stranger. The job's parts of it begin with a prompt that has one of its
 * ids, and end with somebody else's prompt: jobs of one session may take turns while one waits for its retry.
 * @param isOurs - Whether a prompt with this `uuid` was sent for the job.
 */
export function readTurn(
  entries: readonly SessionStoreEntry[],
  isOurs: (uuid: string) => boolean,
  journal: CallJournal = { calls: [], ends: new Map() },
): StoredTurn {
  const reader = readerOf(journal);
  const results = new Set<string>();
  const calls = new Map<string, string>();
  let recent = new Set<string>();
  let hasPrompt = false;
  let isInside = false;
  let answer: string | undefined;
  let answerId: unknown;
  for (const entry of entries) {
    const { type, uuid, message } = entry;
    if (entry.isSidechain === true || !isPlainObject(message)) continue;
    reader.add(entry);
    const blocks = blocksOf(message.content);
    if (type === 'user') {
      const found = blocks.flatMap((block) =>
        block.type === 'tool_result' && typeof block.tool_use_id === 'string' ? [block.tool_use_id] : [],
      );
      for (const id of found) results.add(id);
      if (found.length > 0 || entry.isMeta === true) continue;
      isInside = typeof uuid === 'string' && isOurs(uuid);
      hasPrompt ||= isInside;
      if (isInside) {
        answer = undefined;
        recent = new Set();
      }
    } else if (type === 'assistant' && isInside) {
      for (const { type: kind, id, name } of blocks) {
        if (kind !== 'tool_use' || typeof id !== 'string') continue;
        calls.set(id, typeof name === 'string' ? name : 'a tool');
        recent.add(id);
      }
      // The CLI writes each block of a message as an entry of its own, and an error of the API as if it were an answer.
      const isFinal = FINAL.has(message.stop_reason) && entry.isApiErrorMessage !== true;
      const before = isFinal && answerId === message.id && answerId !== undefined ? (answer ?? '') : '';
      answer = isFinal ? before + textOf(blocks) : undefined;
      answerId = message.id;
    }
  }
  const outcomes = reader.outcomes();
  const known = new Set(
    outcomes.filter(({ kind, result }) => result === 'tool' || NOT_RUN.has(kind)).map(({ id }) => id),
  );
  const ofTurn = [...calls].map(([id, name]) => ({ id, name }));
  const notStarted = new Set(outcomes.filter(({ kind }) => kind === 'never_started').map(({ id }) => id));
  return {
    hasPrompt,
    answer: ofTurn.every(({ id }) => results.has(id)) ? answer : undefined,
    unknownCalls: ofTurn.filter(({ id }) => !known.has(id)),
    neverStarted: ofTurn.filter(({ id }) => recent.has(id) && notStarted.has(id)),
    known,
  };
}

const NOT_RUN: ReadonlySet<string> = new Set(['denied', 'never_started']);

/**
 * That a call was recorded is known before it runs. That one was not recorded proves nothing: a Redis that fails over may
 * lose what it took.
 */
function readerOf({ calls, ends }: CallJournal): ToolCallReader {
  const reader = new ToolCallReader({ hookEvents: ['PostToolUse', 'PostToolUseFailure'] });
  for (const { id } of calls) reader.addHook({ hook_event_name: 'PreToolUse', tool_use_id: id });
  for (const [id, end] of ends) {
    reader.addHook({ hook_event_name: end === 'ran' ? 'PostToolUse' : 'PostToolUseFailure', tool_use_id: id });
  }
  return reader;
}

function blocksOf(content: unknown): readonly Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

function textOf(blocks: readonly Record<string, unknown>[]): string {
  return blocks.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}
