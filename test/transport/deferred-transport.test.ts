import { describe, expect, test, vi } from 'vitest';
import { DeferredTransport } from '../../src/transport/deferred-transport.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import { createDeferred } from '../../src/util/deferred.js';
import { createMemoryPair } from '../helpers/memory-pair.js';
import { createReceiver } from './support.js';

function setUp() {
  const prepared = createDeferred<FrameTransport>();
  const receiver = createReceiver();
  const { transport: inner, peer } = createMemoryPair();
  let signal: AbortSignal | undefined;
  const transport = new DeferredTransport((given) => {
    signal = given;
    return prepared.promise;
  });
  return {
    transport,
    inner,
    receiver,
    peer,
    prepare: () => prepared.resolve(inner),
    fail: (error: unknown) => prepared.reject(error),
    signal: () => signal,
  };
}

describe('deferred transport', () => {
  test('what is sent early arrives in order, as it was when it was sent', async () => {
    const { transport, receiver, peer, prepare } = setUp();
    transport.open(receiver);
    const changing = { n: 1 };
    transport.send(changing);
    changing.n = 99;
    transport.send({ n: 2 });
    prepare();
    await transport.started;
    transport.send({ n: 3 });
    transport.endInput();
    await receiver.end;
    expect(peer.received).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });

  test('it is full at 64 KiB, and drained when the peer has it', async () => {
    const { transport, receiver, prepare } = setUp();
    transport.open(receiver);
    expect(transport.send({ text: 'x'.repeat(60_000) })).toBe(true);
    await transport.drained();
    expect(transport.send({ text: 'x'.repeat(60_000) })).toBe(false);
    let isDrained = false;
    const drained = transport.drained().then(() => {
      isDrained = true;
    });
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    prepare();
    await drained;
    transport.endInput();
    await receiver.end;
  });

  test('closed while it is prepared: the signal aborts, and what comes of it is closed unopened', async () => {
    const { transport, inner, receiver, prepare, signal } = setUp();
    const closeInner = vi.spyOn(inner, 'close');
    const openInner = vi.spyOn(inner, 'open');
    transport.open(receiver);
    await new Promise(setImmediate);
    const closed = transport.close();
    expect(signal()?.aborted).toBe(true);
    expect(transport.isWritable).toBe(false);
    expect(() => transport.send({})).toThrow('not ready');
    prepare();
    await closed;
    expect(await receiver.end).toEqual({});
    expect(closeInner).toHaveBeenCalledTimes(1);
    expect(openInner).not.toHaveBeenCalled();
    await transport.started;
  });

  test('closed while it is prepared: a failure that follows is no news', async () => {
    const { transport, receiver, fail } = setUp();
    transport.open(receiver);
    await new Promise(setImmediate);
    void transport.close();
    fail(new Error('cancelled'));
    expect(await receiver.end).toEqual({});
  });

  test('closed in the tick it was opened in: it is not prepared at all', async () => {
    const { transport, receiver, signal } = setUp();
    transport.open(receiver);
    await transport.close();
    expect(await receiver.end).toEqual({});
    expect(signal()).toBeUndefined();
  });

  test.each([
    ['an error', new RangeError('down'), RangeError],
    ['anything else', 'down', Error],
  ])('%s that preparing throws is the end', async (_, thrown, type) => {
    const { transport, receiver, fail } = setUp();
    transport.open(receiver);
    fail(thrown);
    const { error } = await receiver.end;
    expect(error).toBeInstanceOf(type);
    expect(error?.message).toContain('down');
    await transport.close();
    await transport.drained();
  });

  test('paused before the peer is there: no frame comes until it is resumed', async () => {
    const { transport, receiver, peer, prepare } = setUp();
    transport.open(receiver);
    transport.pause();
    prepare();
    await transport.started;
    peer.emit({ n: 1 });
    await new Promise(setImmediate);
    expect(receiver.frames).toEqual([]);
    transport.resume();
    await receiver.frame(({ n }) => n === 1);
    transport.endInput();
    await receiver.end;
  });
});
