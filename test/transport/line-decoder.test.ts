import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineDecoder } from '../../src/transport/line-decoder.js';
import { cutAt } from './cut-at.js';

interface Decoded {
  readonly lines: string[];
  readonly sizes: number[];
  rest: { readonly text: string; readonly bytes: number } | undefined;
  overflow: string | undefined;
}

/** Feeds the chunks through one buffer that is reused, as the reader does. */
function decode(chunks: readonly (string | Uint8Array)[], maxLineBytes = 1024 * 1024): Decoded {
  const decoded: Decoded = { lines: [], sizes: [], rest: undefined, overflow: undefined };
  const decoder = new LineDecoder(
    {
      onLine: (text, bytes) => {
        decoded.lines.push(text);
        decoded.sizes.push(bytes);
      },
      onOverflow: (excerpt) => {
        decoded.overflow = excerpt;
      },
    },
    maxLineBytes,
  );
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk);
    decoder.push(reused);
    reused.fill('#');
  }
  decoded.rest = decoder.end();
  return decoded;
}

const cases: readonly {
  readonly name: string;
  readonly chunks: readonly (string | Uint8Array)[];
  readonly lines: readonly string[];
  readonly rest?: string;
}[] = [
  { name: 'one line', chunks: ['a\n'], lines: ['a'] },
  { name: 'a line split over three chunks (PY-077)', chunks: ['{"a"', ': ', '1}\n'], lines: ['{"a": 1}'] },
  { name: 'several lines in one chunk (PY-078)', chunks: ['a\nb\nc\n'], lines: ['a', 'b', 'c'] },
  { name: 'no newline yet', chunks: ['1'], lines: [], rest: '1' },
  { name: 'the last line without a newline (TS-170, PY-082)', chunks: ['a\nb'], lines: ['a'], rest: 'b' },
  { name: 'empty lines', chunks: ['\n\na\n\n'], lines: ['', '', 'a', ''] },
  { name: 'CRLF (TS-170, PY-081)', chunks: ['a\r\nb\r\n'], lines: ['a', 'b'] },
  { name: 'CRLF cut in the middle', chunks: ['a\r', '\nb\r', '\n'], lines: ['a', 'b'] },
  { name: 'a lone CR', chunks: ['a\rb\r'], lines: ['a', 'b'] },
  { name: 'a lone CR before an empty line', chunks: ['a\r\r\nb\n'], lines: ['a', '', 'b'] },
  { name: 'CR in one chunk, text in the next', chunks: ['a\r', 'b\n'], lines: ['a', 'b'] },
  { name: 'LF lines in a chunk that also holds CR', chunks: ['a\nb\r\nc\nd'], lines: ['a', 'b', 'c'], rest: 'd' },
  {
    name: 'U+2028, U+2029 and U+0085 are text',
    chunks: ['a\u2028b\u2029c\u0085d\n'],
    lines: ['a\u2028b\u2029c\u0085d'],
  },
  {
    name: 'ASCII and non-ASCII lines in one chunk',
    chunks: ['plain\n😀 grüße\nplain\n'],
    lines: ['plain', '😀 grüße', 'plain'],
  },
  {
    name: 'a character cut in the middle (TS-170)',
    chunks: [Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1)],
    lines: ['é'],
  },
  { name: 'invalid UTF-8 becomes U+FFFD (TS-171)', chunks: [Buffer.of(0x61, 0xff, 0x62, 0x0a)], lines: ['a\ufffdb'] },
  { name: 'NUL and BOM are text', chunks: ['\0\n\ufeffa\n'], lines: ['\0', '\ufeffa'] },
  { name: 'empty chunks', chunks: ['', 'a', '', '\n', ''], lines: ['a'] },
];

