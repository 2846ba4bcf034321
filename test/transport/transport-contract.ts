import { afterEach, describe, expect, test } from 'vitest';
import { CLIConnectionError } from '../../src/errors.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import { createReceiver, QUICK_LADDER } from './support.js';

/** A transport whose peer answers every frame with itself and leaves when its input ends. */
export interface ContractSubject {
  readonly name: string;
  readonly createEcho: () => FrameTransport;
  /** A transport whose start fails. */
  readonly createFailing: () => FrameTransport;
  /** A peer that never leaves by itself and reads nothing. */
  readonly createStubborn: () => FrameTransport;
  /** Whether the peer's end carries an exit: not where there never was a process. */
  readonly hasExit: boolean;
}

/** What every {@link FrameTransport} promises. */
export function describeTransportContract(subject: ContractSubject): void {
  const created: FrameTransport[] = [];
  const keep = (transport: FrameTransport): FrameTransport => {
    created.push(transport);
    return transport;
  };
  afterEach(async () => {
    await Promise.all(created.splice(0).map((each) => each.close({ sigtermMs: 0, sigkillMs: 0 })));
  });

  describe(`transport contract: ${subject.name}`, () => {
    test('frames sent right after open arrive in order, and onEnd is called once and last', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      expect(transport.isWritable).toBe(true);
      const sent = Array.from({ length: 500 }, (_, n) => ({ n, text: `grüße 😀 \u2028 ${n}` }));
      for (const frame of sent) transport.send(frame);
      expect(receiver.log).toEqual([]);
      await receiver.frame(({ n }) => n === 499);
      transport.endInput();
      transport.endInput();
      const end = await receiver.end;
      expect(receiver.frames).toEqual(sent);
      expect(receiver.sizes).toEqual(sent.map((frame) => Buffer.byteLength(JSON.stringify(frame))));
      expect(end.error).toBeUndefined();
      expect(end.exit).toEqual(subject.hasExit ? { exitCode: 0, signal: null, stderrTail: '' } : undefined);
      await transport.close();
      await new Promise(setImmediate);
      expect(receiver.log.filter((entry) => entry === 'end')).toHaveLength(1);
      expect(receiver.log.at(-1)).toBe('end');
    });

    test('what was sent before endInput is read by the peer before its input ends', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      transport.send({ n: 1 });
      transport.send({ n: 2 });
      transport.endInput();
      expect(transport.isWritable).toBe(false);
      await receiver.end;
      expect(receiver.frames).toEqual([{ n: 1 }, { n: 2 }]);
    });

    test('send after endInput throws a CLIConnectionError, and drained resolves', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      transport.endInput();
      expect(() => transport.send({})).toThrow(CLIConnectionError);
      await transport.drained();
      await receiver.end;
      expect(() => transport.send({})).toThrow(CLIConnectionError);
      await transport.drained();
    });

    test('send before open throws, and open works once', async () => {
      const transport = keep(subject.createEcho());
      expect(transport.isWritable).toBe(false);
      expect(() => transport.send({})).toThrow(CLIConnectionError);
      const receiver = createReceiver();
      transport.open(receiver);
      expect(() => transport.open(createReceiver())).toThrow(CLIConnectionError);
      transport.endInput();
      await receiver.end;
    });

    test('a frame that cannot become JSON is a TypeError and nothing is written', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      const cycle: Record<string, unknown> = {};
      cycle.self = cycle;
      for (const frame of [cycle, { big: 1n }, { toJSON: () => undefined }]) {
        expect(() => transport.send(frame)).toThrow(TypeError);
      }
      transport.send({ ok: true });
      transport.endInput();
      await receiver.end;
      expect(receiver.frames).toEqual([{ ok: true }]);
      expect(receiver.diagnostics).toEqual([]);
    });

    test('a start that fails is reported by onEnd, after open has returned and sends were taken', async () => {
      const transport = keep(subject.createFailing());
      const receiver = createReceiver();
      transport.open(receiver);
      expect(receiver.log).toEqual([]);
      transport.send({ type: 'initialize' });
      const end = await receiver.end;
      expect(end.error).toBeInstanceOf(Error);
      expect(end.exit).toBeUndefined();
      expect(transport.isWritable).toBe(false);
      expect(receiver.log).toEqual(['end']);
      await transport.close();
      await transport.drained();
    });

    test('while paused no frame comes; after resume all do', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      transport.send({ n: 0 });
      await receiver.frame(({ n }) => n === 0);
      transport.pause();
      transport.pause();
      transport.send({ n: 1 });
      // Long enough for an answer: another peer of the same kind is started, asked, and answers.
      await roundTrip(keep(subject.createEcho()));
      const framesWhilePaused = receiver.frames.length;
      transport.resume();
      transport.resume();
      await receiver.frame(({ n }) => n === 1);
      expect(framesWhilePaused).toBe(1);
      transport.endInput();
      await receiver.end;
    });

    test('after discard no frame comes, and the peer can still leave', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      transport.pause();
      transport.discard();
      for (let n = 0; n < 2000; n += 1) transport.send({ n, text: 'x'.repeat(100) });
      transport.endInput();
      await receiver.end;
      expect(receiver.frames).toEqual([]);
    });

    test('lines that need not be read: the others go on', async () => {
      const transport = keep(subject.createEcho());
      const receiver = createReceiver();
      transport.open(receiver);
      transport.skipLines?.('{"skip":');
      transport.send({ skip: true });
      transport.send({ n: 1, skip: true });
      transport.endInput();
      await receiver.end;
      expect(receiver.frames).toContainEqual({ n: 1, skip: true });
    });

    test('a peer that reads nothing: send says false, and drained resolves when the peer dies', async () => {
      const transport = keep(subject.createStubborn());
      const receiver = createReceiver();
      transport.open(receiver);
      let isTaken = true;
      for (let n = 0; n < 64 && isTaken; n += 1) {
        isTaken = transport.send({ text: 'x'.repeat(64 * 1024) });
      }
      expect(isTaken).toBe(false);
      const drained = transport.drained();
      void transport.close(QUICK_LADDER);
      await drained;
      await receiver.end;
    });

    test('close ends a peer that does not leave, and may be called again with a faster ladder', async () => {
      const transport = keep(subject.createStubborn());
      const receiver = createReceiver();
      transport.open(receiver);
      const slow = transport.close({ sigtermMs: 600_000, sigkillMs: 700_000 });
      const fast = transport.close(QUICK_LADDER);
      await Promise.all([slow, fast, receiver.end]);
      expect(transport.isWritable).toBe(false);
      await transport.close();
    });

    test('close before open: open then reports the end and nothing was started', async () => {
      const transport = keep(subject.createEcho());
      await transport.close();
      const receiver = createReceiver();
      transport.open(receiver);
      expect(receiver.log).toEqual([]);
      expect(await receiver.end).toEqual({});
    });
  });
}

async function roundTrip(transport: FrameTransport): Promise<void> {
  const receiver = createReceiver();
  transport.open(receiver);
  transport.send({ n: 0 });
  await receiver.frame(({ n }) => n === 0);
}
