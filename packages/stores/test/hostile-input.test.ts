import { describe, expect, test } from 'vitest';
import { redisError } from '../src/redis/client.js';
import { attempt } from '../src/shared/attempt.js';
import { linesOf } from '../src/shared/lines.js';

describe('an append that is too much for one', () => {
  test('by its bytes is refused, and says what to do', () => {
    const text = 'x'.repeat(60 * 1024 * 1024);
    const entries = Array.from({ length: 9 }, (_, index) => ({ type: 'user', uuid: `${index}`, text }));
    expect(() => linesOf(entries, 2 ** 30)).toThrow(/more than \d+ bytes of JSON: append them in parts/);
  });

  test('by its number is refused, and says what to do', () => {
    const entries = new Array(500_001).fill({ type: 'user' });
    expect(() => linesOf(entries, 1_000)).toThrow('`entries` has 500001 of them');
  });
});

test('what no client is known to say is a StoreError too', async () => {
  const call = { what: 'Loading a session', timeoutMs: 1_000, translate: () => undefined };
  const cause = new Error('Cannot use a pool after calling end on the pool');
  await expect(attempt(call, () => Promise.reject(cause))).rejects.toMatchObject({
    ...{ name: 'StoreError', code: 'failed', cause },
    message: 'Loading a session failed: Cannot use a pool after calling end on the pool',
  });
});

test.each([
  ["-READONLY You can't write against a read only replica.", 'unavailable'],
  ["-OOM command not allowed when used memory > 'maxmemory'.", 'full'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'damaged'],
])('in a script, %j is known also in the form of Redis 6', (text, code) => {
  const at = 'ERR Error running script (call to f_0123): @user_script:25: ';
  for (const message of [at + text, `${at}@user_script: 25: ${text}`]) {
    const error = Object.assign(new Error(message), { name: 'ReplyError' });
    expect(redisError(error, 'Appending')).toMatchObject({ code });
  }
});
