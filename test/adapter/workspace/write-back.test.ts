import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AdapterConfigError,
  WorkspaceConflictError,
  WorkspaceSecurityError,
} from '../../../src/adapter/errors/adapter-error.js';
import { Session } from '../../../src/adapter/state/index.js';
import { includesIn } from '../../../src/adapter/workspace/host-configuration.js';
import { changedFiles, syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { type WriteBackOptions, writeBackToHost } from '../../../src/adapter/workspace/write-back.js';
import { mounted, stateOf } from './mounted.js';
import { harvest, plant, scratch, type Tree } from './scratch.js';

describe('what the host changed meanwhile is kept', () => {
  const cases: readonly [string, string, (host: string) => void][] = [
    ['edited', 'edited', (host) => writeFileSync(join(host, 'a.txt'), 'by the user')],
    ['deleted', 'deleted', (host) => rmSync(join(host, 'a.txt'))],
    ['with its folder deleted', 'deleted', (host) => rmSync(host, { recursive: true })],
    ['with another mode', 'mode_changed', (host) => chmodSync(join(host, 'a.txt'), 0o600)],
    [
      'turned into a folder',
      'not_a_file',
      (host) => {
        rmSync(join(host, 'a.txt'));
        plant(join(host, 'a.txt'), { inner: 'by the user' });
      },
    ],
    [
      'whose folder is a file',
      'not_a_file',
      (host) => {
        rmSync(host, { recursive: true });
        writeFileSync(host, 'by the user');
      },
    ],
  ];
  test.each(cases)('a file that is %s (I-3)', async (_what, reason, change) => {
    const { root, host, inside, sync, writeBack } = await mounted({ 'a.txt': '1', 'b.txt': '1' });
    plant(inside, { 'a.txt': '2' });
    await sync();
    chmodSync(join(host, 'a.txt'), 0o644);
    change(host);
    const before = stateOf(join(root, 'host'));
    const result = await writeBack();
    expect(result.written).toEqual([]);
    expect(result.conflicts).toEqual([{ path: 'm/a.txt', hostPath: join(host, 'a.txt'), reason }]);
    expect(stateOf(join(root, 'host'))).toEqual(before);
    await expect(writeBack({ onConflict: 'error' })).rejects.toMatchObject({
      errorClass: 'workspace_conflict',
      conflicts: result.conflicts,
    });
    expect(stateOf(join(root, 'host'))).toEqual(before);
  });

  test('a new file whose name the user took meanwhile; the others are written (I-3)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ 'a.txt': '1' });
    plant(inside, { 'new.txt': 'model', 'same.txt': 'both', 'a.txt': '2' });
    await sync();
    plant(host, { 'new.txt': 'user', 'same.txt': 'both' });
    const result = await writeBack();
    expect(result.written).toEqual([join(host, 'a.txt'), join(host, 'same.txt')]);
    expect(result.conflicts).toMatchObject([{ path: 'm/new.txt', reason: 'created' }]);
    expect(harvest(host)).toEqual({ 'new.txt': 'user', 'same.txt': 'both', 'a.txt': '2' });
  });

  test('with an error asked for, one conflict keeps all others from being written (I-3)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ 'a.txt': '1', 'b.txt': '1' });
    plant(inside, { 'a.txt': '2', 'b.txt': '2', 'new/c.txt': '2' });
    await sync();
    writeFileSync(join(host, 'b.txt'), 'user');
    const error = await writeBack({ onConflict: 'error' }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(WorkspaceConflictError);
    expect(String(error)).toContain(`${join(host, 'b.txt')} (edited)`);
    expect(harvest(host)).toEqual({ 'a.txt': '1', 'b.txt': 'user' });
    expect(existsSync(join(host, 'new'))).toBe(false);
  });

  test('a second writing finds what the first one left, and edits in between (I-3)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ 'a.txt': '1', 'b.txt': '1' });
    for (const content of ['2', '3']) {
      plant(inside, { 'a.txt': content, 'b.txt': content });
      await sync();
      expect((await writeBack()).conflicts).toEqual([]);
      expect(harvest(host)).toEqual({ 'a.txt': content, 'b.txt': content });
    }
    rmSync(join(host, 'a.txt'));
    plant(inside, { 'a.txt': '4', 'b.txt': '1' });
    await sync();
    expect((await writeBack()).conflicts).toMatchObject([{ path: 'm/a.txt', reason: 'deleted' }]);
    expect(harvest(host)).toEqual({ 'b.txt': '1' });
  });

  test('what the model changed and changed back is no conflict (I-3)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ 'a.txt': '1' });
    for (const content of ['2', '1']) {
      plant(inside, { 'a.txt': content });
      await sync();
    }
    writeFileSync(join(host, 'a.txt'), 'user');
    expect(await writeBack()).toEqual({ written: [], conflicts: [], leftOut: [] });
    expect(harvest(host)).toEqual({ 'a.txt': 'user' });
  });

  test('another copy of what was mounted is written, and a changed copy is not (I-3)', async () => {
    const { root, session, section, inside, sync } = await mounted({ 'a.txt': '1', 'b.txt': '1' });
    plant(inside, { 'a.txt': '2', 'b.txt': '2' });
    await sync();
    const copy = plant(join(root, 'copy'), { 'm/a.txt': '1', 'm/b.txt': 'other' });
    const result = await writeBackToHost(session, section.workspace, copy);
    expect(result.conflicts).toMatchObject([{ path: 'm/b.txt', reason: 'edited' }]);
    expect(harvest(copy)).toEqual({ 'm/a.txt': '2', 'm/b.txt': 'other' });
  });

  test('an option that is misspelt is refused', async () => {
    const { writeBack } = await mounted({});
    for (const options of [{ onConflict: 'ask' }, { onConflicts: 'error' }])
      await expect(writeBack(options as WriteBackOptions)).rejects.toThrow(AdapterConfigError);
  });
});

