import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type ChunkReader, readChildOutput, readStream } from '../../src/transport/chunk-reader.js';
import { StderrTail } from '../../src/transport/process-transport.js';
import { createDeferred } from '../../src/util/deferred.js';

/** Writes as many bytes, each the low byte of its position, and exits. */
const WRITER = `
  const bytes = Buffer.alloc(Number(process.argv[1]));
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = at;
  for (let at = 0; at < bytes.length; ) at += require('fs').writeSync(1, bytes, at);
`;

function startWriter(bytes: number): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ['-e', WRITER, String(bytes)], { stdio: ['ignore', 'pipe', 'ignore'] });
}

function expected(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => at & 0xff));
}

/** Copies of the chunks; `ended` resolves with all of them. */
function collect(read: typeof readStream, stream: Readable, onFirst: (reader: ChunkReader) => void = () => {}) {
  const chunks: Buffer[] = [];
  let reader: ChunkReader | undefined;
  const ended = new Promise<Buffer>((resolve, reject) => {
    reader = read(stream, {
      onChunk(chunk) {
        chunks.push(Buffer.from(chunk));
        if (chunks.length === 1 && reader !== undefined) onFirst(reader);
      },
      onEnd: (error) => (error === undefined ? resolve(Buffer.concat(chunks)) : reject(error)),
    });
  });
  if (reader === undefined) throw new Error('no reader');
  return { chunks, ended, reader };
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const READERS = { readStream, readChildOutput };

describe.each(Object.entries(READERS))('%s', (_, read) => {
  test.each([0, 1, 65_535, 65_536, 65_537, 1_000_000])(
    '%d bytes arrive in order, then the end, once',
    async (length) => {
      const child = startWriter(length);
      const closed = once(child, 'close');
      expect((await collect(read, child.stdout).ended).equals(expected(length))).toBe(true);
      // The child's own event waits for its streams.
      await closed;
    },
  );

  test('the end comes once, though the whole output and its end lay in a paused stream', async () => {
    const child = startWriter(65_536);
    const closed = once(child, 'close');
    let ends = 0;
    const first = createDeferred<void>();
    const reader = read(child.stdout, {
      onChunk: () => {},
      onEnd: () => {
        ends += 1;
        first.resolve();
      },
    });
    reader.pause();
    await once(child, 'exit');
    await someTurns();
    reader.resume();
    await first.promise;
    await closed;
    await someTurns();
    expect(ends).toBe(1);
  });

  test('nothing comes after a pause at the first chunk until reading goes on', async () => {
    const child = startWriter(1_000_000);
    const first = createDeferred<ChunkReader>();
    const { chunks, ended } = collect(read, child.stdout, (reader) => {
      reader.pause();
      first.resolve(reader);
    });
    const reader = await first.promise;
    await someTurns();
    expect(chunks).toHaveLength(1);
    reader.resume();
    expect((await ended).equals(expected(1_000_000))).toBe(true);
  });

  test('a pause after the first 64 KiB holds too', async () => {
    const child = startWriter(3_000_000);
    let bytes = 0;
    let pausedAt: number | undefined;
    const paused = createDeferred<void>();
    const ended = createDeferred<void>();
    const reader = read(child.stdout, {
      onChunk(chunk) {
        bytes += chunk.length;
        if (bytes < 1_000_000 || pausedAt !== undefined) return;
        pausedAt = bytes;
        reader.pause();
        paused.resolve();
      },
      onEnd: () => ended.resolve(),
    });
    await paused.promise;
    await someTurns();
    expect(bytes).toBe(pausedAt);
    reader.resume();
    await ended.promise;
    expect(bytes).toBe(3_000_000);
  });

  test('destroyed in a chunk, it delivers nothing more and ends', async () => {
    const child = startWriter(1_000_000);
    const { chunks, ended } = collect(read, child.stdout, (reader) => reader.destroy());
    await ended;
    await someTurns();
    expect(chunks).toHaveLength(1);
    child.kill('SIGKILL');
  });
});

test('whoever reads the stream too, and resumes it, gets each byte once', async () => {
  const child = startWriter(60_000);
  const { ended, reader } = collect(readStream, child.stdout);
  reader.pause();
  const seen: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => seen.push(chunk));
  child.stdout.resume();
  expect((await ended).equals(expected(60_000))).toBe(true);
  expect(Buffer.concat(seen).equals(expected(60_000))).toBe(true);
});

test('what the own child has left in its pipe waits while reading is paused, and so does the end', async () => {
  const child = startWriter(40_000);
  const { chunks, ended, reader } = collect(readChildOutput, child.stdout);
  reader.pause();
  const closed = once(child, 'close');
  await closed;
  await someTurns();
  expect(chunks).toEqual([]);
  reader.resume();
  expect((await ended).equals(expected(40_000))).toBe(true);
});

test('the own child is forgotten by destroy() while its rest waits', async () => {
  const child = startWriter(40_000);
  const { chunks, ended, reader } = collect(readChildOutput, child.stdout);
  reader.pause();
  await once(child, 'close');
  reader.destroy();
  await ended;
  expect(chunks).toEqual([]);
});

describe('stderr', () => {
  async function readAll(chunks: readonly Buffer[]): Promise<{ texts: string[]; tail: string }> {
    const stream = new PassThrough();
    const texts: string[] = [];
    const ended = createDeferred<void>();
    const tail = new StderrTail(stream, {
      onText: (text) => texts.push(text),
      onDiagnostic: () => {},
      onEnd: () => ended.resolve(),
    });
    for (const chunk of chunks) stream.write(chunk);
    stream.end();
    await ended.promise;
    return { texts, tail: tail.text };
  }

  test('a character that is split between two chunks comes whole, with the second', async () => {
    const bytes = Buffer.from('a€b');
    const chunks = [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2)];
    expect(await readAll(chunks)).toEqual({ texts: ['a', '€b'], tail: 'a€b' });
  });

  test('nothing is told after the end, also when half a character was left', () => {
    const stream = new PassThrough();
    const texts: string[] = [];
    let hasEnded = false;
    new StderrTail(stream, {
      onText: (text) => texts.push(hasEnded ? `late: ${text}` : text),
      onDiagnostic: () => {},
      onEnd: () => {
        hasEnded = true;
      },
    });
    stream.emit('data', Buffer.from('a€').subarray(0, 3));
    stream.destroy();
    stream.emit('close');
    expect([texts, hasEnded]).toEqual([['a'], true]);
  });

  test('half a character at the end is shown as one that is unknown', async () => {
    const euro = Buffer.from('a€').subarray(0, 3);
    expect(await readAll([euro])).toEqual({ texts: ['a', '\ufffd'], tail: 'a\ufffd' });
  });
});
