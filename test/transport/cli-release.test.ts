import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askRelease, versionBeside } from '../../src/transport/cli-release.js';
import { writeExecutable } from '../helpers/executable.js';
import { isAlive } from './support.js';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'cli-release-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function write(path: string, text = ''): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const manifest = (name: string, more: object): string => JSON.stringify({ name: `@anthropic-ai/${name}`, ...more });

const layouts: readonly { name: string; cli: string; files: Record<string, string>; release: string | undefined }[] = [
  {
    name: 'the script of the npm package',
    cli: 'claude-code/cli.js',
    files: { 'claude-code/package.json': manifest('claude-code', { version: '2.1.9' }) },
    release: '2.1.9',
  },
  {
    name: 'the binary in `bin` of the npm package',
    cli: 'claude-code/bin/claude.exe',
    files: { 'claude-code/package.json': manifest('claude-code', { version: '2.1.206' }) },
    release: '2.1.206',
  },
  {
    name: 'the platform package',
    cli: 'claude-code-linux-x64/claude',
    files: { 'claude-code-linux-x64/package.json': manifest('claude-code-linux-x64', { version: '2.1.330' }) },
    release: '2.1.330',
  },
  {
    name: 'the script in the package of the official SDK, whose own version is another',
    cli: 'claude-agent-sdk/cli.js',
    files: {
      'claude-agent-sdk/package.json': manifest('claude-agent-sdk', {
        version: '0.2.112',
        claudeCodeVersion: '2.1.112',
      }),
    },
    release: '2.1.112',
  },
  {
    name: 'the platform package of the official SDK, which does not say it',
    cli: 'claude-agent-sdk-linux-x64/claude',
    files: {
      'claude-agent-sdk-linux-x64/package.json': manifest('claude-agent-sdk-linux-x64', { version: '0.3.330' }),
    },
    release: undefined,
  },
  { name: 'the native installer', cli: 'share/claude/versions/2.1.330', files: {}, release: '2.1.330' },
  { name: 'Homebrew', cli: 'Caskroom/claude-code/2.1.330/claude', files: {}, release: '2.1.330' },
  { name: 'Homebrew, newest', cli: 'Caskroom/claude-code@latest/2.1.330,ab1/claude', files: {}, release: '2.1.330' },
  {
    name: 'a wrapper beside the package',
    cli: 'claude-code/my-wrapper.sh',
    files: { 'claude-code/package.json': manifest('claude-code', { version: '2.1.9' }) },
    release: undefined,
  },
  {
    name: 'another package',
    cli: 'other/cli.js',
    files: { 'other/package.json': JSON.stringify({ name: 'other', version: '3.0.0', claudeCodeVersion: '2.1.1' }) },
    release: undefined,
  },
  {
    name: 'a manifest that is not JSON',
    cli: 'claude-code/cli.js',
    files: { 'claude-code/package.json': '{' },
    release: undefined,
  },
];

for (const { name, cli, files, release } of layouts) {
  test(`the release is known without a process: ${name}`, () => {
    const root = folder();
    for (const [path, text] of Object.entries(files)) write(join(root, path), text);
    const path = write(join(root, cli));
    symlinkSync(path, join(root, 'linked'));
    expect([versionBeside(path), versionBeside(join(root, 'linked'))]).toEqual([release, release]);
  });
}

const heads: readonly (readonly [name: string, head: string, release: string | undefined])[] = [
  ['the CLI as one script', '#!/usr/bin/env node\n// (c) Anthropic PBC.\n\n// Version: 2.0.56\n\nimport x', '2.0.56'],
  ['a wrapper that says so', '#!/bin/sh\n# claude-code-version: 2.1.100\nexec claude "$@"\n', '2.1.100'],
  ['a program of the testing kit', '#!/usr/bin/env node\n// claude-code-version: newest\n', 'newest'],
  ['a program with a version of its own', '#!/bin/sh\n# Version: 1.0.3\n', undefined],
];
for (const [name, head, release] of heads) {
  test(`the release is known from the first lines: ${name}`, () => {
    expect(versionBeside(write(join(folder(), 'program'), head))).toBe(release);
  });
}

test('nothing is known of a file that is not there', () => {
  expect(versionBeside(join(folder(), 'missing'))).toBeUndefined();
});

