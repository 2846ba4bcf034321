import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CLIVersionError, type Options, query } from '../../../src/index.js';

const OFF = { disableAllHooks: true };
const ON = { disableAllHooks: false };

interface Case {
  readonly files: Readonly<Record<string, unknown>>;
  readonly options?: Options;
  /** The file that the error names. `undefined`: the run is not refused. */
  readonly named?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'a user file': { files: { 'home/.claude/settings.json': OFF }, named: 'home/.claude/settings.json' },
  'a project file': { files: { 'work/.claude/settings.json': OFF }, named: 'work/.claude/settings.json' },
  'a local file': { files: { 'work/.claude/settings.local.json': OFF }, named: 'work/.claude/settings.local.json' },
  'a file in the place of inline settings': {
    files: { 'work/mine.json': OFF },
    options: { settings: 'mine.json' },
    named: 'work/mine.json',
  },
  'a file of a flag, over a project file': {
    files: { 'work/mine.json': ON, 'work/.claude/settings.json': OFF },
    options: { extraArgs: { settings: 'mine.json' } },
  },
  'inline settings over a file': {
    files: { 'work/.claude/settings.json': OFF },
    options: { settings: { disableAllHooks: false } },
  },
  'a local file over a project file': {
    files: { 'work/.claude/settings.local.json': ON, 'work/.claude/settings.json': OFF },
  },
  'a file that is not read': { files: { 'work/.claude/settings.json': OFF }, options: { settingSources: ['user'] } },
  'a file that is no settings file': { files: { 'work/.claude/settings.json': 'x', 'home/.claude/settings.json': [] } },
  'no callbacks': { files: { 'home/.claude/settings.json': OFF }, options: { hooks: {} } },
};

describe('before 2.1.48 no callback is called while `disableAllHooks` is set, so the run is refused by', () => {
  for (const [title, { files, options, named }] of Object.entries(CASES)) {
    test(title, async () => {
      const root = temporaryFolder();
      for (const folder of ['work', 'home']) mkdirSync(join(root, folder));
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), typeof content === 'string' ? content : JSON.stringify(content));
      }
      const error = await failureOf(root, '2.1.47', options);
      if (named === undefined) expect(error).not.toBeInstanceOf(CLIVersionError);
      else {
        expect(error).toBeInstanceOf(CLIVersionError);
        expect((error as CLIVersionError).hint).toContain(join(root, named));
        expect(await failureOf(root, '2.1.48', options)).not.toBeInstanceOf(CLIVersionError);
      }
    });
  }

  test.each([
    ['a BOM', Buffer.from(`\uFEFF${JSON.stringify(OFF)}`)],
    ['UTF-16', Buffer.from(`\uFEFF${JSON.stringify(OFF)}`, 'utf16le')],
    ['more than a megabyte', Buffer.from(JSON.stringify({ ...OFF, env: { X: 'x'.repeat(1_100_000) } }))],
  ])('a file with %s', async (_, content) => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'work', '.claude'), { recursive: true });
    writeFileSync(join(root, 'work', '.claude', 'settings.json'), content);
    expect(await failureOf(root, '2.1.47')).toBeInstanceOf(CLIVersionError);
  });

  test('a file behind a link', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'work', '.claude'), { recursive: true });
    writeFileSync(join(root, 'dotfile'), JSON.stringify(OFF));
    symlinkSync(join(root, 'dotfile'), join(root, 'work', '.claude', 'settings.json'));
    expect(await failureOf(root, '2.1.47')).toBeInstanceOf(CLIVersionError);
  });
});

function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** How a run ends whose executable ends at once. */
async function failureOf(root: string, claudeCodeVersion: string, options: Options = {}): Promise<unknown> {
  const given: Options = {
    pathToClaudeCodeExecutable: '/bin/false',
    claudeCodeVersion,
    cwd: join(root, 'work'),
    env: { HOME: join(root, 'home') },
    hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    ...options,
  };
  try {
    for await (const _ of query({ prompt: 'Hi', options: given }));
  } catch (error) {
    return error;
  }
  return undefined;
}
