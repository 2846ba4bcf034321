import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type CLIVersionError, type Options, query } from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';
import { writeExecutable } from '../../helpers/executable.js';

/** A program that gives a release when it is asked, and otherwise ends at once without a word. */
function wrapper(version: string): { readonly path: string; readonly runs: () => readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'asked-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [path, log] = [join(folder, 'claude'), join(folder, 'log')];
  const answer = `[ "$1" = --version ] && ${version}`;
  writeExecutable(path, `#!/bin/sh\necho "$1" >> '${log}'\n${answer}\nexit 0\n`);
  return { path, runs: () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []) };
}

async function failureOf(options: Options): Promise<CLIVersionError | undefined> {
  try {
    for await (const _ of query({ prompt: 'Hi', options }));
    return undefined;
  } catch (error) {
    return error as CLIVersionError;
  }
}

test('a wrapper around an old CLI is asked once, and nothing is started behind it', async () => {
  const { path, runs } = wrapper('echo "2.0.40 (Claude Code)"');
  const options: Options = { pathToClaudeCodeExecutable: path, systemPrompt: 'x' };
  expect(await failureOf(options)).toMatchObject({ name: 'CLIVersionError', version: '2.0.40' });
  expect(await failureOf(options)).toMatchObject({ errorClass: 'cli_version_unsupported', needs: '2.0.56 or newer' });
  expect(runs()).toEqual(['--version']);
});

test('a run that depends on nothing does not ask, nor one whose caller tells the release', async () => {
  const { path, runs } = wrapper('echo "2.0.40 (Claude Code)"');
  const base: Options = { pathToClaudeCodeExecutable: path };
  expect(await failureOf(base)).toBeUndefined();
  expect(await failureOf({ ...base, systemPrompt: 'x', claudeCodeVersion: 'newest' })).toBeUndefined();
  expect(runs()).toEqual(['--output-format', '--output-format']);
  expect(await failureOf({ ...base, claudeCodeVersion: '2.0.41' })).toMatchObject({ version: '2.0.41' });
});

test('a program that gives no release counts as the newest', async () => {
  const { path, runs } = wrapper('exit 3');
  expect(await failureOf({ pathToClaudeCodeExecutable: path, canUseTool: async () => null })).toBeUndefined();
  expect(runs()).toEqual(['--version', '--output-format']);
});

test('a run that is closed while the question is open ends at once', async () => {
  const { path, runs } = wrapper('sleep 100');
  const run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: path, systemPrompt: 'x' } });
  run.close();
  for await (const _ of run);
  expect(runs().filter((first) => first !== '--version')).toEqual([]);
});

test('the release that is told for a transport decides what is written to it', async () => {
  await using cli = scriptedCli(({ turn }) => turn('Done.'));
  const options: Options = { ...cli.options, systemPrompt: ['A', 'B'], claudeCodeVersion: '2.1.100' };
  for await (const _ of query({ prompt: 'Hi', options }));
  expect(cli.sent.initialize).toMatchObject([{ systemPrompt: 'A\n\nB' }]);
});

test('it is started in the working directory of the call, wherever the host is by then', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'asked-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const path = join(root, 'claude');
  const answer = '[ "$1" = --version ] && echo "2.1.330 (Claude Code)" && exit 0';
  writeExecutable(path, `#!/bin/sh\n${answer}\npwd > '${root}/pwd'\n`);
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(root);
  const run = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: path, systemPrompt: 'x' } });
  cwd.mockRestore();
  for await (const _ of run);
  expect(readFileSync(join(root, 'pwd'), 'utf8').trim()).toBe(root);
});
