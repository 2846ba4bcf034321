import { afterEach, describe, expect, test, vi } from 'vitest';
import { CLIConnectionError } from '../../src/errors.js';
import { adaptTransport, type TransportLike } from '../../src/transport/pull-adapter.js';
import { createDeferred } from '../../src/util/deferred.js';
import { createReceiver } from './support.js';

afterEach(() => vi.useRealTimers());

/** A connection that records what is asked of it and ends when it is told to. */
function createFake(overrides: Partial<TransportLike> = {}) {
  const calls: string[] = [];
  const finished = createDeferred<void>();
  const transport: TransportLike = {
    write: (data) => void calls.push(`write ${data.trimEnd()}`),
    readMessages: () => endsWhen(finished.promise),
    endInput: () => void calls.push('endInput'),
    isReady: () => true,
    close: () => {
      calls.push('close');
      finished.resolve();
    },
    ...overrides,
  };
  return { transport, calls, finished };
}

/** No messages, then the end, or the error, of a promise. */
async function* endsWhen(finished: Promise<void>): AsyncGenerator<unknown> {
  yield* [];
  await finished;
}

function open(transport: TransportLike) {
  const receiver = createReceiver();
  const adapted = adaptTransport(transport);
  adapted.open(receiver);
  return { adapted, receiver };
}

const nextTurn = (): Promise<void> => new Promise(setImmediate);

