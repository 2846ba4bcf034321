import { afterEach, describe, expect, test, vi } from 'vitest';
import { FrameTooLargeError } from '../../src/errors.js';
import { createReceiver } from '../transport/support.js';
import { createMemoryPair, type MemoryPairOptions } from './memory-pair.js';

afterEach(() => vi.useRealTimers());

function open(options: MemoryPairOptions = {}) {
  const { transport, peer } = createMemoryPair(options);
  const receiver = createReceiver();
  transport.open(receiver);
  return { transport, peer, receiver };
}

const nextTurn = (): Promise<void> => new Promise(setImmediate);

describe('memory pair', () => {
  test('the peer sees what was sent as frames of its own', async () => {
    const { transport, peer } = open();
    const frame = { a: [1], skipped: undefined };
    transport.send(frame);
    expect(peer.received).toEqual([]);
    await nextTurn();
    expect(peer.received).toStrictEqual([{ a: [1] }]);
    transport.endInput();
    await nextTurn();
    expect(peer.hasInputEnded).toBe(true);
  });

  test('bytes may be cut anywhere and be garbage', async () => {
    const { peer, receiver } = open();
    const bytes = Buffer.from('{"text":"😀"}\nnoise\n');
    for (const byte of bytes) peer.emitBytes(Buffer.of(byte));
    peer.exit();
    await receiver.end;
    expect(receiver.log).toEqual(['frame', 'line_not_json', 'end']);
  });

  const ends = [
    { name: 'an exit code', exit: { exitCode: 3 }, seen: { exitCode: 3, signal: null, stderrTail: '' } },
    { name: 'a signal', exit: { signal: 'SIGTERM' }, seen: { exitCode: null, signal: 'SIGTERM', stderrTail: '' } },
    {
      name: 'stderr',
      exit: { exitCode: 1, stderrTail: ' oops\n' },
      seen: { exitCode: 1, signal: null, stderrTail: 'oops' },
    },
  ] as const;
  for (const { name, exit, seen } of ends) {
    test(`it ends with ${name}, after what was emitted before`, async () => {
      const { peer, receiver } = open();
      peer.emit({ n: 1 });
      peer.exit(exit);
      peer.exit({ exitCode: 99 });
      expect(await receiver.end).toEqual({ exit: seen });
      expect(receiver.log).toEqual(['frame', 'end']);
    });
  }

  test('it ends with an error', async () => {
    const { peer, receiver } = open();
    const error = new Error('link lost');
    peer.fail(error);
    expect(await receiver.end).toEqual({ error });
  });

  test('a line over the limit is a FrameTooLargeError', async () => {
    const { peer, receiver } = open({ maxBufferBytes: 10, exitsOnEndOfInput: false });
    peer.emit({ text: '0123456789' });
    expect((await receiver.end).error).toBeInstanceOf(FrameTooLargeError);
    expect(peer.signals).toEqual(['SIGTERM']);
  });

  test('the ladder runs on the clock of the test', async () => {
    vi.useFakeTimers();
    const { transport, peer, receiver } = open({ exitsOnEndOfInput: false, ignoredSignals: ['SIGTERM'] });
    const closed = transport.close();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(peer.signals).toEqual(['SIGTERM']);
    await vi.advanceTimersByTimeAsync(5_000);
    await closed;
    expect(peer.signals).toEqual(['SIGTERM', 'SIGKILL']);
    expect((await receiver.end).exit?.signal).toBe('SIGKILL');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a peer that outlives its output is ended after the grace', async () => {
    vi.useFakeTimers();
    const { peer, receiver } = open({ exitsOnEndOfInput: false, exitGraceMs: 60_000 });
    peer.endOutput();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(peer.hasInputEnded).toBe(true);
    expect(peer.signals).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(peer.signals).toEqual(['SIGTERM']);
    expect((await receiver.end).exit?.signal).toBe('SIGTERM');
  });

  test('a process that not even SIGKILL ends is given up with an error', async () => {
    vi.useFakeTimers();
    const { transport, receiver } = open({ exitsOnEndOfInput: false, ignoredSignals: ['SIGTERM', 'SIGKILL'] });
    void transport.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await receiver.end).error).toMatchObject({ errorClass: 'process_error' });
  });

  test('a full pipe drains when the peer reads again', async () => {
    const { transport, peer } = open();
    peer.stopReading();
    while (transport.send({ text: 'x'.repeat(10_000) })) await nextTurn();
    const drained = transport.drained();
    await nextTurn();
    expect(peer.received).toEqual([]);
    peer.startReading();
    await drained;
    expect(peer.received.length).toBeGreaterThan(0);
  });
});
