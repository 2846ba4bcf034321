import type { ToolCallOutcome, ToolCallReaderOptions } from './outcome-types.js';
import { ToolCallReader } from './tool-call-reader.js';

/**
 * What became of each tool call in a list: messages of a run, or entries of a transcript as a session store has them. Calls
 * of sub-agents are in it where their messages are. Never throws.
 *
 * @param messages - In the order in which they came or are stored.
 * @param hooks - Inputs of hooks that were called for these calls, in any order.
 *
 * @example
 * const entries = await sessionStore.load({ projectKey, sessionId });
 * const unknown = toolCallOutcomes(entries ?? []).filter(({ kind }) => kind === 'unknown');
 */
export function toolCallOutcomes(
  messages: Iterable<unknown>,
  { hooks = [], ...options }: ToolCallReaderOptions & { readonly hooks?: Iterable<unknown> } = {},
): ToolCallOutcome[] {
  const reader = new ToolCallReader(options);
  for (const input of hooks) reader.addHook(input);
  for (const message of messages) reader.add(message);
  return reader.outcomes();
}
