import { expect, test } from 'vitest';
import { isSafeSubpath } from '../../../src/transcripts/store/store-key.js';

test.each([
  ['subagents/agent-a', true],
  ['a', true],
  ['a.b/c-d', true],
  ['ab:c', process.platform !== 'win32'],
  ['', false],
  ['/a', false],
  ['a/', false],
  ['a//b', false],
  ['.', false],
  ['..', false],
  ['a/../b', false],
  ['a/./b', false],
  ['C:x', false],
  ['c:/x', false],
  ['a\\b', false],
  ['\\\\s\\x', false],
  ['a\0b', false],
])('whether the subpath %j may be a file: %s (PY-312)', (subpath, isSafe) => {
  expect(isSafeSubpath(subpath)).toBe(isSafe);
});
