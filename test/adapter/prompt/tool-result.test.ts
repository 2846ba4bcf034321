import { describe, expect, test } from 'vitest';
import { renderToolPayload, ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import { thrownBy } from '../support/thrown-by.js';

const round: { self?: unknown } = {};
round.self = round;
const table: readonly [string, unknown, string][] = [
  ['undefined', undefined, ''],
  ['null', null, ''],
  ['a text', 'a "b"', 'a "b"'],
  ['bytes', new TextEncoder().encode('ä'), 'ä'],
  ['a buffer', new TextEncoder().encode('ä').buffer, 'ä'],
  ['zero', 0, '0'],
  ['false', false, 'false'],
  ['a big integer inside', { n: 5n }, '{"n":"5"}'],
  ['a big integer', 5n, '"5"'],
  ['members that are undefined', { a: undefined, b: [undefined] }, '{"b":[null]}'],
  ['a `render` method', { render: () => 'drawn' }, 'drawn'],
  [
    'a `render` that throws',
    {
      a: 1,
      render: () => {
        throw new Error('no');
      },
    },
    '{"a":1}',
  ],
  ['a `render` that gives no text', { a: 1, render: () => 5 }, '{"a":1}'],
  ['a cycle', round, ''],
  ['a function', () => 1, '() => 1'],
];

describe('what the model sees of a value', () => {
  test.each(table)('%s', (_, value, text) => {
    expect(renderToolPayload(value)).toBe(text);
  });

  test('of a result: the value, or the message when there is none, or it is kept back', () => {
    expect(ToolResult.ok('m', { a: 1 }).render()).toBe('{"a":1}');
    expect(ToolResult.ok('m', '').render()).toBe('m');
    expect(ToolResult.ok('m').render()).toBe('m');
    expect(new ToolResult({ message: 'm', value: 1, excludeValueFromContext: true }).render()).toBe('m');
    expect(ToolResult.failed('m')).toMatchObject({ success: false, value: undefined });
    expect(new ToolResult({ message: '' })).toMatchObject({ success: true, excludeValueFromContext: false });
  });

  test('a message that is no text is refused', () => {
    expect(String(thrownBy(() => new ToolResult({ message: 5 as unknown as string })))).toContain('number 5');
  });
});
