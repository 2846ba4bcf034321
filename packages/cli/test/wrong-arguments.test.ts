import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runProgram } from '../src/program.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-bin-'));
  mkdirSync(join(folder, 'demo'));
  mkdirSync(join(folder, 'dir'));
  writeFileSync(join(folder, 'binary'), Buffer.from([0, 255, 254, 10, 200, 0]));
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'good.jsonl'), '{"scenario":"good","version":1}\n{"spawn":{}}\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(args: string): Promise<{ readonly exitCode: number; readonly stderr: string }> {
  let stderr = '';
  const exitCode = await runProgram({
    argv: args.split(' ').map((each) => each.replace(/^\.\//, `${folder}/`)),
    version: '0.0.0',
    assets: folder,
    stdout: { write: () => true },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    abortController: new AbortController(),
  });
  return { exitCode, stderr };
}

const READERS = ['demo --scenario', 'scenario check', 'scenario from', 'replay', 'record --scrubbed'];

test.each([
  ...READERS.flatMap((command) => ['dir', 'binary', 'empty', 'missing'].map((file) => `${command} ./${file}`)),
  ...['demo extra', 'demo --nope', 'replay', 'record', 'scenario check', 'doctor extra'],
  ...['replay ./good.jsonl --spawn x', 'replay ./good.jsonl --timeout-factor 0'],
  ...['replay ./good.jsonl --report ./dir', 'replay ./good.jsonl --write-launcher ./binary'],
  ...['replay ./good.jsonl --log ./dir', 'replay ./good.jsonl --verdict ./dir'],
  ...['record --out ./x.jsonl --cli ./dir', 'record --out ./dir --cli ./binary'],
  ...['record --scrubbed ./x.jsonl --out ./y.jsonl', 'record --out ./x.jsonl --no-scrub --scrub-text foo'],
])('%s: one line, and a documented exit code (C-14)', async (args) => {
  const { exitCode, stderr } = await run(args);
  expect([1, 2]).toContain(exitCode);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test.each([
  ['frobnicate', "unknown command 'frobnicate'"],
  ['repla', "unknown command 'repla'\n(Did you mean replay?)"],
  ['--nope', "unknown option '--nope'"],
])('%s: the program says where the commands are listed', async (args, text) => {
  const stderr = `error: ${text}\nRun \`claudewire --help\` for a list of the commands.\n`;
  expect(await run(args)).toEqual({ exitCode: 2, stderr });
});

test('a folder in the place of a file is named as one', async () => {
  const { stderr } = await run('scenario from ./dir');
  expect(stderr).toBe(`error: cannot read ${folder}/dir: it is a folder\n`);
});

test.each(['help nosuch', 'scenario help nosuch', 'help scenrio'])(
  '%s names a command that there is not',
  async (args) => {
    const { exitCode, stderr } = await run(args);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^error: unknown command '(?:nosuch|scenrio)'/);
  },
);

test.each(['help', 'help run', 'scenario help check', '-v', '-V', '--version'])('%s ends well', async (args) => {
  expect(await run(args)).toEqual({ exitCode: 0, stderr: '' });
});

test.each(['run --cli here Hi.', 'doctor --cli here'])('%s names ./ for a file of this folder', async (args) => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  writeFileSync('here', '', { mode: 0o755 });
  const { exitCode, stderr } = await run(args);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('PATH has no here. For the file in this folder write ./here');
});

test('a file that is packed or not UTF-8 is called so, and the mark of an editor does not matter', async () => {
  const good = '{"scenario":"good","version":1}\n{"spawn":{}}\n';
  writeFileSync(join(folder, 'packed'), gzipSync(good));
  writeFileSync(join(folder, 'wide'), Buffer.from(`\ufeff${good}`, 'utf16le'));
  writeFileSync(join(folder, 'marked'), `\ufeff${good}`);
  expect((await run('scenario check ./packed')).stderr).toContain('it is compressed with gzip');
  expect((await run('scenario check ./wide')).stderr).toContain('it is UTF-16');
  expect(await run('scenario check ./marked')).toEqual({ exitCode: 0, stderr: '' });
});

test('scenario check goes on after a file that is not there, and ends with 2', async () => {
  const { exitCode, stderr } = await run('scenario check ./missing ./empty ./good.jsonl ./gone');
  expect(exitCode).toBe(2);
  expect(stderr.split('\n')).toEqual([
    `error: no scenario at ${folder}/missing`,
    expect.stringContaining(`${folder}/empty`),
    `error: no scenario at ${folder}/gone`,
    '',
  ]);
});

test.each([
  ['run --max-turns 0 x', "option '--max-turns <n>' argument '0' is invalid. It must be a whole number above 0."],
  ['run --max-turns 1.5 x', "option '--max-turns <n>' argument '1.5' is invalid. It must be a whole number above 0."],
  [
    'record --scrubbed ./x.jsonl --out ./y.jsonl',
    "option '--scrubbed <file>' cannot be used with option '--out <file>'",
  ],
  [
    'record --out ./x.jsonl --no-scrub --scrub-text foo',
    "option '--no-scrub' cannot be used with option '--scrub-text <text...>'",
  ],
])('%s: the line names the option', async (args, line) => {
  expect(await run(args)).toEqual({ exitCode: 2, stderr: `error: ${line}\n` });
});
