import { appendFileSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { renameSession } from '../../../src/transcripts/change-session.js';
import { appendLines } from '../../../src/transcripts/files/append-line.js';
import { getSessionInfo } from '../../../src/transcripts/list-sessions.js';
import { SESSION, user, useSessionFolder } from './session-folder.js';

/** What another writer does between the look at the end of the file and the write. */
const { meanwhile } = vi.hoisted(() => ({ meanwhile: { run: () => {}, cutTo: Infinity } }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs')>();
  const { promisify } = await import('node:util');
  const before = (bytes: Buffer): Buffer => {
    const run = meanwhile.run;
    meanwhile.run = () => {};
    run();
    return bytes.subarray(0, meanwhile.cutTo);
  };
  return {
    ...fs,
    writeSync: (descriptor: number, bytes: Buffer) => fs.writeSync(descriptor, before(bytes)),
    write: Object.assign(() => {}, {
      [promisify.custom]: async (descriptor: number, bytes: Buffer) => ({
        bytesWritten: fs.writeSync(descriptor, before(bytes)),
      }),
    }),
  };
});

const folder = useSessionFolder();
let path = '';

beforeEach(() => {
  path = join(folder.base, 'lines.jsonl');
  meanwhile.run = () => {};
  meanwhile.cutTo = Infinity;
});

async function append(before: string, text: string) {
  writeFileSync(path, before);
  const descriptor = openSync(path, 'a+');
  try {
    return await appendLines(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

const lines = () => readFileSync(path, 'utf8').split('\n').filter(Boolean);

describe('appendLines', () => {
  test.each([
    ['an empty file', '', 'a\nb\n', { start: 0, end: 4 }],
    ['whole lines', 'x\n', 'a\n', { start: 2, end: 4 }],
    ['an unfinished line', 'x', 'a\n', { start: 1, end: undefined }],
  ])('puts lines behind %s', async (_, before, text, at) => {
    expect(await append(before, text)).toEqual(at);
    expect(lines()).toEqual([...before.split('\n'), ...text.split('\n')].filter(Boolean));
  });

  const long = `${'y'.repeat(100_000)}\n`;
  test.each([
    ['', 'half', 'a\nb\n', ['halfa', 'b', 'a']],
    ['x\n', 'half', 'a\n', ['x', 'halfa', 'a']],
    ['x\n', 'whole\n', 'a\n', ['x', 'whole', 'a']],
    ['x', ' rest\n', 'a\n', ['x rest', 'a']],
    ['x', ' re', 'a\n', ['x re', 'a']],
  ])('after %j and, meanwhile, %j no line is lost', async (before, other, text, expected) => {
    meanwhile.run = () => appendFileSync(path, other);
    expect((await append(before, text)).end).toBeUndefined();
    expect(lines()).toEqual(expected);
  });

  test('nor a long one', async () => {
    meanwhile.run = () => appendFileSync(path, 'half');
    await append('x\n', long);
    expect(lines()).toEqual(['x', `half${long.trim()}`, long.trim()]);
  });

  test.each(['a\n', long])('tells when a part was written', async (text) => {
    meanwhile.cutTo = 1;
    await expect(append('x\n', text)).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});

test('a title is kept when another writer breaks off right before it', async () => {
  const transcript = folder.put([user(1, null, 'hi')]);
  meanwhile.run = () => appendFileSync(transcript, '{"type":"assis');
  await renameSession(SESSION, 'T');
  expect(await getSessionInfo(SESSION)).toMatchObject({ customTitle: 'T' });
});