describe('pull adapter', () => {
  test('writes wait for connect, and then go out one frame at a time, in order', async () => {
    const connected = createDeferred<void>();
    const first = createDeferred<void>();
    const { transport, calls } = createFake({ connect: () => connected.promise });
    const write = transport.write;
    transport.write = (data) => {
      void write(data);
      return data.includes('1') ? first.promise : undefined;
    };
    const { adapted } = open(transport);
    for (const n of [1, 2, 3]) adapted.send({ n });
    await nextTurn();
    expect(calls).toEqual([]);
    connected.resolve();
    await nextTurn();
    expect(calls).toEqual(['write {"n":1}']);
    first.resolve();
    await nextTurn();
    expect(calls).toEqual(['write {"n":1}', 'write {"n":2}', 'write {"n":3}']);
    await adapted.close();
    expect(calls.slice(3)).toEqual(['endInput', 'close']);
  });

  test('frames reach the receiver with the size of their line; other values are reported', async () => {
    const { transport } = createFake({
      readMessages: async function* () {
        yield { text: 'é' };
        yield null;
        yield 'text';
        yield [1];
      },
    });
    const { receiver } = open(transport);
    expect(await receiver.end).toEqual({});
    expect(receiver.frames).toEqual([{ text: 'é' }]);
    expect(receiver.sizes).toEqual([13]);
    expect(receiver.log).toEqual(['frame', 'line_not_object', 'line_not_object', 'line_not_object', 'end']);
  });

  const failures: readonly { readonly name: string; readonly broken: Partial<TransportLike> }[] = [
    { name: 'connect rejects', broken: { connect: () => Promise.reject(new Error('broken')) } },
    {
      name: 'connect throws',
      broken: {
        connect: () => {
          throw new Error('broken');
        },
      },
    },
    {
      name: 'readMessages throws at once',
      broken: {
        readMessages: () => {
          throw new Error('broken');
        },
      },
    },
    {
      name: 'readMessages throws later',
      broken: { readMessages: () => endsWhen(nextTurn().then(() => Promise.reject(new Error('broken')))) },
    },
    {
      name: 'write throws',
      broken: {
        write: () => {
          throw new Error('broken');
        },
      },
    },
    { name: 'write rejects', broken: { write: () => Promise.reject(new Error('broken')) } },
  ];
  for (const { name, broken } of failures) {
    test(`${name}: the session ends with that error and the connection is closed`, async () => {
      const { transport, calls } = createFake(broken);
      const { adapted, receiver } = open(transport);
      adapted.send({ n: 1 });
      const { error } = await receiver.end;
      expect(error).toBeInstanceOf(CLIConnectionError);
      expect(error).toMatchObject({ cause: { message: 'broken' } });
      expect(calls).toContain('close');
      expect(adapted.isWritable).toBe(false);
      expect(() => adapted.send({})).toThrow(CLIConnectionError);
      await adapted.drained();
      await adapted.close();
    });
  }

  test('an iterator whose result is not an object ends the session with an error', async () => {
    const { transport } = createFake({
      readMessages: () => ({ [Symbol.asyncIterator]: () => ({ next: async () => 5 as never }) }),
    });
    const { receiver } = open(transport);
    const { error } = await receiver.end;
    expect(error).toBeInstanceOf(CLIConnectionError);
    expect(error?.message).toContain('next() must resolve to an object, got number 5');
  });

  test('a long run of messages that are there at once lets the event loop turn', async () => {
    const { transport } = createFake({
      readMessages: async function* () {
        for (let n = 0; n < 10_000; n += 1) yield null;
      },
    });
    const { receiver } = open(transport);
    const first = await Promise.race([nextTurn().then(() => 'turn'), receiver.end.then(() => 'end')]);
    expect(first).toBe('turn');
    await receiver.end;
  });

  test('while paused the next message is not pulled', async () => {
    let pulled = 0;
    const { transport } = createFake({
      readMessages: async function* () {
        for (;;) {
          pulled += 1;
          yield { pulled };
          await nextTurn();
        }
      },
    });
    const { adapted, receiver } = open(transport);
    await receiver.frame((frame) => frame.pulled === 2);
    adapted.pause();
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    const pulledWhilePaused = pulled;
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(pulled).toBe(pulledWhilePaused);
    adapted.resume();
    await receiver.frame((frame) => frame.pulled === pulledWhilePaused + 2);
    adapted.discard();
    const delivered = receiver.frames.length;
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(receiver.frames.length).toBe(delivered);
    await adapted.close({ sigtermMs: 0 });
  });

  test('much unwritten text makes send say false until it is written', async () => {
    const written = createDeferred<void>();
    const { transport } = createFake({ write: () => written.promise });
    const { adapted } = open(transport);
    await nextTurn();
    const text = 'x'.repeat(50_000);
    expect([1, 2, 3].map((n) => adapted.send({ n, text }))).toEqual([true, true, false]);
    let isDrained = false;
    const drained = adapted.drained().then(() => {
      isDrained = true;
    });
    await nextTurn();
    expect(isDrained).toBe(false);
    written.resolve();
    await drained;
    expect(adapted.send({ n: 4 })).toBe(true);
    await adapted.close();
  });

  test('a connection that is not ready takes no frames; isReady that throws means no', async () => {
    const { transport } = createFake();
    const { adapted } = open(transport);
    await nextTurn();
    transport.isReady = () => false;
    expect(() => adapted.send({})).toThrow(CLIConnectionError);
    transport.isReady = () => {
      throw new Error('unknown');
    };
    expect(adapted.isWritable).toBe(false);
    await adapted.close();
  });

  test('close is bounded although nothing of the connection ever settles', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const never = (): Promise<void> => new Promise(() => {});
    const calls: string[] = [];
    const { adapted, receiver } = open({
      write: never,
      readMessages: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never() as never }) }),
      endInput: never,
      isReady: () => true,
      close: () => {
        calls.push('close');
        return never();
      },
    });
    await nextTurn();
    adapted.send({});
    const closed = adapted.close({ sigtermMs: 2_000, sigkillMs: 7_000 });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual(['close']);
    expect(receiver.log).toEqual([]);
    await vi.advanceTimersByTimeAsync(6_000);
    await closed;
    expect(await receiver.end).toEqual({});
    expect(calls).toEqual(['close']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('what endInput and close throw is contained; errors that closing causes are no errors', async () => {
    const { transport, finished } = createFake({
      endInput: () => {
        throw new Error('endInput');
      },
      close: () => {
        finished.reject(new Error('reading stopped'));
        throw new Error('close');
      },
    });
    const { adapted, receiver } = open(transport);
    await nextTurn();
    await adapted.close();
    expect(await receiver.end).toEqual({});
  });

  test('a connection that ends by itself is closed, once', async () => {
    const { transport, calls, finished } = createFake();
    const { adapted, receiver } = open(transport);
    finished.resolve();
    expect(await receiver.end).toEqual({});
    await adapted.close();
    expect(calls).toEqual(['close']);
  });

  test('a message that cannot be measured is delivered all the same', async () => {
    const { transport } = createFake({
      readMessages: async function* () {
        yield { big: 1n };
      },
    });
    const { receiver } = open(transport);
    await receiver.end;
    expect(receiver.frames).toEqual([{ big: 1n }]);
    expect(receiver.sizes).toEqual([0]);
  });
});
