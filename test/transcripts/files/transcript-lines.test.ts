import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type LinesOptions, transcriptLines } from '../../../src/transcripts/files/transcript-lines.js';
import '../../helpers/property-seed.js';

const folder = mkdtempSync(join(tmpdir(), 'lines-'));
const path = join(folder, 'file');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function linesOf(content: string | Buffer, options: LinesOptions = {}) {
  writeFileSync(path, content);
  const lines: { text: string; offset: number; end: number }[] = [];
  const file = await open(path);
  try {
    for await (const { lines: batch, end } of transcriptLines(file, options)) {
      for (const { bytes, offset } of batch) {
        lines.push({ text: bytes.toString('latin1'), offset, end });
      }
    }
  } finally {
    await file.close();
  }
  return lines;
}

describe('transcriptLines', () => {
  const cases: readonly [name: string, content: string, lines: string[]][] = [
    ['an empty file', '', []],
    ['a last line without a newline', 'a\nb', ['a', 'b']],
    ['empty lines', '\n\na\n\n', ['a']],
    ['a line longer than a chunk', `a\n${'x'.repeat(2_500_000)}\nb\n`, ['a', 'x'.repeat(2_500_000), 'b']],
  ];
  test.each(cases)('%s', async (_, content, lines) => {
    expect((await linesOf(content)).map(({ text }) => text)).toEqual(lines);
  });

  test('a line that is too long is skipped, also over many chunks, and the next one is not', async () => {
    const content = `a\n${'x'.repeat(3_000_000)}\nb\n${'y'.repeat(101)}\n${'z'.repeat(100)}`;
    expect((await linesOf(content, { maxLineBytes: 100 })).map(({ text }) => text[0])).toEqual(['a', 'b', 'z']);
  });

  test('from the middle, and without a last line that is not ended', async () => {
    const options = { start: 2, isLastWhole: false };
    expect(await linesOf('a\nbc\nd\nrest', options)).toEqual([
      { text: 'bc', offset: 2, end: 7 },
      { text: 'd', offset: 5, end: 7 },
    ]);
    expect(await linesOf('a\nrest', options)).toEqual([]);
  });

  test('any bytes: lines are what stands between newlines, each at its offset', async () => {
    const parts = fc.array(fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(700_000).fill(65))), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(parts, async (chunks) => {
        const content = Buffer.concat(chunks.flatMap((chunk) => [chunk, Buffer.from('\n')]));
        const text = content.toString('latin1');
        const lines = await linesOf(content);
        expect(lines.map((line) => line.text)).toEqual(text.split('\n').filter((line) => line !== ''));
        for (const line of lines) {
          expect(text.slice(line.offset, line.offset + line.text.length)).toBe(line.text);
        }
      }),
      { numRuns: 40 },
    );
  });
});
