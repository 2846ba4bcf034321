import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';

let program: string;
let dir: string;
beforeAll(() => {
  program = join(buildPackage('replay'), 'bin/claudewire.js');
});
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-replay-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

const HEADER = '{"scenario":"s","version":1}';
const USER = { type: 'user', message: { role: 'user', content: 'hi' } };
const GREETING = [HEADER, '{"in":{"type":"user","message":{"content":"hi"}}}', '{"out":{"n":1}}'];
const TWICE = [HEADER, '{"spawn":{"argv":{"--model":"m"}}}', '{"out":{"n":1}}', '{"spawn":{}}'];

function scenario(lines: readonly string[]): string {
  const file = join(dir, 's.jsonl');
  writeFileSync(file, lines.join('\n'));
  return file;
}

function run(command: string, args: readonly string[], input: readonly object[] = [], by = process.execPath) {
  const { status, stdout, stderr } = spawnSync(by, [command, ...args], {
    input: input.map((frame) => `${JSON.stringify(frame)}\n`).join(''),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
const replay = (args: readonly string[], input: readonly object[] = []) => run(program, ['replay', ...args], input);

describe.skipIf(process.platform === 'win32')('a disk with room for a part of a file (skipped on Windows)', () => {
  const cramped = (...args: readonly string[]) =>
    run('-c', ['ulimit -f 1; exec "$@"', 'sh', process.execPath, program, ...args], [], '/bin/sh');

  test('scenario from leaves the older scenario, and says why', () => {
    const old = scenario(GREETING);
    const text = 'x'.repeat(5_000);
    const frames = [
      { t: 0, dir: 'meta', data: { scenario: 'r', cli_version: '2.1.330', argv: ['claude'], dirs: {} } },
      { t: 1, dir: 'meta', data: { event: 'spawn', argv: ['claude'], env: [] } },
      { t: 2, dir: 'out', data: { type: 'x', text } },
      { t: 3, dir: 'meta', data: { event: 'exit', code: 0, signal: null } },
    ];
    const recording = join(dir, 'r.jsonl');
    writeFileSync(recording, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
    const before = readFileSync(old, 'utf8');
    expect(cramped('scenario', 'from', recording, '--out', old)).toMatchObject({
      status: 2,
      stderr: `error: cannot write ${old}: it would be too large\n`,
    });
    expect(readFileSync(old, 'utf8')).toBe(before);
    expect(readdirSync(dir).sort()).toEqual(['r.jsonl', 's.jsonl']);
  });

  test('replay --write-launcher leaves no executable, and says why', () => {
    const file = scenario(GREETING);
    const launcher = join(dir, 'launcher');
    const cwd = 'x'.repeat(2_000);
    expect(cramped('replay', file, '--write-launcher', launcher, '--cwd', cwd)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `error: cannot write a launcher into ${launcher}: it would be too large\n`,
    });
    expect(readdirSync(launcher).filter((name) => name.startsWith('claude'))).toEqual([]);
  });
});

describe('claudewire scenario check (U-6)', () => {
  const check = (...files: readonly string[]) => run(program, ['scenario', 'check', ...files]);

  test('says that a scenario can be played, and what is in it', () => {
    const file = scenario(TWICE);
    expect(check(file)).toEqual({ status: 0, stdout: `${file}: good: "s", 3 steps, 2 processes\n`, stderr: '' });
  });

  test.each([
    { name: 'a field of the header', lines: ['{"scenario":"s","version":2}'], says: '1: header: `version` must be 1' },
    { name: 'a field of a step', lines: [HEADER, '', '{"delayMs":"x"}'], says: '3: `delayMs` must be' },
    { name: 'no JSON', lines: [HEADER, '{"out":'], says: '2: expected one JSON object' },
    { name: 'a name that nothing has', lines: [HEADER, '{"reply":"a"}'], says: '2: reply: ' },
  ])('names the line and the field: $name', ({ lines, says }) => {
    const file = scenario(lines);
    const result = check(file);
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toContain(`${file}:${says}`);
  });

  test('a file that is not there is a wrong argument', () => {
    expect(check(join(dir, 'none.jsonl'))).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('claudewire replay', () => {
  test('plays at once when arguments follow --', () => {
    const file = scenario(GREETING);
    const verdict = join(dir, 'verdict.json');
    expect(replay([file, '--verdict', verdict, '--', '--verbose'], [USER])).toEqual({
      status: 0,
      stdout: '{"n":1}\n',
      stderr: '',
    });
    expect(JSON.parse(readFileSync(verdict, 'utf8'))).toMatchObject({ passed: true });
  });

  test('gives the arguments after -- to the scenario, --version among them', () => {
    const file = scenario(TWICE);
    expect(replay([file, '--', '--model=m'])).toMatchObject({ status: 0, stdout: '{"n":1}\n' });
    expect(replay([file, '--', '--model=n'])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('argv --model: expected string "m", found string "n"'),
    });
    expect(replay([file, '--spawn', '2', '--'])).toMatchObject({ status: 0, stdout: '' });
    expect(replay([file, '--', '-v'])).toMatchObject({ status: 0, stdout: '2.1.330 (Claude Code)\n' });
  });

  test('exits with 3 and shows the first difference when an expectation is not met', () => {
    const file = scenario(GREETING);
    const { status, stderr } = replay([file, '--'], [{ ...USER, message: { content: 'no' } }]);
    expect(status).toBe(3);
    expect(stderr).toBe(
      [
        `${file}:2: an expected frame did not come: stdin has ended (nearest: message.content: expected string "hi", found string "no")`,
        '  expected: {"type":"user","message":{"content":"hi"}}',
        '  got: {"type":"user","message":{"content":"no"}}\n',
      ].join('\n'),
    );
  });

  test('writes a launcher, and reports on the processes that it started', () => {
    const file = scenario(TWICE);
    const folder = join(dir, 'run');
    const written = replay([file, '--write-launcher', folder]);
    expect(written).toEqual({ status: 0, stdout: `${join(folder, 'claude.mjs')}\n`, stderr: '' });
    const report = () => replay([file, '--report', folder]);
    expect(report()).toMatchObject({
      status: 1,
      stdout: 'process 1: was never started\nprocess 2: was never started\n',
    });
    run(written.stdout.trim(), ['--model', 'm']);
    run(written.stdout.trim(), []);
    expect(report()).toEqual({ status: 0, stdout: 'process 1: s: passed\nprocess 2: s: passed\n', stderr: '' });
    run(written.stdout.trim(), []);
    expect(report()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('process 3: s: spawn 3 is not in the scenario'),
    });
  });

  test('writes a launcher again, but not where one was used', () => {
    const file = scenario(GREETING);
    const folder = join(dir, 'run');
    const write = () => replay([file, '--write-launcher', folder]);
    expect(write()).toMatchObject({ status: 0 });
    expect(write()).toMatchObject({ status: 0 });
    run(join(folder, 'claude.mjs'), [], [USER]);
    const verdict = readFileSync(join(folder, 'verdict-1.json'), 'utf8');
    expect(write()).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining(`${folder} holds a launcher that was used`),
    });
    expect(readFileSync(join(folder, 'verdict-1.json'), 'utf8')).toBe(verdict);
  });

  const refused: readonly (readonly [name: string, args: readonly string[], message: string])[] = [
    ['a file that is not there', ['none.jsonl'], 'no scenario at none.jsonl'],
    ['no file', [], "missing required argument 'file'"],
    ['a number that is none', ['FILE', '--spawn', 'x'], '--spawn: expected a number from 1'],
    ['a factor below 1', ['FILE', '--timeout-factor', '0'], '--timeout-factor: expected a number'],
    ['a folder of nobody', ['FILE', '--report', 'none'], 'no folder that --write-launcher has made'],
  ];
  test.each(refused)('refuses %s', (_, args, message) => {
    const file = scenario(GREETING);
    const result = replay(args.map((each) => (each === 'FILE' ? file : each)));
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining(message) });
  });

  test('says on stderr what it waits for, unless an SDK has started it (U-6)', () => {
    const file = scenario([...GREETING, '{"wait":"EOF","timeoutMs":0}']);
    const waits = [
      'claudewire replay: waits for {"type":"user","message":{"content":"hi"}} on stdin, at most 10000 ms',
      'claudewire replay: waits for the end of stdin',
      '',
    ].join('\n');
    expect(replay([file], [USER])).toEqual({ status: 0, stdout: '{"n":1}\n', stderr: waits });
    expect(replay([file, '--', '--verbose'], [USER])).toMatchObject({ status: 0, stderr: '' });
  });

  test('refuses a recording, and says what makes a scenario of it', () => {
    const file = scenario(['{"t":0,"dir":"meta","data":{"scenario":"s"}}']);
    expect(replay([file, '--'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`this is a recording; claudewire scenario from ${file}`),
    });
  });

  test('refuses a scenario that cannot be played, with its line', () => {
    const file = scenario([HEADER, '{"oout":{}}']);
    expect(replay([file, '--'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${file}:2: expected one of the step kinds`),
    });
  });
});
