import { invalidArgument } from '../../errors/usage-errors.js';
import type { ToolCallOutcome, ToolCallReaderOptions } from './outcome-types.js';
import { ToolCallReader } from './tool-call-reader.js';

/**
 * What became of each tool call in a list: messages of a run, or entries of a transcript as a session store has them. Calls
 * of sub-agents are included if their messages are in the list. Accepts messages of any shape.
 *
 * @param messages - In the order in which they came or are stored.
 * @param hooks - Inputs of hooks that were called for these calls, in any order.
 * @throws InvalidOptionError when `messages` or `hooks` is not a list.
 *
 * @example
 * const entries = await sessionStore.load({ projectKey, sessionId });
 * const unknown = toolCallOutcomes(entries ?? []).filter(({ kind }) => kind === 'unknown');
 */
export function toolCallOutcomes(
  messages: Iterable<unknown>,
  options: ToolCallReaderOptions & { readonly hooks?: Iterable<unknown> } = {},
): ToolCallOutcome[] {
  const reader = new ToolCallReader(options);
  const { hooks = [] } = options ?? {};
  requireList('messages', messages);
  requireList('hooks', hooks);
  for (const input of hooks) reader.addHook(input);
  for (const message of messages) reader.add(message);
  return reader.outcomes();
}

function requireList(name: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && Symbol.iterator in value) return;
  throw invalidArgument(name, 'toolCallOutcomes() takes lists', value, 'Pass an array.');
}
