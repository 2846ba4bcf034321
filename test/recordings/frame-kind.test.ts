import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindOfFrame } from './frame-kind.js';

describe('what a frame is', () => {
  const cases: { frame: unknown; kind: string }[] = [
    { frame: { type: 'assistant' }, kind: 'assistant' },
    { frame: { type: 'result', subtype: 'anything' }, kind: 'result' },
    { frame: { type: 'system', subtype: 'init' }, kind: 'system/init' },
    { frame: { type: 'control_request', request: {} }, kind: 'control_request' },
    { frame: { type: 'system', subtype: 'brand_new' }, kind: 'unknown' },
    { frame: { type: 'system' }, kind: 'unknown' },
    { frame: { type: 'system', subtype: { toString: 1 } }, kind: 'unknown' },
    { frame: { type: 'system/init' }, kind: 'unknown' },
    { frame: { type: 'brand_new' }, kind: 'unknown' },
    { frame: { type: 'constructor' }, kind: 'unknown' },
    { frame: { type: '' }, kind: 'malformed' },
    { frame: { type: 5 }, kind: 'malformed' },
    { frame: {}, kind: 'malformed' },
    { frame: [], kind: 'malformed' },
    { frame: null, kind: 'malformed' },
    { frame: 'assistant', kind: 'malformed' },
  ];
  test.each(cases)('$frame is $kind', ({ frame, kind }) => {
    expect(kindOfFrame(frame)).toBe(kind);
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(kindOfFrame(value)).toBeTypeOf('string');
      }),
    );
  });
});
