import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from './bin/built-package.js';

/** A copy of the package with what a clone has beside it: `claudewire` then resolves to that build. */
let folder = '';

beforeAll(() => {
  folder = join(buildPackage('examples'), '..');
  for (const name of ['examples', 'scripts/example.mjs']) {
    cpSync(join(import.meta.dirname, '..', name), join(folder, name), { recursive: true });
  }
});

test.each([
  {
    name: 'hello',
    prints:
      'Hello! I am a scripted stand-in for Claude Code, and every word of this came over a real pipe.\ncompleted, retryable: false\n',
  },
  { name: 'permissions', prints: 'denied: Bash' },
  { name: 'client', prints: 'success $' },
])('the example $name runs on the scripted CLI and checks itself', ({ name, prints }) => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [join(folder, 'scripts', 'example.mjs'), name],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(stdout).toContain(prints);
  expect(status).toBe(0);
});

test('an example that does not exist is one clear line and exit code 2', () => {
  const { stderr, status } = spawnSync(
    process.execPath,
    [join(folder, 'scripts', 'example.mjs'), 'nope'],
    { encoding: 'utf8' },
  );
  expect(stderr).toMatch(/^error: no example "nope"; there are: /);
  expect(status).toBe(2);
});
