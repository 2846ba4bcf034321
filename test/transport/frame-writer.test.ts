import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CLIConnectionError } from '../../src/errors.js';
import { FrameWriter } from '../../src/transport/frame-writer.js';

/** A pipe that takes a write only when it is told to. */
function createPipe(options: { readonly isStuck?: boolean; readonly highWaterMark?: number } = {}) {
  const writes: string[] = [];
  const waiting: (() => void)[] = [];
  const stdin = new Writable({
    highWaterMark: options.highWaterMark ?? 1024,
    write: (chunk: Buffer, _encoding, done) => {
      writes.push(chunk.toString());
      if (options.isStuck === true) waiting.push(done);
      else done();
    },
  });
  return { stdin, writes, takeAll: () => waiting.splice(0).forEach((done) => void done()) };
}

const nextTurn = (): Promise<void> => new Promise(setImmediate);

describe('frame writer', () => {
  test('what one tick sends leaves in one write, in order', async () => {
    const { stdin, writes } = createPipe();
    const writer = new FrameWriter(stdin);
    for (const n of [1, 2, 3]) writer.send({ n });
    expect(writes).toEqual([]);
    await nextTurn();
    writer.send({ n: 4 });
    await nextTurn();
    expect(writes).toEqual(['{"n":1}\n{"n":2}\n{"n":3}\n', '{"n":4}\n']);
  });

  test('above 64 KiB it does not wait for the end of the tick', () => {
    const { stdin, writes } = createPipe();
    const writer = new FrameWriter(stdin);
    writer.send({ text: 'x'.repeat(64 * 1024) });
    expect(writes).toHaveLength(1);
  });

  test('frames of any size sent in any rhythm arrive whole and in order (PY-091)', async () => {
    const step = fc.oneof(fc.constant('turn' as const), fc.nat(90_000));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { stdin, writes } = createPipe();
        const writer = new FrameWriter(stdin);
        const sent: object[] = [];
        for (const each of steps) {
          if (each === 'turn') await nextTurn();
          else {
            sent.push({ n: sent.length, text: 'x'.repeat(each) });
            writer.send(sent.at(-1) ?? {});
          }
        }
        writer.end();
        await nextTurn();
        const lines = writes.join('').split('\n').slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(sent);
      }),
      { numRuns: 30 },
    );
  });

  test('a full pipe makes send say false until it has drained', async () => {
    const { stdin, takeAll } = createPipe({ isStuck: true });
    const writer = new FrameWriter(stdin);
    expect(writer.send({ text: 'x'.repeat(70_000) })).toBe(false);
    expect(writer.send({ n: 1 })).toBe(false);
    let isDrained = false;
    const drained = writer.drained().then(() => {
      isDrained = true;
    });
    await nextTurn();
    expect(isDrained).toBe(false);
    for (let round = 0; round < 3; round += 1) {
      takeAll();
      await nextTurn();
    }
    await drained;
    expect(writer.send({ n: 2 })).toBe(true);
    await writer.drained();
  });

  const ends = [
    { name: 'the pipe breaks', end: (stdin: Writable) => stdin.destroy(new Error('EPIPE')) },
    { name: 'the pipe is destroyed', end: (stdin: Writable) => stdin.destroy() },
    { name: 'the input ends', end: (_: Writable, writer: FrameWriter) => writer.end() },
    { name: 'the peer goes', end: (_: Writable, writer: FrameWriter) => writer.close('gone') },
  ];
  for (const { name, end } of ends) {
    test(`drained resolves and send throws when ${name}`, async () => {
      const { stdin } = createPipe({ isStuck: true });
      const writer = new FrameWriter(stdin);
      writer.send({ text: 'x'.repeat(70_000) });
      const drained = writer.drained();
      end(stdin, writer);
      await drained;
      expect(writer.isWritable).toBe(false);
      expect(() => writer.send({})).toThrow(CLIConnectionError);
      await writer.drained();
      writer.end();
    });
  }

  test('a failed write is named with its cause (PY-094), input that ended is not ready (PY-092)', async () => {
    const broken = new FrameWriter(new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }));
    broken.send({});
    await nextTurn();
    expect(() => broken.send({})).toThrow(/^Failed to write to process stdin: EPIPE$/);
    const ended = new FrameWriter(createPipe().stdin);
    ended.end();
    expect(() => ended.send({})).toThrow(/^ProcessTransport is not ready for writing$/);
  });

  test('a stream that throws on write or end ends the input and nothing else', async () => {
    const stdin = createPipe().stdin;
    stdin.write = () => {
      throw new Error('broken stream');
    };
    const writer = new FrameWriter(stdin);
    writer.send({});
    await nextTurn();
    expect(() => writer.send({})).toThrow('broken stream');
    const unendable = createPipe().stdin;
    unendable.end = () => {
      throw new Error('no end');
    };
    new FrameWriter(unendable).end();
  });
});