/** A program that counts how often it runs. */
function program(body: string): { readonly path: string; readonly runs: () => number } {
  const root = folder();
  const path = join(root, 'claude');
  writeExecutable(path, `#!/bin/sh\necho run >> '${root}/runs'\n${body}\n`);
  return { path, runs: () => readFileSync(join(root, 'runs'), 'utf8').split('\n').length - 1 };
}
const ask = (path: string, args: readonly string[] = []): Promise<string | undefined> =>
  askRelease(path, { file: path, args }, { env: { PATH: process.env.PATH ?? '' }, cwd: undefined });

const answers: readonly (readonly [body: string, release: string | undefined])[] = [
  ['echo "2.0.40 (Claude Code)"', '2.0.40'],
  ['echo 2.1.100', '2.1.100'],
  ['printf 2.1.100', '2.1.100'],
  ['echo "Now using node v20.19.0 (npm v10.8.2)"; echo "2.1.300 (Claude Code)"', '2.1.300'],
  ['echo "Claude Code 2.1.300"', '2.1.300'],
  ['echo 10.8.2; echo "2.1.300 (Claude Code)"', '2.1.300'],
  ['printf "\\033[1m2.1.300 (Claude Code)\\n"', '2.1.300'],
  ['printf "\\033[1m2.1.300\\033[0m (Claude Code)\\n"', '2.1.300'],
  ['echo "loading 3.4.5 ... 2.1.300 (Claude Code)"', '2.1.300'],
  ['echo "v20.11.0"', undefined],
  ['echo "{}"; sleep 100', undefined],
  ['exit 1', undefined],
];
for (const [body, release] of answers) {
  test(`a program is asked for its release: ${body}`, async () => {
    expect(await ask(program(body).path)).toBe(release);
  });
}

test('a program is asked once, and again when its file has changed', async () => {
  const { path, runs } = program('echo "2.1.1 (Claude Code)"');
  expect(await Promise.all([ask(path), ask(path)])).toEqual(['2.1.1', '2.1.1']);
  expect([await ask(path), runs()]).toEqual(['2.1.1', 1]);
  writeFileSync(path, readFileSync(path, 'utf8').replace('2.1.1 ', '2.1.300 '));
  expect([await ask(path), runs()]).toEqual(['2.1.300', 2]);
});

test('a program that fails is asked again, and one that chooses by the folder or a variable in each', async () => {
  const flaky = program('[ -f "$0.once" ] && echo "2.1.5 (Claude Code)"; touch "$0.once"');
  expect([await ask(flaky.path), await ask(flaky.path)]).toEqual([undefined, '2.1.5']);
  const { path } = program('echo "2.1.$RELEASE (Claude Code)"');
  const at = (env: Record<string, string>): Promise<string | undefined> =>
    askRelease(path, { file: path, args: [] }, { env: { PATH: process.env.PATH ?? '', ...env }, cwd: undefined });
  expect([await at({ RELEASE: '1' }), await at({ RELEASE: '2' })]).toEqual(['2.1.1', '2.1.2']);
});

test('a question that nobody waits for any more ends its program and what that has started', async () => {
  const { path } = program('sleep 100 & echo $! > "$0.pid"; wait');
  const [first, second] = [new AbortController(), new AbortController()];
  const questions = [first, second].map(({ signal }) =>
    askRelease(path, { file: path, args: [] }, { env: { PATH: process.env.PATH ?? '' }, cwd: undefined, signal }),
  );
  await expect.poll(() => existsSync(`${path}.pid`) && readFileSync(`${path}.pid`, 'utf8')).toMatch(/\n/);
  const pid = readFileSync(`${path}.pid`, 'utf8');
  first.abort();
  expect(isAlive(Number(pid))).toBe(true);
  second.abort();
  expect(await Promise.all(questions)).toEqual([undefined, undefined]);
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

test('the question has the arguments before it, and a program that cannot start gives no answer', async () => {
  const { path } = program('[ "$1 $2" = "run --version" ] && echo "2.1.5 (Claude Code)"');
  expect(await ask(path, ['run'])).toBe('2.1.5');
  expect(await ask(join(dirname(path), 'missing'))).toBeUndefined();
});
