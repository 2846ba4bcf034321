import type { SessionStoreEntry } from 'claudewire';
import { isPlainObject } from '../job/fields.js';
import type { UnknownCall } from '../redis/job-state.js';

/** What a stored transcript says about the turn of one job. */
export interface StoredTurn {
  /** The job's prompt is in it. */
  readonly hasPrompt: boolean;
  /** The turn reached its end: the text of the answer. */
  readonly answer: string | undefined;
  /** Tool calls of the turn whose result is not in it. */
  readonly openCalls: readonly UnknownCall[];
  /** Every tool result in the transcript. */
  readonly results: ReadonlySet<string>;
}

/** With these the model had nothing more to say. Others, such as `max_tokens`, leave something to go on with. */
const FINAL = new Set<unknown>(['end_turn', 'stop_sequence']);

/**
 * Reads a transcript as carefully as a text of a stranger. The job's parts of it begin with a prompt that has one of its
 * ids, and end with somebody else's prompt: jobs of one session may take turns while one waits for its retry.
 * @param isOurs - Whether a prompt with this `uuid` was sent for the job.
 */
export function readTurn(entries: readonly SessionStoreEntry[], isOurs: (uuid: string) => boolean): StoredTurn {
  const results = new Set<string>();
  const calls = new Map<string, string>();
  let hasPrompt = false;
  let isInside = false;
  let answer: string | undefined;
  let answerId: unknown;
  for (const entry of entries) {
    const { type, uuid, message } = entry;
    if (entry.isSidechain === true || !isPlainObject(message)) continue;
    const blocks = blocksOf(message.content);
    if (type === 'user') {
      const found = blocks.flatMap((block) =>
        block.type === 'tool_result' && typeof block.tool_use_id === 'string' ? [block.tool_use_id] : [],
      );
      for (const id of found) results.add(id);
      if (found.length > 0 || entry.isMeta === true) continue;
      isInside = typeof uuid === 'string' && isOurs(uuid);
      hasPrompt ||= isInside;
      if (isInside) answer = undefined;
    } else if (type === 'assistant' && isInside) {
      for (const { type: kind, id, name } of blocks) {
        if (kind === 'tool_use' && typeof id === 'string') calls.set(id, typeof name === 'string' ? name : 'a tool');
      }
      // The CLI writes each block of a message as an entry of its own, and an error of the API as if it were an answer.
      const isFinal = FINAL.has(message.stop_reason) && entry.isApiErrorMessage !== true;
      const before = isFinal && answerId === message.id && answerId !== undefined ? (answer ?? '') : '';
      answer = isFinal ? before + textOf(blocks) : undefined;
      answerId = message.id;
    }
  }
  const openCalls = [...calls].filter(([id]) => !results.has(id)).map(([id, name]) => ({ id, name }));
  return { hasPrompt, answer: openCalls.length > 0 ? undefined : answer, openCalls, results };
}

function blocksOf(content: unknown): readonly Record<string, unknown>[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isPlainObject) : [];
}

function textOf(blocks: readonly Record<string, unknown>[]): string {
  return blocks.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}
