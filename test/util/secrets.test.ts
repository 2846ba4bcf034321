import { expect, test } from 'vitest';
import { REDACTED, withoutCredentials } from '../../src/util/secrets.js';

test.each([
  ['a password', 'see https://me:pw@host/x', `see https://me:${REDACTED}@host/x`],
  ['one with the signs of a URL', 'postgres://me:p@ss/w?rd#1@db/x', `postgres://me:${REDACTED}@db/x`],
  ['one of digits', 'redis://:12345@cache:6379/0', `redis://:${REDACTED}@cache:6379/0`],
  ['two of them', '"a://u:one@h" "b://u:two@h"', `"a://u:${REDACTED}@h" "b://u:${REDACTED}@h"`],
  ['not a port', 'http://localhost:3000/x@2x http://h:80?q=a@b mongodb://a:1,b:2/d'],
  ['not an address without a password', 'ssh://git@host/x https://example.com/a@b'],
])('in a URL, withoutCredentials() hides %s', (_, before, after = before) => {
  expect(withoutCredentials(before)).toBe(after);
});
