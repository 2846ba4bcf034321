import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../../src/program.js';

const RECORDER = fileURLToPath(new URL('../../../../.build/recorder.mjs', import.meta.url));

/** As the package has them. */
function assets(): string {
  const folder = mkdtempSync(join(tmpdir(), 'record-assets-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'demo'));
  symlinkSync(RECORDER, join(folder, 'recorder.mjs'));
  return folder;
}

/** A machine on which no CLI is installed. */
const NO_CLI = { PATH: '/nonexistent', HOME: '/nonexistent' };

async function claudewire(...argv: readonly string[]) {
  const texts = { stdout: '', stderr: '' };
  const sink = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  const code = await runProgram({
    argv,
    version: '0',
    assets: assets(),
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    env: NO_CLI,
    abortController: new AbortController(),
  });
  return { code, ...texts };
}

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'record-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'cli.mjs');
  writeFileSync(
    cli,
    `if (process.argv.includes('--version')) console.log('2.1.330 (Claude Code)'); else process.stdin.pipe(process.stdout);`,
  );
  return { folder, cli, out: join(folder, 'a.jsonl') };
}

test('writes a launcher; what it records becomes a scenario; the list says what was scrubbed', async () => {
  const { folder, cli, out } = place();
  const dir = join(folder, 'launcher');
  const written = await claudewire('record', '--out', out, '--cli', cli, '--write-launcher', dir);
  expect(written).toEqual({ code: 0, stdout: `${join(dir, 'claude.mjs')}\n`, stderr: '' });
  const { status } = spawnSync(process.execPath, [written.stdout.trim(), '--model=m'], {
    input: '{"type":"user","message":{"role":"user","content":"sk-ant-api03-abcdef"}}\n',
    env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_AGENT_SDK_VERSION: '0.3.330' },
  });
  expect(status).toBe(0);
  const list = await claudewire('record', '--scrubbed', out);
  expect(list.stdout).toMatch(/anthropic-key +2 {2}in in user, out user/);
  const file = join(folder, 'scenario.jsonl');
  const made = await claudewire('scenario', 'from', out, '--out', file);
  expect(made).toMatchObject({ code: 0, stdout: '' });
  expect(made.stderr).toMatch(/^(?:not converted: in: .*scrubbed here may be anything\n)?$/);
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(1, 3)
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      spawn: {
        argv: { '--model': 'm' },
        env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: '$absent' },
      },
    },
    { in: { type: 'user', message: { role: 'user', content: '$_' }, $exact: ['session_id', 'timestamp', 'uuid'] } },
  ]);
});

test('the folder of an npm package stands for the CLI in it, and any other folder is refused', async () => {
  const { folder, cli, out } = place();
  const dir = join(folder, 'launcher');
  const args = ['record', '--out', out, '--cli', folder, '--write-launcher', dir];
  expect(await claudewire(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${folder} is no file`) });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ bin: { claude: 'cli.mjs' } }));
  expect(await claudewire(...args)).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(dir, 'claude.mjs'), 'utf8')).toContain(JSON.stringify(cli));
});

test.each([
  { name: 'no file', args: ['--cli', 'CLI'], says: /name the file: --out FILE/ },
  {
    name: 'no CLI',
    args: ['--out', 'OUT'],
    says: /There is no CLI to record\. Give its path .* Searched: .*\/nonexistent\/claude/,
  },
  {
    name: 'a CLI that is not there',
    args: ['--out', 'OUT', '--cli', 'OUT'],
    says: /There is no CLI to record at .*a\.jsonl\. Give its path/,
  },
  { name: 'a recording that is there', args: ['--out', 'CLI', '--cli', 'CLI'], says: /exists already/ },
])('$name is a usage error, and nothing is written', async ({ args, says }) => {
  const { cli, out } = place();
  const given = args.map((arg) => arg.replace('CLI', cli).replace('OUT', out));
  const { code, stderr } = await claudewire('record', ...given);
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
  expect(existsSync(out)).toBe(false);
});

test.each([
  ['a file system that takes no folders', '/proc/nope/x.jsonl'],
  ["a file in the folder's place", 'CLI/sub/x.jsonl'],
])('%s: one line, and nothing left', async (_, given) => {
  const { folder, cli } = place();
  const out = given.replace('CLI', cli);
  const dir = join(folder, 'launcher');
  const { code, stderr } = await claudewire(...['record', '--out', out, '--cli', cli, '--write-launcher', dir]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: [^\n]*cannot be written[^\n]*\n$/);
  expect(readdirSync(folder)).toEqual(['cli.mjs']);
});

test('scenario from replaces a scenario, and never the recording that it reads or any other file', async () => {
  const { folder, cli, out } = place();
  const dir = join(folder, 'launcher');
  await claudewire('record', '--out', out, '--cli', cli, '--write-launcher', dir);
  spawnSync(process.execPath, [join(dir, 'claude.mjs')], { input: '{"type":"keep_alive"}\n' });
  for (const file of [out, cli]) {
    const before = readFileSync(file, 'utf8');
    expect(await claudewire('scenario', 'from', out, '--out', file)).toEqual({
      code: 2,
      stdout: '',
      stderr: `error: ${file} exists and is no scenario: remove it, or name another file with --out\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe(before);
  }
  const scenario = join(folder, 'scenario.jsonl');
  writeFileSync(scenario, '{"scenario":"old","version":1}\n{"spawn":{}}\n');
  expect(await claudewire('scenario', 'from', out, '--out', scenario)).toMatchObject({ code: 0 });
  expect(readFileSync(scenario, 'utf8')).toContain('"recording:a"');
});

test('what is no recording is not converted', async () => {
  const { cli } = place();
  const { code, stderr } = await claudewire('scenario', 'from', cli);
  expect(code).toBe(2);
  expect(stderr).toMatch(/no recording/);
});