describe('what may be run stays so', () => {
  test('programs that are new, changed, made anew and copied elsewhere (I-12)', async () => {
    const root = scratch();
    const host = plant(join(root, 'host', 'm'), { 'run.sh': '1', 'plain.sh': '1', 'off.sh': '1' });
    chmodSync(join(host, 'run.sh'), 0o755);
    chmodSync(join(host, 'off.sh'), 0o750);
    const again = await mounted({}, root);
    rmSync(join(again.inside, 'run.sh'));
    for (const [name, mode] of [
      ['run.sh', 0o755],
      ['new.sh', 0o700],
      ['plain.sh', 0o755],
      ['off.sh', 0o644],
    ] as const) {
      writeFileSync(join(again.inside, name), name === 'plain.sh' ? '1' : '2');
      chmodSync(join(again.inside, name), mode);
    }
    expect(await changedFiles(again.section.workspace, { diff: true })).toMatchObject([
      { path: 'm/new.sh', diff: expect.stringContaining('new file mode 100755') },
      { path: 'm/off.sh', diff: expect.stringContaining('old mode 100755\nnew mode 100644') },
      { path: 'm/plain.sh', diff: expect.stringContaining('old mode 100644\nnew mode 100755') },
      { path: 'm/run.sh', change: 'modified' },
    ]);
    await again.sync();
    const export_ = join(root, 'elsewhere');
    await writeBackToHost(again.session, again.section.workspace, export_);
    const result = await again.writeBack();
    expect(result.conflicts).toEqual([]);
    const modeOf = (folder: string, name: string) => statSync(join(folder, name)).mode & 0o777;
    const umask = process.umask();
    expect(modeOf(host, 'run.sh')).toBe(0o755);
    expect(modeOf(host, 'plain.sh')).toBe(0o755);
    expect(modeOf(host, 'off.sh')).toBe(0o640);
    expect(modeOf(host, 'new.sh')).toBe(0o777 & ~umask);
    for (const name of ['run.sh', 'plain.sh', 'new.sh']) expect(modeOf(join(export_, 'm'), name)).toBe(0o777 & ~umask);
  });
});

