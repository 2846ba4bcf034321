import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookRun } from '../../../src/adapter/hooks/hook-run.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import { Workspace } from '../../../src/adapter/state/slices.js';
import { makeRun, reasonOf, updatedInputOf } from './make-run.js';

let folder: string;
let cwd: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cw-left-')));
  // Above the working directory the name says nothing.
  cwd = join(folder, '.claude', 'work');
  mkdirSync(join(cwd, 'sub'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const isolation = { allowUnsandboxedCommands: false, networkPolicy: NetworkPolicy.noNetwork() };

const runIn = (more: Partial<HookRun> = {}) =>
  makeRun({ insideDirs: [cwd], outsideWorkspacePaths: 'deny', isolation, ...more });

const write = async (path: string, more: Partial<HookRun> = {}, tool = 'Write') => {
  const field = tool === 'NotebookEdit' ? 'notebook_path' : 'file_path';
  return reasonOf(await runIn(more).pre(tool, { [field]: path }));
};

describe('configuration of the CLI that a run would leave behind', () => {
  const paths = [
    '.mcp.json',
    '.claude',
    '.claude/settings.json',
    '.claude/skills/s/SKILL.md',
    'sub/.claude/settings.local.json',
    'sub/.mcp.json',
    './sub/../.claude/x',
    '.CLAUDE/settings.json',
    '.Mcp.Json',
    ' .mcp.json ',
    '.mcp.j\u017fon',
    '.cl\u200caude/settings.json',
    'new/deep/.claude/agents/a.md',
  ];
  test.each(paths)('the file tools do not write %j', async (path) => {
    for (const tool of ['Write', 'Edit', 'MultiEdit', 'NotebookEdit']) {
      expect(await write(path, {}, tool)).toContain('`.claude`');
    }
    if (!path.startsWith(' ')) expect(await write(join(cwd, path))).toContain('`.claude`');
    expect(await write(path, { outsideWorkspacePaths: 'allow' })).toContain('`.claude`');
  });

  test('nor through a link, by either of its names', async () => {
    mkdirSync(join(cwd, '.claude'));
    symlinkSync('.claude', join(cwd, 'agents'));
    symlinkSync('.mcp.json', join(cwd, 'new.json'));
    symlinkSync('../sub', join(cwd, 'sub', '.claude'));
    for (const path of ['agents/hooks.json', 'new.json', 'sub/.claude/x']) {
      expect(await write(path)).toContain('`.claude`');
    }
  });

  test('nor in another working directory, nor in the copy of a mounted one', async () => {
    const extra = join(folder, 'extra');
    mkdirSync(extra);
    expect(await write(join(extra, '.claude/x'), { insideDirs: [cwd, extra] })).toBeDefined();
    const host = join(folder, 'host');
    mkdirSync(host);
    const run = runIn({ mounts: [{ hostPath: host, copyPath: join(cwd, 'copy') }] });
    run.session.mutate(Workspace).seed({ root: cwd });
    expect(updatedInputOf(await run.pre('Write', { file_path: join(host, 'x') }))).toBeDefined();
    expect(reasonOf(await run.pre('Write', { file_path: join(host, '.claude/x') }))).toBeDefined();
  });

  test('other files are written, these are read, and without isolation nothing is said', async () => {
    for (const path of ['a.txt', 'claude/x', '.claude-notes', 'mcp.json', 'x.claude', 'sub/.mcp']) {
      expect(await write(path)).toBeUndefined();
    }
    expect(reasonOf(await runIn().pre('Read', { file_path: '.claude/settings.json' }))).toBeUndefined();
    expect(await write('.claude/settings.json', { isolation: undefined })).toBeUndefined();
  });
});

describe('a schedule that would outlive the run', () => {
  const create = async (input: Record<string, unknown>, more: Partial<HookRun> = {}) =>
    reasonOf(await runIn(more).pre('CronCreate', { cron: '* * * * *', prompt: 'x', ...input }));

  test.each([true, 'true', 1, 'yes'])('durable: %j is denied', async (durable) => {
    expect(await create({ durable })).toContain('durable');
    expect(await create({ durable }, { isolation: undefined })).toBeUndefined();
  });

  test.each([{}, { durable: false }, { durable: 'false' }, { durable: null }])('%j is not', async (input) => {
    expect(await create(input)).toBeUndefined();
  });
});
