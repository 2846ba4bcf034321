import fc from 'fast-check';
import { expect, test } from 'vitest';
import '../../helpers/property-seed.js';
import { CallIdQueue } from '../../../src/adapter/hooks/call-id-queue.js';

test('equal calls are given out oldest first, whatever the order of keys', () => {
  const queue = new CallIdQueue();
  queue.push('t', { a: 1, b: { c: [1], d: 2 } }, 'first');
  queue.push('t', { b: { d: 2, c: [1] }, a: 1 }, 'second');
  queue.push('u', { a: 1 }, 'other tool');
  expect(queue.take('t', { a: 1 })).toBe(undefined);
  expect(queue.take('t', { b: { c: [1], d: 2 }, a: 1 })).toBe('first');
  expect(queue.take('t', { a: 1, b: { c: [1], d: 2 } })).toBe('second');
  expect(queue.take('t', { a: 1, b: { c: [1], d: 2 } })).toBe(undefined);
});

test('an id that was forgotten is not given out', () => {
  const queue = new CallIdQueue();
  queue.push('t', {}, 'one');
  queue.push('t', {}, 'two');
  queue.forget('one');
  queue.forget('none');
  expect(queue.take('t', {})).toBe('two');
});

test('every id comes back exactly once, for its own tool and input', () => {
  const call = fc.record({
    tool: fc.constantFrom('a', 'b'),
    input: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom(1, '1', null, [1]), { noNullPrototype: true }),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 12 }), (calls) => {
      const queue = new CallIdQueue();
      for (const [index, { tool, input }] of calls.entries()) {
        queue.push(tool, input, String(index));
      }
      const taken = calls.map(({ tool, input }) => queue.take(tool, structuredClone(input)));
      expect([...taken].sort()).toEqual(calls.map((_, index) => String(index)).sort());
      expect(taken.map((id) => calls[Number(id)])).toEqual(calls);
      expect(calls.map(({ tool, input }) => queue.take(tool, input))).toEqual(calls.map(() => undefined));
    }),
  );
});
