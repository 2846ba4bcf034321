import { describe, expect, test, vi } from 'vitest';
import { PromptError } from '../../src/errors.js';
import { PromptPump } from '../../src/query/prompt.js';
import { createDeferred } from '../../src/util/deferred.js';

const user = (text: string) => ({ type: 'user', message: { role: 'user', content: text } });

function harness(options: { room?: () => boolean; drained?: () => Promise<void> } = {}) {
  const sent: object[] = [];
  const onReturnFailed = vi.fn();
  const pump = new PromptPump(
    {
      sendUserMessage(frame) {
        JSON.stringify(frame);
        sent.push(frame);
        return options.room?.() ?? true;
      },
      drained: options.drained ?? (() => Promise.resolve()),
    },
    { transform: (frame) => frame, onReturnFailed },
  );
  return { pump, sent, onReturnFailed };
}

describe('prompt pump', () => {
  test('writes the items of an async iterable, and of a plain array, as the objects they are (TS-083)', async () => {
    const items = [user('one'), user('two')];
    const fromArray = harness();
    await fromArray.pump.run(items);
    const fromGenerator = harness();
    await fromGenerator.pump.run(
      (async function* () {
        yield* items;
      })(),
    );
    expect(fromArray.sent).toEqual(items);
    expect(fromGenerator.sent[0]).toBe(items[0]);
  });

  test('pulls nothing more while the pipe is full', async () => {
    const gate = createDeferred<void>();
    let pulled = 0;
    const { pump, sent } = harness({ room: () => sent.length < 2, drained: () => gate.promise });
    const running = pump.run(
      (async function* () {
        for (; pulled < 5; pulled += 1) yield user(String(pulled));
      })(),
    );
    await expect.poll(() => sent).toHaveLength(2);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulled).toBe(1);
    gate.resolve();
    await running;
    expect(sent).toHaveLength(5);
  });

  test('stop() returns the caller’s iterable, also while it is waiting for its next item', async () => {
    const returned = vi.fn();
    const never = createDeferred<IteratorResult<unknown>>();
    const { pump } = harness();
    void pump.run({
      [Symbol.asyncIterator]: () => ({
        next: () => never.promise,
        return: async () => {
          returned();
          return { value: undefined, done: true as const };
        },
      }),
    });
    pump.stop();
    pump.stop();
    expect(returned).toHaveBeenCalledTimes(1);
  });

  test.each([
    { name: 'a rejecting return()', fail: () => Promise.reject(new Error('no')) },
    {
      name: 'a throwing return()',
      fail: () => {
        throw new Error('no');
      },
    },
  ])('$name is reported and contained', async ({ fail }) => {
    const { pump, onReturnFailed } = harness();
    void pump.run({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise<IteratorResult<unknown>>(() => {}), return: fail }),
    });
    pump.stop();
    await expect.poll(() => onReturnFailed).toHaveBeenCalledTimes(1);
  });

  test('an iterable that throws becomes a PromptError with the caller’s error as its cause', async () => {
    const boom = new Error('boom');
    const { pump, sent } = harness();
    const run = pump.run(
      (async function* () {
        yield user('one');
        throw boom;
      })(),
    );
    await expect(run).rejects.toMatchObject({ name: 'PromptError', errorClass: 'prompt_failed', cause: boom });
    expect(sent).toHaveLength(1);
  });

  test.each([
    { item: null, says: 'null' },
    { item: undefined, says: 'undefined' },
    { item: 'hi', says: 'string "hi"' },
    { item: 5, says: 'number 5' },
    { item: [user('x')], says: 'array of 1' },
  ])('an item that is no object is refused by position and type: $says', async ({ item, says }) => {
    const { pump } = harness();
    const run = pump.run([user('one'), item]);
    await expect(run).rejects.toThrow(PromptError);
    await expect(run).rejects.toThrow(`Prompt item 1 must be a message object`);
    await expect(run).rejects.toThrow(`got ${says}`);
  });

  test('an item that cannot become JSON is named, and the iterable is returned', async () => {
    const circular: Record<string, unknown> = { type: 'user' };
    circular.self = circular;
    let isReturned = false;
    const { pump } = harness();
    const run = pump.run(
      (async function* () {
        try {
          yield circular;
        } finally {
          isReturned = true;
        }
      })(),
    );
    await expect(run).rejects.toThrow(/Prompt item 0 cannot become JSON/);
    await expect.poll(() => isReturned).toBe(true);
  });
});
