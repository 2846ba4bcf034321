import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// scripts/live.mjs sets this wherever it made a namespace, and fails on Linux when it cannot make one.
test.runIf(process.env.LIVE_LOOPBACK_ONLY === '1')(
  'there is no network but loopback, so no CLI can reach anything (only in a network namespace)',
  () => {
    const interfaces = readFileSync('/proc/net/dev', 'utf8')
      .split('\n')
      .flatMap((line) => /^\s*(\S+):/.exec(line)?.[1] ?? []);
    expect(interfaces).toEqual(['lo']);
  },
);

test('no login and no proxy of the developer is in the environment', () => {
  const names = Object.keys(process.env).filter((name) => /anthropic|claude|proxy/i.test(name));
  expect(names).toEqual([]);
});
