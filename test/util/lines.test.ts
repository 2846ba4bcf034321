import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '../../src/util/lines.js';

test('lines come out the same however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replaceAll('\n', ''))),
      fc.array(fc.nat(200)),
      (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const splitter = new LineSplitter();
        const ends = [...new Set([...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])];
        ends.sort((a, b) => a - b);
        const found = ends.flatMap((end, index) => [...splitter.push(bytes.subarray(ends[index - 1] ?? 0, end))]);
        expect(found).toEqual(lines);
        expect(splitter.bytes).toBe(0);
      },
    ),
  );
});

test('the rest is counted, and taken once', () => {
  const splitter = new LineSplitter();
  expect([...splitter.push(Buffer.from('a\n\nb€'))]).toEqual(['a', '']);
  expect(splitter.bytes).toBe(4);
  expect(splitter.takeRest()).toBe('b€');
  expect(splitter.takeRest()).toBe('');
});

test('a line over the limit is told by its length, and the next one is whole again', () => {
  const tooLong: number[] = [];
  const splitter = new LineSplitter({ maxBytes: 3, onTooLong: (bytes) => tooLong.push(bytes) });
  const lines = ['ab', 'c', 'd\nabc\nx', 'yz!'].flatMap((text) => [...splitter.push(Buffer.from(text))]);
  expect(lines).toEqual(['abc']);
  expect(splitter.takeRest()).toBeUndefined();
  expect(tooLong).toEqual([4, 4]);
});
