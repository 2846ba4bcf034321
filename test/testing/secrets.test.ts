import { expect, test } from 'vitest';
import { holdsSecret, replaceSecrets } from '../../src/testing/index.js';

test.each([
  ['ANTHROPIC_API_KEY', true],
  ['authToken', true],
  ['monkey', false],
  ['LANG', false],
])('the name %s: %s', (name, expected) => {
  expect(holdsSecret(name)).toBe(expected);
});

test.each([
  ['key sk-ant-api03-0123456789abcdef!', 'key $&!'],
  ['https://user:pass@host/', 'https://$&@host/'],
  ['{"password":"hunter2"}', '{"password":"$&"}'],
  ['nothing to hide', 'nothing to hide'],
])('%s is shown as %s', (text, expected) => {
  expect(replaceSecrets(text, '$&')).toBe(expected);
});
