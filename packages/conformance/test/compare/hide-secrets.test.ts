import { describe, expect, test } from 'vitest';
import { HIDDEN, SecretHider } from '../../src/compare/hide-secrets.js';

const hider = new SecretHider([{ MY_TOKEN: 'correct horse', SHORT_KEY: 'a', HOME: '/home/somebody' }]);

describe('a value is hidden', () => {
  test.for<[value: unknown, path: readonly string[], expected: unknown]>([
    ['anything', ['headers', 'x'], HIDDEN],
    ['anything', ['--mcp-config', 'apiKey'], HIDDEN],
    [{ headers: { a: 'b' }, url: 'u' }, [], { headers: HIDDEN, url: 'u' }],
    ['it is correct horse', [], `it is ${HIDDEN}`],
    [{ 'correct horse': ['correct horse'] }, [], { [HIDDEN]: [HIDDEN] }],
    ['key sk-ant-api03-0123456789abcdef!', [], `key ${HIDDEN}!`],
    ['https://user:pass@host/', [], `https://${HIDDEN}@host/`],
    ['Authorization: Bearer abcdefghijk', [], `Authorization: Bearer ${HIDDEN}`],
    ['{"password":"hunter2"}', [], `{"password":"${HIDDEN}"}`],
  ])('%j at %j', ([value, path, expected]) => {
    expect(hider.hide(value, path)).toEqual(expected);
  });

  test('by the name of its variable', () => {
    expect(hider.hide('x', ['REGISTRY_AUTH'])).toBe(HIDDEN);
    expect(hider.hide('x', ['LANG'])).toBe('x');
  });
});

describe('a value is shown', () => {
  test.for<[value: unknown, path: readonly string[]]>([
    [12, ['usage', 'input_tokens']],
    ['text', ['max_tokens']],
    ['a', []],
    ['/home/somebody', []],
    ['monkey', ['monkey']],
    [undefined, ['token']],
  ])('%j at %j', ([value, path]) => {
    expect(hider.hide(value, path)).toEqual(value);
  });
});
