import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MessageQueue } from '../../../src/query/message-queue.js';
import { FakeFile, TINY, tinyQueue } from './support.js';

type Step =
  | { readonly kind: 'push'; readonly text: string; readonly how: 'line' | 'object' | 'no JSON' }
  | { readonly kind: 'next' | 'hold' | 'release' | 'before' | 'tick' | 'end' | 'fail' | 'abandon' };

interface Message {
  readonly text: string;
  readonly big?: bigint;
}

const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  // Longer than a block.
  fc.string({ minLength: 60, maxLength: 300 }),
);
const push = fc.record({
  kind: fc.constant('push' as const),
  text,
  how: fc.constantFrom('line' as const, 'line' as const, 'object' as const, 'no JSON' as const),
});
const other = fc.record({
  kind: fc.constantFrom(...(['next', 'next', 'next', 'next', 'tick', 'tick', 'hold', 'release', 'before'] as const)),
});
const last = fc.record({ kind: fc.constantFrom('end' as const, 'fail' as const, 'abandon' as const) });

/** What a queue does that is one array. */
class PlainQueue {
  readonly #messages: { readonly message: Message; readonly gate?: { isOpen: boolean } }[] = [];
  readonly #gates: { isOpen: boolean }[] = [];
  #next: { isOpen: boolean } | undefined;
  #taken = 0;

  push(message: Message): void {
    this.#messages.push({ message, ...(this.#next && { gate: this.#next }) });
    this.#next = undefined;
  }

  hold(): void {
    this.#next = { isOpen: false };
    this.#gates.push(this.#next);
  }

  release(index: number): void {
    const gate = this.#gates[index];
    if (gate !== undefined) gate.isOpen = true;
  }

  before(message: Message): void {
    const index = this.#messages.findIndex(({ gate }) => gate?.isOpen === false);
    this.#messages.splice(index === -1 ? this.#messages.length : index, 0, { message });
  }

  /** What `count` calls of `next()` have got by now. */
  serve(count: number): readonly Message[] {
    while (this.#taken < count && this.#taken < this.#messages.length) {
      if (this.#messages[this.#taken]?.gate?.isOpen === false) break;
      this.#taken += 1;
    }
    return this.#messages.slice(0, this.#taken).map(({ message }) => message);
  }
}

test('any interleaving across objects, bytes and file gives what one array would', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: push }, { weight: 2, arbitrary: other }), {
        maxLength: 200,
        size: 'max',
      }),
      last,
      fc.infiniteStream(fc.nat(3)),
      async (steps: readonly Step[], end, delays) => {
        const openSpool = async () => {
          const file = new FakeFile();
          file.before = () => turns(delays.next().value ?? 0);
          return file;
        };
        const { queue, failures } = tinyQueue<Message>({ openSpool });
        const plain = new PlainQueue();
        const results: Promise<IteratorResult<Message, undefined>>[] = [];
        const releases: (() => void)[] = [];
        let released = 0;
        for (const step of steps) {
          switch (step.kind) {
            case 'push':
              pushBoth(queue, plain, step);
              break;
            case 'next':
              results.push(queue.next());
              plain.serve(results.length);
              break;
            case 'hold':
              // A held message follows at once, as in the session.
              releases.push(queue.hold());
              plain.hold();
              pushBoth(queue, plain, { kind: 'push', text: 'held', how: 'line' });
              break;
            case 'release':
              if (released === releases.length) break;
              releases[released]?.();
              plain.release(released);
              released += 1;
              break;
            case 'before':
              // What the array has handed out by now, the tiers have too, once the disk has answered.
              await Promise.all(results.slice(0, plain.serve(results.length).length));
              queue.pushBeforeHeld({ text: 'before' }, 6);
              plain.before({ text: 'before' });
              break;
            case 'tick':
              await turns(2);
          }
          plain.serve(results.length);
        }
        for (; released < releases.length; released += 1) {
          releases[released]?.();
          plain.release(released);
        }
        const expected = plain.serve(results.length);
        if (end.kind === 'abandon') {
          queue.abandon();
          const got = await Promise.all(results);
          const values = got.flatMap((step) => (step.done === true ? [] : [step.value]));
          expect(values).toEqual(expected.slice(0, values.length));
          expect(got.slice(values.length).every(({ done }) => done)).toBe(true);
        } else {
          const error = new Error('the end');
          queue.end(end.kind === 'fail' ? error : undefined);
          const rest = plain.serve(Number.POSITIVE_INFINITY);
          const calls = [...results];
          while (calls.length < rest.length + 2) calls.push(queue.next());
          const got = await Promise.allSettled(calls);
          expect(got.slice(0, rest.length).map((step) => step.status === 'fulfilled' && step.value.value)).toEqual(
            rest,
          );
          expect(got.slice(rest.length).map(({ status }) => status)).toEqual(
            got.slice(rest.length).map((_, index) => (end.kind === 'fail' && index === 0 ? 'rejected' : 'fulfilled')),
          );
        }
        expect(queue.queuedBytes).toBe(0);
        expect(failures).toEqual([]);
        expect(await queue.next()).toEqual({ value: undefined, done: true });
      },
    ),
    { numRuns: 150, timeout: 30_000 },
  );
}, 60_000);

function pushBoth(
  queue: MessageQueue<Message>,
  plain: PlainQueue,
  { text, how }: Extract<Step, { kind: 'push' }>,
): void {
  const message = how === 'no JSON' ? { text, big: 1n } : { text };
  const line = how === 'line' ? JSON.stringify(message) : undefined;
  queue.push(message, line === undefined ? text.length : Buffer.byteLength(line), line);
  plain.push(message);
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

test('the property meets every tier', async () => {
  const file = new FakeFile();
  const { queue, spooled } = tinyQueue<Message>({ openSpool: async () => file });
  for (let n = 0; n < 100; n += 1) queue.push({ text: `message ${n}` }, TINY.blockBytes / 4);
  await turns(50);
  for (let n = 0; n < 100; n += 1) await queue.next();
  expect(spooled.count).toBe(1);
  expect(file.calls.write).toBeGreaterThan(10);
  expect(file.calls.read).toBeGreaterThan(10);
  expect(file.calls.close).toBe(1);
});
