import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { AdapterConfigError, WorkspaceSecurityError } from '../../../src/adapter/errors/adapter-error.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { Session } from '../../../src/adapter/state/index.js';
import { vfsPath } from '../../../src/adapter/workspace/vfs-path.js';
import { DeleteEntry, VirtualFileSystem, WriteFile } from '../../../src/adapter/workspace/workspace.js';
import { extractModifiedFiles, syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { writeBackToHost } from '../../../src/adapter/workspace/write-back.js';
import { harvest, plant, scratch, type Tree } from './scratch.js';

/** A workspace with `tree` at its top, made for a session of its own. */
async function workspaceOf(tree: Tree) {
  const root = scratch();
  const session = new Session();
  const tempRoot = plant(join(root, 'tmp'), {});
  const section = await ClaudeAgentWorkspaceSection.create({
    session,
    tempRoot,
    mounts: [{ hostPath: plant(join(root, 'host'), tree), mountPath: 'm' }],
  });
  const inside = join(section.tempDir, 'm');
  const versions = () =>
    Object.fromEntries(
      (session.query(VirtualFileSystem).latest()?.files ?? []).map(({ path, version }) => [
        path.segments.join('/'),
        version,
      ]),
    );
  return { root, session, section, workspace: section.workspace, inside, versions };
}

const BINARY = Uint8Array.of(0xff, 0x00, 0xfe);

describe('the file system of the session', () => {
  test('the section contributes no tools (AD-280)', async () => {
    const { session, section } = await workspaceOf({ a: '1' });
    const rendered = new Prompt({ ns: 'n', key: 'k', sections: [section] }).render({ session });
    expect(rendered.tools).toEqual([]);
    expect(rendered.text).toContain('Workspace');
    expect(rendered.text).toContain('`m` (directory, 1 file, 1 bytes)');
  });

  test('sync counts new and changed files, raises versions and skips what is not text (AD-283)', async () => {
    const { session, workspace, inside, versions } = await workspaceOf({ same: '1', old: '2' });
    plant(inside, { new: '3', old: '2b', bin: BINARY });
    const before = session.query(VirtualFileSystem).latest()?.files;
    expect(await syncWorkspaceToVfs(session, workspace)).toEqual({
      synced: 2,
      created: 1,
      modified: 1,
      deleted: 0,
      skipped: 1,
    });
    expect(versions()).toEqual({ 'm/new': 1, 'm/old': 2, 'm/same': 1 });
    const after = session.query(VirtualFileSystem).latest()?.files;
    expect(after?.find(({ version }) => version === 2)).toMatchObject({
      content: '2b',
      sizeBytes: 2,
      createdAt: before?.[0]?.createdAt,
    });
    expect(await syncWorkspaceToVfs(session, workspace)).toMatchObject({ synced: 0, skipped: 1 });
  });

  test('two workspaces in one session, and a clone of the session, count a change once', async () => {
    const { root, session, section, workspace, inside } = await workspaceOf({ a: '1' });
    section.clone({ session });
    const copy = session.clone();
    await ClaudeAgentWorkspaceSection.create({ session: copy, tempRoot: root });
    section.clone({ session: copy });
    plant(inside, { a: '2' });
    for (const each of [session, copy]) {
      await syncWorkspaceToVfs(each, workspace);
      expect(each.query(VirtualFileSystem).latest()?.files[0]?.version).toBe(2);
    }
  });

  test('deleted files leave the slice only with deletions on (AD-284)', async () => {
    const { session, workspace, inside, versions } = await workspaceOf({ a: '1', 'd/b': '2' });
    rmSync(join(inside, 'd'), { recursive: true });
    expect(await syncWorkspaceToVfs(session, workspace, { deletions: false })).toMatchObject({ deleted: 0 });
    expect(versions()).toEqual({ 'm/a': 1, 'm/d/b': 1 });
    expect(await syncWorkspaceToVfs(session, workspace)).toMatchObject({ deleted: 1, synced: 0 });
    expect(versions()).toEqual({ 'm/a': 1 });
  });

  test('nothing is synchronised by itself (AD-285)', async () => {
    const { session, workspace, inside } = await workspaceOf({ a: '1' });
    plant(inside, { a: '2', b: '3' });
    expect(session.query(VirtualFileSystem).latest()).toEqual(workspace.vfsSnapshot);
  });

  test('the new and the changed file are extracted, with content (AD-286)', async () => {
    const { session, workspace, inside } = await workspaceOf({ same: '1', old: '2', gone: '3' });
    expect(extractModifiedFiles(session, workspace).size).toBe(0);
    plant(inside, { 'x/new': 'n', old: 'o' });
    rmSync(join(inside, 'gone'));
    await syncWorkspaceToVfs(session, workspace);
    expect([...extractModifiedFiles(session, workspace)]).toEqual([
      ['m/old', 'o'],
      ['m/x/new', 'n'],
    ]);
  });

  test('events write, append and delete', async () => {
    const { session, versions } = await workspaceOf({ a: '1', 'd/b': '2', 'd/c': '3', da: '4' });
    const vfs = session.mutate(VirtualFileSystem);
    vfs.dispatch(WriteFile, { path: vfsPath('m/a'), content: '!', mode: 'append' });
    vfs.dispatch(WriteFile, { path: vfsPath('m/z'), content: 'z', mode: 'append' });
    // Refused: it exists; it is no relative path.
    vfs.dispatch(WriteFile, { path: vfsPath('m/a'), content: 'x', mode: 'create' });
    vfs.dispatch(WriteFile, { path: { segments: ['..', 'a'] }, content: 'x', mode: 'overwrite' });
    vfs.dispatch(DeleteEntry, { path: vfsPath('m/d') });
    expect(versions()).toEqual({ 'm/a': 2, 'm/da': 1, 'm/z': 1 });
    expect(session.query(VirtualFileSystem).latest()?.files[0]?.content).toBe('1!');
  });
});

describe('writing back', () => {
  async function changed(tree: Tree) {
    const setting = await workspaceOf({ same: '1', old: '2' });
    plant(setting.inside, tree);
    await syncWorkspaceToVfs(setting.session, setting.workspace);
    const target = join(setting.root, 'target');
    const writeBack = () => writeBackToHost(setting.session, setting.workspace, target);
    return { ...setting, target, writeBack };
  }

  test('both files are written below the target, and their paths returned (AD-287)', async () => {
    const { target, writeBack } = await changed({ 'deep/er/new': 'ü', old: '2b', bin: BINARY });
    expect((await writeBack()).written).toEqual([join(target, 'm/deep/er/new'), join(target, 'm/old')]);
    expect(harvest(target)).toEqual({ 'm/deep/er/new': 'Ã¼', 'm/old': '2b' });
  });

  test('what is there keeps its permissions, and its other names keep their content', async () => {
    const { root, target, writeBack } = await changed({ old: 'changed' });
    // As it was mounted.
    plant(target, { 'm/old': '2', 'm/other': 'untouched' });
    chmodSync(join(target, 'm/old'), 0o640);
    linkSync(join(target, 'm/old'), join(root, 'elsewhere'));
    await writeBack();
    expect(harvest(target)).toEqual({ 'm/old': 'changed', 'm/other': 'untouched' });
    expect(statSync(join(target, 'm/old')).mode & 0o777).toBe(0o640);
    expect(readFileSync(join(root, 'elsewhere'), 'utf8')).toBe('2');
  });

  const links = ['m', 'm/deep', 'm/old', 'm/deep/new'];
  test.each(links)('a link at %s that leads elsewhere is refused (AD-288)', async (at) => {
    const { root, target, writeBack } = await changed({ 'deep/new': 'n', old: 'o' });
    const outside = plant(join(root, 'outside'), { old: 'safe', new: 'safe', 'deep/new': 'safe' });
    const isFile = /old|new/.test(at);
    plant(target, { [at]: { link: isFile ? join(outside, 'old') : outside } });
    const before = harvest(target);
    await expect(writeBack()).rejects.toThrow(WorkspaceSecurityError);
    expect(harvest(outside)).toEqual({ old: 'safe', new: 'safe', 'deep/new': 'safe' });
    // Not even the files that could have been written.
    expect(harvest(target)).toEqual(before);
  });

  test('a link that leads nowhere yet is refused too', async () => {
    const { root, target, writeBack } = await changed({ old: 'o' });
    plant(target, { 'm/old': { link: join(root, 'not-yet') } });
    await expect(writeBack()).rejects.toThrow(WorkspaceSecurityError);
    expect(existsSync(join(root, 'not-yet'))).toBe(false);
  });

  test('a link that stays below the target is followed', async () => {
    const { target, writeBack } = await changed({ old: 'o' });
    plant(target, { 'real/x': '1', m: { link: 'real' } });
    expect((await writeBack()).written).toEqual([join(target, 'real/old')]);
    expect(harvest(join(target, 'real'))).toEqual({ old: 'o', x: '1' });
  });

  test('a directory in the way, and a target that cannot be one, are named', async () => {
    const { session, root, workspace, target, writeBack } = await changed({ old: 'o' });
    mkdirSync(join(target, 'm/old'), { recursive: true });
    expect((await writeBack()).conflicts).toMatchObject([{ path: 'm/old', reason: 'not_a_file' }]);
    const file = join(root, 'file');
    writeFileSync(file, '');
    await expect(writeBackToHost(session, workspace, file)).rejects.toThrow(AdapterConfigError);
    await expect(writeBackToHost(session, workspace, '')).rejects.toThrow(AdapterConfigError);
    expect(readFileSync(file, 'utf8')).toBe('');
  });

  test('a path that a caller dispatched cannot leave the target', async () => {
    const { root, session, target, writeBack } = await changed({ old: 'o' });
    const file = session.query(VirtualFileSystem).latest()?.files[0];
    if (file === undefined) throw new Error('no file');
    for (const segments of [['..', 'x'], ['a/../../x'], ['/x'], ['x\0']]) {
      session.mutate(VirtualFileSystem).seed({ files: [{ ...file, path: { segments } }] });
      await expect(writeBack()).rejects.toThrow(WorkspaceSecurityError);
    }
    expect(existsSync(join(root, 'x'))).toBe(false);
    expect(existsSync(target)).toBe(false);
  });

  test('what Git and the CLI would take for their own configuration is not written back', async () => {
    const { root, session, workspace, inside } = await workspaceOf({ a: '1' });
    plant(inside, {
      a: '2',
      '.git/hooks/pre-commit': 'evil',
      'sub/.GIT/config': 'evil',
      '.mcp.json': '{}',
      'sub/.claude.json': '{}',
      '.gitignore': 'x',
    });
    await syncWorkspaceToVfs(session, workspace);
    expect([...extractModifiedFiles(session, workspace).keys()]).toContain('m/.mcp.json');
    const target = join(root, 'target');
    await writeBackToHost(session, workspace, target);
    expect(harvest(target)).toEqual({ 'm/a': '2', 'm/.gitignore': 'x' });
  });

  test.each([
    ['.claude', 'settings.json'],
    ['.git', 'config'],
  ])('a link in the target that leads to %s is refused, and nothing is written', async (folder, name) => {
    const { root, session, workspace, inside } = await workspaceOf({ a: '1' });
    plant(inside, { a: '2', [`.agents/${name}`]: 'evil', '.agents/new/deeper': 'evil' });
    await syncWorkspaceToVfs(session, workspace);
    const target = join(root, 'target');
    plant(target, { [`m/${folder}/${name}`]: 'good' });
    symlinkSync(folder, join(target, 'm', '.agents'));
    await expect(writeBackToHost(session, workspace, target)).rejects.toThrow(/which is configuration, through a link/);
    expect(harvest(target)).toMatchObject({ [`m/${folder}/${name}`]: 'good' });
    expect(existsSync(join(target, 'm', 'a'))).toBe(false);
  });

  test('.claude is not snapshot, synchronised, extracted or written back, at the top and below (AD-413)', async () => {
    const { root, session, workspace, inside, versions } = await workspaceOf({
      a: '1',
      '.claude/settings.json': '{}',
      'sub/.claude/settings.json': '{}',
    });
    expect(versions()).toEqual({ 'm/a': 1 });
    for (const folder of [workspace.tempDir, inside, join(inside, 'sub')]) {
      plant(folder, {
        '.claude/.cc-writes/x': 'x',
        '.claude/settings.json': '{"hooks":{}}',
        '.Claude/settings.json': '{"hooks":{}}',
      });
    }
    plant(inside, { a: '2' });
    expect(await syncWorkspaceToVfs(session, workspace)).toEqual({
      synced: 1,
      created: 0,
      modified: 1,
      deleted: 0,
      skipped: 0,
    });
    // However it came into the slice.
    session
      .mutate(VirtualFileSystem)
      .dispatch(WriteFile, { path: vfsPath('m/.claude/settings.json'), content: '{}', mode: 'create' });
    expect([...extractModifiedFiles(session, workspace).keys()]).toEqual(['m/a']);
    const target = join(root, 'target');
    expect((await writeBackToHost(session, workspace, target)).written).toEqual([join(target, 'm/a')]);
    expect(harvest(target)).toEqual({ 'm/a': '2' });
  });
});

describe('the end of a workspace', () => {
  test('cleaning up twice is fine (AD-289)', async () => {
    const { section, inside } = await workspaceOf({ a: '1' });
    await section.cleanup();
    expect(existsSync(inside)).toBe(false);
    expect(existsSync(section.tempDir)).toBe(false);
    await section.cleanup();
    await section[Symbol.asyncDispose]();
  });

  test('a directory that somebody else removed is fine', async () => {
    const { root, section } = await workspaceOf({ a: '1' });
    rmSync(section.tempDir, { recursive: true });
    await section.cleanup();
    expect(harvest(join(root, 'tmp'))).toEqual({});
    expect(harvest(join(root, 'host'))).toEqual({ a: '1' });
  });

  test('what links in it lead to stays', async () => {
    const { root, section, inside } = await workspaceOf({ a: '1' });
    const outside = plant(join(root, 'outside'), { 'd/x': '1' });
    symlinkSync(outside, join(inside, 'folder'));
    symlinkSync(join(outside, 'd/x'), join(inside, 'file'));
    await section.cleanup();
    expect(harvest(outside)).toEqual({ 'd/x': '1' });
  });

  // Other systems refuse such names.
  test.skipIf(process.platform !== 'linux')(
    'names that are no UTF-8 are left out, and removed (Linux only)',
    async () => {
      const { session, section, workspace, inside } = await workspaceOf({ a: '1' });
      const raw = (name: number[]) => Buffer.concat([Buffer.from(`${inside}/`), Buffer.from(name)]);
      mkdirSync(raw([0xff]));
      writeFileSync(Buffer.concat([raw([0xff]), Buffer.from([0x2f, 0xfe])]), 'x');
      writeFileSync(raw([0xfd]), 'x');
      plant(inside, { '\ufffd': 'its name is this very character' });
      expect(await syncWorkspaceToVfs(session, workspace)).toMatchObject({ synced: 1, created: 1 });
      await section.cleanup();
      expect(existsSync(section.tempDir)).toBe(false);
    },
  );

  // Elsewhere a path of that length cannot be made.
  test.skipIf(process.platform !== 'linux')('folders deeper than paths can be are removed (Linux only)', async () => {
    const { section } = await workspaceOf({ a: '1' });
    let at = section.tempDir;
    const name = 'd'.repeat(200);
    for (let depth = 0; depth < 15; depth += 1) at = join(at, name);
    mkdirSync(at, { recursive: true });
    // Beyond the longest path, step by step.
    const dig = 'for (let depth = 0; depth < 100; depth += 1) { fs.mkdirSync(NAME); process.chdir(NAME); }';
    execFileSync(process.execPath, ['-e', dig.replaceAll('NAME', `'${name}'`)], { cwd: at });
    await section.cleanup();
    expect(existsSync(section.tempDir)).toBe(false);
  });

  test('with cleanupOnFinalize false the directory outlives its section, else it does not (AD-290)', async () => {
    const root = scratch();
    const make = async (cleanupOnFinalize: boolean): Promise<string> => {
      const session = new Session();
      const options = { session, tempRoot: root, cleanupOnFinalize };
      return (await ClaudeAgentWorkspaceSection.create(options)).tempDir;
    };
    const kept = await make(false);
    const collected = await make(true);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const turns = async (count: number, isOver: () => boolean): Promise<void> => {
      for (let round = 0; round < count && !isOver(); round += 1) {
        collect();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await turns(500, () => !existsSync(collected));
    expect(existsSync(collected)).toBe(false);
    // As much again: both were collected together, if at all.
    await turns(50, () => !existsSync(kept));
    expect(existsSync(kept)).toBe(true);
  });
});
