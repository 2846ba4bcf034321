import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import type { PromptItems } from './prompt-pump.js';

/**
 * A prompt is a string, an iterable of user messages, or (unless it is for `query()`) nothing yet.
 * @throws InvalidOptionError anything else, which would otherwise hang for ever or be ignored.
 */
export function assertPrompt(
  prompt: unknown,
  front: 'query' | 'client' | 'warm',
): asserts prompt is string | PromptItems | undefined {
  if (typeof prompt === 'string' || (prompt === undefined && front !== 'query')) return;
  const isIterable =
    typeof prompt === 'object' &&
    prompt !== null &&
    (Symbol.asyncIterator in prompt || Symbol.iterator in prompt);
  if (isIterable) return;
  throw new InvalidOptionError(
    'prompt',
    `\`prompt\` must be a string or an iterable of user messages, got ${describeValue(prompt)}`,
  );
}
