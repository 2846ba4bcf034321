import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packLanes } from '../../src/model/lanes.js';

const interval = fc.record({ start: fc.nat(20), length: fc.nat(10), above: fc.nat() });

test('no two in a lane overlap, each is below its parent', () => {
  fc.assert(
    fc.property(fc.array(interval, { maxLength: 40 }), (made) => {
      const intervals = made.map(({ start, length, above }, index) => ({
        start,
        end: start + length,
        parent: above % 3 === 0 || index === 0 ? undefined : above % index,
      }));
      const lanes = packLanes(intervals);
      const overlap = (a: number, b: number): boolean => {
        const [one, other] = [intervals[a], intervals[b]];
        return one !== undefined && other !== undefined && one.start < other.end && other.start < one.end;
      };
      for (const [index, { parent }] of intervals.entries()) {
        const lane = lanes[index] ?? -1;
        const least = parent === undefined || parent > index ? 0 : (lanes[parent] ?? 0) + 1;
        if (parent !== undefined && (intervals[parent]?.start ?? 0) <= (intervals[index]?.start ?? 0))
          expect(lane).toBeGreaterThanOrEqual(least);
        const inLane = lanes.flatMap((each, other) => (each === lane && other !== index ? [other] : []));
        expect(inLane.filter((other) => overlap(index, other))).toEqual([]);
      }
    }),
  );
});

test('100,000 calls that nobody ended take a lane each', () => {
  const count = 100_000;
  const lanes = packLanes(Array.from({ length: count }, (_, start) => ({ start, end: count, parent: undefined })));
  expect(lanes).toEqual(Array.from({ length: count }, (_, index) => index));
});
