import type { SDKUserMessage } from '../../src/index.js';
import type { Random } from './random.js';

/** What the program gives as its prompt. */
export interface PromptKind {
  readonly name: string;
  /** How many messages the CLI gets; `undefined`: it depends, and the run may not end by itself. */
  readonly messages: number | undefined;
  make(context: PromptContext): string | AsyncIterable<SDKUserMessage>;
}

export interface PromptContext {
  readonly random: Random;
  readonly wait: (ms: number) => Promise<void>;
  /** Thrown by a prompt that throws. */
  readonly ownError: Error;
}

export const userMessage = (content: unknown = 'Go.'): SDKUserMessage =>
  ({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null }) as SDKUserMessage;

const iterable = (
  name: string,
  messages: number | undefined,
  make: (context: PromptContext) => AsyncGenerator<unknown>,
): PromptKind => ({ name, messages, make: (context) => make(context) as AsyncGenerator<never> });

export const PROMPTS: readonly PromptKind[] = [
  { name: 'text', messages: 1, make: () => 'Go.' },
  { name: 'odd text', messages: 1, make: () => '/clear @x \u2028 \ud800 "\n' },
  iterable('one message', 1, async function* () {
    yield userMessage();
  }),
  iterable('three messages', 3, async function* ({ wait }) {
    for (const _ of [1, 2, 3]) {
      yield userMessage();
      await wait(100);
    }
  }),
  iterable('forty messages at once', 40, async function* () {
    for (let count = 0; count < 40; count += 1) yield userMessage();
  }),
  iterable('a message of 1 MB', 1, async function* () {
    yield userMessage('x'.repeat(2 ** 20));
  }),
  iterable('nothing', 0, async function* () {}),
  iterable('a throw after one', undefined, async function* ({ ownError }) {
    yield userMessage();
    throw ownError;
  }),
  iterable('a stall after one', undefined, async function* () {
    yield userMessage();
    await new Promise(() => {});
  }),
  iterable('a late second message', 2, async function* ({ wait }) {
    yield userMessage();
    await wait(9_000);
    yield userMessage();
  }),
  iterable('misshapen messages', undefined, async function* ({ random }) {
    yield userMessage();
    yield random.pick<unknown>([null, undefined, 7, 'x', [], {}, { type: 'user', n: 1n }]);
  }),
  {
    name: 'an iterator whose return() throws',
    messages: undefined,
    make: ({ ownError }) => custom(async () => Promise.reject(ownError)),
  },
  { name: 'an iterator whose return() hangs', messages: undefined, make: () => custom(() => new Promise(() => {})) },
];

/** One message, then a wait for ever, and this `return()`. */
function custom(onReturn: () => Promise<never>): AsyncIterable<SDKUserMessage> {
  let count = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        count += 1;
        if (count === 1) return Promise.resolve({ done: false, value: userMessage() });
        return new Promise(() => {});
      },
      return: onReturn,
    }),
  };
}