describe('repositories are left out', () => {
  const REPOSITORY: Tree = {
    HEAD: 'ref: refs/heads/main\n',
    config: '[core]\n\tfsmonitor = touch ran\n\tbare = true\n',
    'objects/info/keep': '',
    'refs/heads/keep': '',
    'hooks/post-checkout': '#!/bin/sh\n',
  };
  const below = (folder: string, tree: Tree): Tree =>
    Object.fromEntries(Object.entries(tree).map(([path, value]) => [`${folder}/${path}`, value]));

  test('a bare one that the model made, also nested, renamed, detached, by case (I-8)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ a: '1' });
    plant(inside, {
      ...below('bare', REPOSITORY),
      ...below('deep/er/x.git', { ...REPOSITORY, HEAD: `${'0a'.repeat(20)}\n` }),
      ...below('bare/modules/sub', REPOSITORY),
      'worktree/HEAD': 'ref:refs/heads/x',
      'worktree/commondir': '../bare\n',
      'worktree/gitdir': '/x/.git\n',
      'upper/Head': 'ref: refs/heads/main',
      'upper/Config': '[core]',
      'sub/.git': 'gitdir: ../bare/modules/sub\n',
      '.gitconfig': '[core]\n\tfsmonitor = touch ran\n',
      'bare/README': 'no file of Git',
      'config/config': 'no repository',
      'words/HEAD': 'the head of a list',
      'words/config': 'x',
    });
    await sync();
    const result = await writeBack();
    expect(harvest(host)).toEqual({
      a: '1',
      'bare/README': 'no file of Git',
      'config/config': 'no repository',
      'words/HEAD': 'the head of a list',
      'words/config': 'x',
    });
    expect(result.leftOut).toEqual(
      expect.arrayContaining(['m/bare/config', 'm/worktree/commondir', 'm/sub/.git', 'm/.gitconfig']),
    );
  });

  test('one of the host, when its HEAD was not mounted, and when the target is one (I-8)', async () => {
    const root = scratch();
    const host = plant(join(root, 'host', 'm'), { ...below('bare', REPOSITORY), 'main/a': '1', ...REPOSITORY });
    const session = new Session();
    const section = await ClaudeAgentWorkspaceSection.create({
      session,
      tempRoot: plant(join(root, 'tmp'), {}),
      mounts: [{ hostPath: host, excludeGlob: ['**/HEAD'] }],
    });
    const before = harvest(host);
    plant(join(section.tempDir, 'm'), {
      'bare/config': 'evil',
      'bare/hooks/pre-commit': 'evil',
      config: 'evil',
      'main/a': '2',
    });
    await syncWorkspaceToVfs(session, section.workspace);
    const result = await writeBackToHost(session, section.workspace, join(root, 'host'));
    expect(harvest(host)).toEqual({ ...before, 'main/a': '2' });
    expect(result.leftOut).toEqual(['m/bare/config', 'm/bare/hooks/pre-commit', 'm/config']);
  });

  test('configuration that a repository of the host includes, also from a worktree (I-8)', async () => {
    const root = scratch();
    const host = plant(join(root, 'host', 'm'), {
      '.git/config': '[include]\n\tpath = ../tools/git.conf\n[INCLUDE] path="../other dir/y" # z\n',
      'tools/git.conf': '[includeIf "gitdir:/"] path = deeper.conf',
      'tools/deeper.conf': '[user]',
      'tools/free.conf': '[user]',
      'tree/.git': 'gitdir: ../.git/worktrees/tree\n',
      '.git/worktrees/tree/commondir': '../..\n',
    });
    const session = new Session();
    const section = await ClaudeAgentWorkspaceSection.create({
      session,
      tempRoot: plant(join(root, 'tmp'), {}),
      mounts: [{ hostPath: host }],
    });
    const names = ['tools/git.conf', 'tools/deeper.conf', 'tools/free.conf', 'other dir/y'];
    plant(
      join(section.tempDir, 'm'),
      Object.fromEntries(names.map((name) => [name, '[core]\n\tfsmonitor = touch ran\n'])),
    );
    await syncWorkspaceToVfs(session, section.workspace);
    const result = await writeBackToHost(session, section.workspace, join(root, 'host'));
    expect(result.written).toEqual([join(host, 'tools/free.conf')]);
    expect(result.leftOut).toEqual(['m/other dir/y', 'm/tools/deeper.conf', 'm/tools/git.conf']);
  });

  describe('the value of `include.path` is read as Git reads it', () => {
    const odd: readonly [string, string][] = [
      ['[include]\n\tpath = "../team#1.conf"', 'team#1.conf'],
      ['[include]\n\tpath = ../"my team.conf"', 'my team.conf'],
      ['[include]\n\tpath = ../\\\nq.conf', 'q.conf'],
      ['[include]\r\n\tpath = ../\\\r\nq.conf\r\n', 'q.conf'],
      ['[include]\n\tpath = "../tab\\tx.conf"', 'tab\tx.conf'],
      ['[include]\n\tpath = ../a\\"b\\\\c.conf ; why', 'a"b\\c.conf'],
      ['[include]\n\tpath = ../in" ; "side.conf \t # why \\', 'in ; side.conf'],
      ['[include]\n\tpath = "../end "  ', 'end '],
      ['[include]\n\tpath = ../two  words.conf', 'two  words.conf'],
      ['[include]\n\tpath = "../over \\\n  lines.conf"', 'over   lines.conf'],
      ['[INCLUDE] PaTh=../case.conf', 'case.conf'],
      ['[include];x\n# path = "\n\tpath=../after.conf', 'after.conf'],
      ['[x] y = "[z] \\" path = 1"\n[include]\n\tpath\t=\t../tabs.conf', 'tabs.conf'],
      ['[x]\n\tflag\n[include]path = ../near.conf', 'near.conf'],
    ];

    test.each(odd)('%j', async (config, name) => {
      const { host, inside, sync, writeBack } = await mounted({ '.git/config': config, [name]: '[user]' });
      plant(inside, { [name]: '[core]\n\tfsmonitor = touch ran\n' });
      await sync();
      expect((await writeBack()).leftOut).toEqual([`m/${name}`]);
      expect(includesIn(config)).toEqual([`../${name}`]);
      const args = ['config', '--file', join(host, '.git/config'), '-z', '--get-all', 'include.path'];
      expect(execFileSync('git', args, { encoding: 'utf8' })).toBe(`../${name}\0`);
    });

    test.each([
      ['[includeIf "a]\\"b"] path = x', ['x']],
      ['[includeIf "gitdir:~/"]\n\tpath = x\n[y] path = z', ['x']],
      ['[include "sub"]\n\tpath\n\tpathy = 1\n\tmypath = 2\n\tx = path = 3', []],
      ['[include]\n\tpath = a\tb', ['a\tb', 'a b']],
      ['[include]\n\tpath = a\n\tpath = b', ['a', 'b']],
    ])('%j includes %j', (config, values) => {
      expect(includesIn(config)).toEqual(values);
    });
  });

  test('a file that is included through links, or that does not exist yet (I-8)', async () => {
    const { host, inside, sync, writeBack } = await mounted({
      '.git/config': '[include]\n\tpath = ../by/link.conf\n\tpath = ../dangling\n',
      'tools/real.conf': '[include]\n\tpath = next.conf\n',
      'by/next.conf': '[user]',
    });
    symlinkSync('../tools/real.conf', join(host, 'by/link.conf'));
    symlinkSync('new/made.conf', join(host, 'dangling'));
    const changed = ['tools/real.conf', 'by/next.conf', 'new/made.conf'];
    plant(inside, Object.fromEntries(changed.map((name) => [name, '[core]\n\tfsmonitor = touch ran\n'])));
    await sync();
    expect((await writeBack()).leftOut).toEqual(changed.map((name) => `m/${name}`).sort());
  });

  const UNKNOWN: readonly [string, Tree][] = [
    ['in the home of another user', { '.git/config': '[include]\n\tpath = ~nobody/team.conf' }],
    ['in the folder of Git', { '.git/config': '[include]\n\tpath = %(prefix)/team.conf' }],
    [
      'one of very many',
      { '.git/config': `[include]\n${Array.from({ length: 101 }, (_, n) => `path = ../${n}\n`).join('')}` },
    ],
    ['in a very large file', { '.git/config': `[include]\n\tpath = ../a.txt\n${'#'.repeat(1_000_000)}` }],
  ];
  test.each(UNKNOWN)('nothing is written where an included file is %s (I-8)', async (_what, tree) => {
    const { host, inside, sync, writeBack } = await mounted({ ...tree, 'a.txt': '1' });
    plant(inside, { 'a.txt': '2' });
    await sync();
    await expect(writeBack()).rejects.toBeInstanceOf(WorkspaceSecurityError);
    await expect(writeBack()).rejects.toThrow(join(host, '.git/config'));
    expect(harvest(host)['a.txt']).toBe('1');
  });

  test('one that is put together in several writings never gets its HEAD (I-8)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ a: '1' });
    plant(inside, below('b', { ...REPOSITORY, HEAD: 'not yet' }));
    await sync();
    await writeBack();
    plant(inside, { 'b/HEAD': 'ref: refs/heads/main' });
    await sync();
    await writeBack();
    expect(harvest(host)['b/HEAD']).toBe('not yet');
    // The program that `core.fsmonitor` names would make a file.
    expect(() =>
      execFileSync('git', ['rev-parse', '--is-bare-repository'], {
        cwd: join(host, 'b'),
        env: { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: join(host) },
        stdio: 'ignore',
      }),
    ).toThrow();
  });
});
