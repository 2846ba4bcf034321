import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../helpers/built-package.js';

test('a program that ends without closing a scripted CLI leaves no folder and no process', async () => {
  const dist = buildPackage('left-open');
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-left-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.mjs');
  writeFileSync(
    program,
    `import { scriptedCli } from ${JSON.stringify(join(dist, 'testing/index.js'))};
const cli = scriptedCli(({ prompt, init, faults }) => [prompt(), init(), faults.stall({ ignoresEnd: true })]);
for await (const _ of cli.query({ prompt: 'Hi.' })) {
  console.log(cli.runs[0].pid);
  process.exit(1);
}
`,
  );
  const temp = mkdtempSync(join(folder, 'tmp-'));
  const { status, stdout } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: temp },
  });
  expect(status).toBe(1);
  await expect.poll(() => isGone(Number(stdout))).toBe(true);
  expect(readdirSync(temp)).toEqual([]);
});

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
