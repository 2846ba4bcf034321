import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** What a clone has after `npm ci && npm run build`, so that other tests keep the build that they use. */
const clone = join(root, '.build', 'workers-example');
const COPIED = [
  ...['tsconfig.json', 'scripts/example.mjs', 'scripts/servers', 'packages/server/bench/job-cli.mjs'],
  ...['server', 'bullmq'].flatMap((name) =>
    ['package.json', 'tsconfig.build.json', 'src', 'scripts'].map((part) => `packages/${name}/${part}`),
  ),
];

beforeAll(() => {
  rmSync(clone, { recursive: true, force: true });
  const build = [join(root, 'scripts/build.mjs'), '--quiet', '--out-dir', join(clone, 'dist')];
  const { status, stderr } = spawnSync(process.execPath, build, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const path of COPIED) cpSync(join(root, path), join(clone, path), { recursive: true });
  mkdirSync(join(clone, 'node_modules'));
  symlinkSync('..', join(clone, 'node_modules', 'claudewire'));
  symlinkSync('../packages/server', join(clone, 'node_modules', 'claudewire-server'));
  symlinkSync(join(root, 'node_modules', 'typescript'), join(clone, 'node_modules', 'typescript'));
});

const CHANGES = ['change 3', 'change 4', 'change 5', 'change 6', 'change 7', 'change 8'];

test('the example shows four workers, a kill, a resume, a cancel, one outcome a job, and leaves nothing', async () => {
  // Its servers, stores and programs are below.
  const temp = mkdtempSync(join(tmpdir(), 'cw-'));
  onTestFinished(() => rmSync(temp, { recursive: true, force: true }));
  const script = join(clone, 'scripts', 'example.mjs');
  const { stdout, stderr, exitCode } = await execa(process.execPath, [script, 'workers'], {
    // With `CI` set colours are on, also in a pipe.
    ...{ reject: false, stdin: 'ignore', env: { TMPDIR: temp, NO_COLOR: '1' } },
  });
  const lines = stdout.split('\n');
  const said = { exitCode, stderr, lines };
  expect(said).toMatchObject({ exitCode: 0, stderr: '' });
  expect(lines[0]).toBe('4 workers, 8 jobs');
  expect(lines.at(-1)).toBe('One job was resumed, one was cancelled, the others ran once.');
  const active = lines.flatMap((line) => /^.{16} active +(worker \d)/.exec(line)?.[1] ?? []);
  expect([...new Set(active)].sort()).toEqual(['worker 1', 'worker 2', 'worker 3', 'worker 4']);

  const ofJob = (label: string): string[] => lines.filter((line) => line.startsWith(label.padEnd(16)));
  const outcomesOf = (label: string): string[] => ofJob(label).filter((line) => / (?:completed|failed) /.test(line));
  for (const label of CHANGES) {
    expect(outcomesOf(label)).toEqual([expect.stringMatching(/ completed +worker \d +Done\. \(run 1\)$/)]);
  }
  expect(lines).toContain('cancel() for "an old change", from this process');
  expect(outcomesOf('an old change')).toEqual([expect.stringMatching(/ failed +worker \d +cancelled: Not needed\.$/)]);

  const kill = lines.findIndex((line) => line.startsWith('SIGKILL for worker '));
  const killed = /worker \d/.exec(lines[kill] ?? '')?.[0];
  const before = lines.slice(0, kill).filter((line) => /^a long review +active/.test(line));
  expect(before.at(-1)).toContain(`${killed}  run 1,`);
  expect(outcomesOf('a long review')).toEqual([
    expect.stringMatching(/ completed +worker \d +Done\. \(run 2, resumed\)$/),
  ]);
  expect(outcomesOf('a long review')[0]).not.toContain(killed);

  expect(readdirSync(temp)).toEqual([]);
  await expect.poll(() => programsBelow(temp)).toEqual([]);
});

/** Processes with a path below this folder in their arguments, such as the CLI of a worker that was killed. */
function programsBelow(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return args.includes(folder) ? [args] : [];
    } catch {
      return [];
    }
  });
}