describe('line decoder', () => {
  for (const { name, chunks, lines, rest } of cases) {
    test(name, () => {
      const decoded = decode(chunks);
      expect(decoded.lines).toEqual(lines);
      expect(decoded.rest?.text).toBe(rest);
      expect(decoded.overflow).toBeUndefined();
    });
  }

  test('the size of a line is counted in bytes, without its terminator', () => {
    expect(decode(['a\ngrüße\r\n', '😀', '\n']).sizes).toEqual([1, 7, 4]);
  });

  test('where the bytes are cut never changes the lines', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n', '\r', '\r\n', 'a', '😀', 'ü', '\u2028', '{"a":1}'),
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(fc.nat(400)), (pieces, cuts) => {
        const bytes = Buffer.concat(pieces.map((each) => Buffer.from(each as string)));
        expect(decode(cutAt(bytes, cuts))).toEqual(decode([bytes]));
      }),
    );
  });

  test('where the bytes are cut never changes which line is too long (PY-084)', () => {
    const text = fc.array(fc.constantFrom('a', 'bb', 'é', '\n', '\r', '\n\n'), { maxLength: 80 });
    fc.assert(
      fc.property(text, fc.array(fc.nat(100)), fc.integer({ min: 0, max: 12 }), (pieces, cuts, limit) => {
        const bytes = Buffer.from(pieces.join(''));
        const { lines, overflow } = decode(cutAt(bytes, cuts), limit);
        const whole = decode([bytes], limit);
        expect(lines).toEqual(whole.lines);
        expect(overflow === undefined).toBe(whole.overflow === undefined);
        const expected = bytes.toString().split(/\r\n|\r|\n/);
        const tooLong = expected.findIndex((line) => Buffer.byteLength(line) > limit);
        expect(overflow === undefined).toBe(tooLong === -1);
        expect(lines).toEqual(expected.slice(0, tooLong));
      }),
    );
  });

  const limits = [
    { name: 'a line of exactly the limit passes (PY-085)', chunks: ['12345\n'], lines: ['12345'] },
    { name: 'also in pieces', chunks: ['12', '345', '\n'], lines: ['12345'] },
    { name: 'its CRLF is not counted', chunks: ['12345\r\n'], lines: ['12345'] },
    { name: 'bytes count, not characters', chunks: ['éé\n', 'ééé\n'], lines: ['éé'], overflow: 'ééé' },
    { name: 'one more does not, though it is finished', chunks: ['a\n123456\nb\n'], lines: ['a'], overflow: '123456' },
    { name: 'nor unfinished', chunks: ['a\n123', '456'], lines: ['a'], overflow: '123456' },
    { name: 'nothing is decoded after it', chunks: ['123456\n', 'a\n'], lines: [], overflow: '123456' },
  ];
  for (const { name, chunks, lines, overflow } of limits) {
    test(`limit of 5 bytes: ${name}`, () => {
      const decoded = decode(chunks, 5);
      expect(decoded.lines).toEqual(lines);
      expect(decoded.overflow).toBe(overflow);
      expect(decoded.rest).toBeUndefined();
    });
  }

  test('stop in the middle of a chunk ends the reports at once', () => {
    for (const text of ['a\nb\nc\n', 'é\nb\nc\n', 'a\r\nb\r\nc\r\n']) {
      const lines: string[] = [];
      const decoder = new LineDecoder(
        {
          onLine: (line) => {
            lines.push(line);
            decoder.stop();
          },
          onOverflow: () => expect.unreachable(),
        },
        100,
      );
      decoder.push(Buffer.from(text));
      decoder.push(Buffer.from('d\n'));
      expect(lines).toHaveLength(1);
      expect(decoder.end()).toBeUndefined();
    }
  });

  test('a line of 64 MiB in 64 KiB chunks is decoded in linear time (TS-172)', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const sizes: number[] = [];
    const decoder = new LineDecoder(
      { onLine: (text, bytes) => sizes.push(text.length, bytes), onOverflow: () => {} },
      Number.POSITIVE_INFINITY,
    );
    for (let n = 0; n < 1024; n += 1) decoder.push(chunk);
    decoder.push(Buffer.from('\n'));
    expect(sizes).toEqual([64 * 1024 * 1024, 64 * 1024 * 1024]);
  });
});
