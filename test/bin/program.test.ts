import { beforeAll, expect, test } from 'vitest';
import { runProgram } from '../../src/bin/program.js';
import { buildPackage } from './built-package.js';

let assets: string;
beforeAll(() => {
  assets = buildPackage('program');
});

/** Runs the demo's shortest session on a pretended terminal and returns every write. */
async function onTerminal(
  env: Readonly<Record<string, string>>,
  isTTY = true,
): Promise<readonly string[]> {
  const writes: string[] = [];
  const exitCode = await runProgram({
    argv: ['demo', '--scenario', 'hello'],
    version: '0.0.0',
    assets,
    stdout: { isTTY, write: (text) => writes.push(text) },
    stderr: { write: (text) => writes.push(text) },
    env,
    abortController: new AbortController(),
  });
  expect(exitCode).toBe(0);
  return writes;
}

test('on a terminal text appears piece by piece, in colour', async () => {
  const writes = await onTerminal({});
  expect(writes.filter((text) => /Hello!|stand-in|pipe\./.test(text))).toHaveLength(3);
  expect(writes.join('')).toContain('\u001b[');
});

test('NO_COLOR takes the colours away, not the live text', async () => {
  const writes = await onTerminal({ NO_COLOR: '1' });
  expect(writes.join('')).not.toContain('\u001b[');
  expect(writes.join('')).toContain(
    'claude      Hello! I am a scripted stand-in for Claude Code, and every word of this came over a real pipe.\n',
  );
  expect(writes.length).toBeGreaterThan(8);
});

test.each([
  { env: { FORCE_COLOR: '1' }, isTTY: false, isColoured: true },
  { env: { FORCE_COLOR: '' }, isTTY: false, isColoured: false },
  { env: { FORCE_COLOR: '0' }, isTTY: true, isColoured: false },
  { env: { FORCE_COLOR: '1', NO_COLOR: '1' }, isTTY: true, isColoured: false },
])('$env, a terminal: $isTTY: colours: $isColoured (U-6)', async ({ env, isTTY, isColoured }) => {
  const text = (await onTerminal(env as Record<string, string>, isTTY)).join('');
  expect(text.includes('\u001b[')).toBe(isColoured);
});
