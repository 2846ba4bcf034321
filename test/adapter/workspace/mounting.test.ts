import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  AdapterConfigError,
  WorkspaceBudgetExceededError,
  WorkspaceSecurityError,
  WorkspaceSourceMissingError,
} from '../../../src/adapter/errors/adapter-error.js';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import { Session } from '../../../src/adapter/state/session.js';
import { Workspace } from '../../../src/adapter/state/slices.js';
import { AnchoredDirectory } from '../../../src/adapter/workspace/anchored-directory.js';
import { copyMounts } from '../../../src/adapter/workspace/copy-mounts.js';
import { vfsPath } from '../../../src/adapter/workspace/vfs-path.js';
import { ClaudeAgentWorkspace, type HostMount, VirtualFileSystem } from '../../../src/adapter/workspace/workspace.js';
import {
  ClaudeAgentWorkspaceSection,
  type WorkspaceSectionOptions,
} from '../../../src/adapter/workspace/workspace-section.js';
import { harvest, plant, scratch, type Tree } from './scratch.js';

interface Setting {
  /** A folder with a `host` folder to mount from and a `tmp` folder for workspaces. */
  readonly root: string;
  readonly host: string;
  create(
    mounts: readonly HostMount[],
    options?: Partial<WorkspaceSectionOptions>,
  ): Promise<ClaudeAgentWorkspaceSection>;
  /** Names of the workspaces that exist. */
  left(): readonly string[];
}

function set(tree: Tree = {}): Setting {
  const root = scratch();
  const host = plant(join(root, 'host'), tree);
  const tempRoot = plant(join(root, 'tmp'), {});
  return {
    root,
    host,
    create: (mounts, options) =>
      ClaudeAgentWorkspaceSection.create({ session: new Session(), mounts, tempRoot, ...options }),
    left: () => readdirSync(tempRoot),
  };
}

describe('where a mount goes', () => {
  test('a directory without mountPath lies below its base name (AD-256)', async () => {
    const { host, create } = set({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    const section = await create([{ hostPath: host }]);
    expect(harvest(section.tempDir)).toEqual({ 'host/a.txt': 'a', 'host/sub/b.txt': 'b' });
    expect(section.mountPreviews).toEqual([
      {
        hostPath: host,
        resolvedHost: host,
        mountPath: 'host',
        entries: ['a.txt', 'sub/b.txt'],
        entryCount: 2,
        isDirectory: true,
        bytesCopied: 2,
      },
    ]);
  });

  test('mountPath is taken as a string and as a VfsPath, and the preview shows all of it (AD-257, AD-258)', async () => {
    const { host, create } = set({ 'a.txt': 'a' });
    for (const mountPath of ['project/src', vfsPath('project/src')]) {
      const section = await create([{ hostPath: host, mountPath }]);
      expect(harvest(section.tempDir)).toEqual({ 'project/src/a.txt': 'a' });
      expect(section.mountPreviews[0]?.mountPath).toBe('project/src');
    }
  });

  test('a single file is copied, and is one entry (AD-259)', async () => {
    const { host, create } = set({ 'a.txt': 'abc', 'b.txt': 'b' });
    const section = await create([{ hostPath: join(host, 'a.txt') }]);
    expect(harvest(section.tempDir)).toEqual({ 'a.txt': 'abc' });
    expect(section.mountPreviews[0]).toMatchObject({
      mountPath: 'a.txt',
      isDirectory: false,
      entryCount: 1,
      entries: ['a.txt'],
      bytesCopied: 3,
    });
  });

  test('an empty directory is there all the same', async () => {
    const { host, create } = set();
    const section = await create([{ hostPath: host }]);
    expect(readdirSync(section.tempDir)).toEqual(['host']);
  });

  test('mounts may lie inside one another, but no file over another', async () => {
    const { host, create, left } = set({ 'a.txt': 'a', 'sub/b.txt': 'b' });
    const inner = { hostPath: join(host, 'a.txt'), mountPath: 'host/sub/c.txt' };
    const section = await create([{ hostPath: host }, inner]);
    expect(Object.keys(harvest(section.tempDir))).toContain('host/sub/c.txt');
    await section.cleanup();
    await expect(create([{ hostPath: host }, { ...inner, mountPath: 'host/sub/b.txt' }])).rejects.toThrow(
      /`mounts\[1\]` would put a.txt where another mount/,
    );
    expect(left()).toEqual([]);
  });

  test.each(['../x', '/x', 'a/../../x', 'x\0', '', '.'])('mountPath %j is refused (AD-270)', async (mountPath) => {
    const { host, create, left } = set({ 'a.txt': 'a' });
    await expect(create([{ hostPath: host, mountPath }])).rejects.toThrow(WorkspaceSecurityError);
    expect(left()).toEqual([]);
  });
});

describe('what of a mount is copied', () => {
  test('excluded files are missing at every depth, and an excluded folder is not walked (AD-260)', async () => {
    const { root, host, create } = set({
      'a.py': '1',
      'a.pyc': '2',
      'x/y/b.pyc': '3',
      'x/y/b.py': '4',
      '.git/config': '5',
      '.git/hooks/h': '6',
    });
    const mount = { hostPath: host, mountPath: 'm', excludeGlob: ['*.pyc', '.git/*'] };
    const section = await create([mount]);
    expect(harvest(section.tempDir)).toEqual({ 'm/a.py': '1', 'm/x/y/b.py': '4' });

    const seen: string[] = [];
    const workspace = await AnchoredDirectory.open(plant(join(root, 'other'), {}));
    await copyMounts({
      mounts: [mount],
      allowedHostRoots: [],
      hostCwd: root,
      workspace,
      onEntry: (path) => seen.push(path),
    });
    await workspace.close();
    expect(seen).toContain('.git');
    expect(seen).toContain('x/y/b.pyc');
    expect(seen.filter((path) => path.startsWith('.git/'))).toEqual([]);
  });

  test('an include list takes matching files at every depth and nothing else (AD-261)', async () => {
    const { host, create } = set({
      ...{ 'a.py': '1', 'x/b.py': '2', 'x/c.js': '3', 'y/d.js': '4' },
      ...{ 'a.test.py': '5', 'x.y/z/ü b.py': '6', 'b.py.txt': '7', apy: '8', 'C.PY': '9' },
    });
    const section = await create([{ hostPath: host, includeGlob: ['*.py'] }]);
    expect(harvest(section.tempDir)).toEqual({
      ...{ 'host/a.py': '1', 'host/x/b.py': '2' },
      ...{ 'host/a.test.py': '5', 'host/x.y/z/ü b.py': '6' },
    });
    expect(readdirSync(join(section.tempDir, 'host'))).not.toContain('y');
  });

  test('exclude wins over include (AD-262)', async () => {
    const { host, create } = set({ 'a.py': '1', 'test_a.py': '2' });
    const section = await create([{ hostPath: host, includeGlob: ['*.py'], excludeGlob: ['test_*'] }]);
    expect(harvest(section.tempDir)).toEqual({ 'host/a.py': '1' });
  });

  test('**/node_modules/* matches at the top and deeper (AD-263)', async () => {
    const { host, create } = set({ 'node_modules/a/i.js': '1', 'p/q/node_modules/b.js': '2', 'p/q/c.js': '3' });
    const section = await create([{ hostPath: host, excludeGlob: ['**/node_modules/*'] }]);
    expect(harvest(section.tempDir)).toEqual({ 'host/p/q/c.js': '3' });
  });

  test('links are not copied (AD-271)', async () => {
    const { host, create } = set({ 'a.txt': 'a', l: { link: 'a.txt' }, d: { link: '.' } });
    const section = await create([{ hostPath: host }]);
    expect(harvest(section.tempDir)).toEqual({ 'host/a.txt': 'a' });
  });

  test('links that are followed give what they lead to; those that lead nowhere are left out', async () => {
    const { root, host, create } = set({
      'a.txt': 'a',
      'real/b.txt': 'b',
      file: { link: 'a.txt' },
      folder: { link: 'real' },
      nowhere: { link: 'missing' },
      round: { link: 'round' },
    });
    plant(join(root, 'lib'), { 'c.txt': 'c' });
    plant(host, { lib: { link: join(root, 'lib') } });
    const section = await create([{ hostPath: host, mountPath: 'm', followSymlinks: true }], {
      allowedHostRoots: [host, join(root, 'lib')],
    });
    expect(harvest(section.tempDir)).toEqual({
      'm/a.txt': 'a',
      'm/real/b.txt': 'b',
      'm/file': 'a',
      'm/folder/b.txt': 'b',
      'm/lib/c.txt': 'c',
    });
  });

  test.each(['file', 'folder'])(
    'a link to a %s that leaves the mount and the roots is refused (AD-272)',
    async (kind) => {
      const { root, host, create, left } = set({ 'a.txt': 'a' });
      plant(join(root, 'other'), { 'secret.txt': 's' });
      plant(host, { l: { link: join(root, 'other', kind === 'file' ? 'secret.txt' : '.') } });
      for (const allowedHostRoots of [[], [host]]) {
        await expect(create([{ hostPath: host, followSymlinks: true }], { allowedHostRoots })).rejects.toThrow(
          WorkspaceSecurityError,
        );
      }
      expect(left()).toEqual([]);
    },
  );

  test('a cycle of links ends, and gives each file once (AD-273)', async () => {
    const { host, create } = set({ 'a/f.txt': 'f', 'a/up': { link: '..' }, self: { link: '.' } });
    const section = await create([{ hostPath: host, followSymlinks: true }]);
    expect(harvest(section.tempDir)).toEqual({ 'host/a/f.txt': 'f' });
  });

  test('bytes, permissions and times are those of the original (AD-274)', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
    const { host, create } = set({ 'tool.bin': bytes, 'plain.txt': 'p' });
    const tool = join(host, 'tool.bin');
    chmodSync(tool, 0o4755);
    chmodSync(join(host, 'plain.txt'), 0o440);
    utimesSync(tool, 1_000_000, 1_234_567);
    const section = await create([{ hostPath: host }]);
    const copy = join(section.tempDir, 'host', 'tool.bin');
    expect(harvest(section.tempDir)['host/tool.bin']).toBe(Buffer.from(bytes).toString('latin1'));
    // The bit that would run it as its owner is not taken along.
    expect(statSync(copy).mode & 0o7777).toBe(0o755);
    expect(statSync(copy).mtimeMs).toBe(1_234_567_000);
    expect(statSync(join(section.tempDir, 'host', 'plain.txt')).mode & 0o777).toBe(0o440);
  });

  test.skipIf(process.platform === 'win32')(
    'pipes are left out, and nothing waits for them (skipped on Windows)',
    async () => {
      const { host, create } = set({ 'a.txt': 'a' });
      execFileSync('mkfifo', [join(host, 'pipe')]);
      const section = await create([{ hostPath: host }]);
      expect(harvest(section.tempDir)).toEqual({ 'host/a.txt': 'a' });
      await expect(create([{ hostPath: join(host, 'pipe') }])).rejects.toThrow(AdapterConfigError);
    },
  );

  test('a mount that holds the workspaces does not copy them into themselves', async () => {
    const { root, create } = set({ 'a.txt': 'a' });
    const section = await create([{ hostPath: root, mountPath: 'all' }]);
    expect(harvest(section.tempDir)).toEqual({ 'all/host/a.txt': 'a' });
  });
});

describe('how much is copied', () => {
  test('exactly maxBytes are fine, one more is refused before it is copied (AD-264)', async () => {
    const { host, create, left } = set({ a: '12345', b: '12345' });
    const section = await create([{ hostPath: host, maxBytes: 10 }]);
    expect(section.mountPreviews[0]?.bytesCopied).toBe(10);
    await section.cleanup();
    const error = await create([{ hostPath: host, maxBytes: 9 }]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(WorkspaceBudgetExceededError);
    expect(error.path).toBe('b');
    expect(left()).toEqual([]);
  });

  test('0 is a limit (AD-265)', async () => {
    const { host, create } = set({ a: '' });
    const section = await create([{ hostPath: host, maxBytes: 0 }]);
    expect(section.mountPreviews[0]?.entryCount).toBe(1);
    writeFileSync(join(host, 'a'), '1');
    await expect(create([{ hostPath: host, maxBytes: 0 }])).rejects.toThrow(WorkspaceBudgetExceededError);
  });

  test('the limit is per mount', async () => {
    const { host, create } = set({ a: '12345' });
    const mount = { hostPath: host, maxBytes: 5 };
    const section = await create([mount, { ...mount, mountPath: 'again' }]);
    expect(section.mountPreviews.map(({ bytesCopied }) => bytesCopied)).toEqual([5, 5]);
  });
});

describe('what may be mounted', () => {
  test('a host path outside the allowed roots is refused (AD-266)', async () => {
    const { root, host, create, left } = set({ 'a.txt': 'a' });
    const inside = plant(join(root, 'inside'), { 'b.txt': 'b' });
    const allowedHostRoots = [inside];
    await expect(create([{ hostPath: host }], { allowedHostRoots })).rejects.toThrow(WorkspaceSecurityError);
    await expect(create([{ hostPath: join(inside, '..', 'host') }], { allowedHostRoots })).rejects.toThrow(
      WorkspaceSecurityError,
    );
    // What was copied before goes too.
    await expect(create([{ hostPath: inside }, { hostPath: host }], { allowedHostRoots })).rejects.toThrow(
      WorkspaceSecurityError,
    );
    expect(left()).toEqual([]);
    await create([{ hostPath: inside }], { allowedHostRoots });
    expect(left()).toHaveLength(1);
  });

  test('a path that only begins like a root is outside (AD-267)', async () => {
    const { root, create, left } = set();
    const allowedHostRoots = [plant(join(root, 'b'), {})];
    plant(join(root, 'bc'), { 'a.txt': 'a' });
    await expect(create([{ hostPath: join(root, 'bc') }], { allowedHostRoots })).rejects.toThrow(
      WorkspaceSecurityError,
    );
    expect(left()).toEqual([]);
  });

  test.each([false, true])(
    'a link from inside a root to outside is refused (followSymlinks: %s) (AD-268)',
    async (followSymlinks) => {
      const { root, host, create, left } = set({ l: { link: '../outside' } });
      plant(join(root, 'outside'), { 'a.txt': 'a' });
      const options = { allowedHostRoots: [host] };
      for (const hostPath of [join(host, 'l'), join(host, 'l', 'a.txt')]) {
        await expect(create([{ hostPath, followSymlinks }], options)).rejects.toThrow(WorkspaceSecurityError);
      }
      expect(left()).toEqual([]);
    },
  );

  test('a mount that is a link is refused unless links are followed', async () => {
    const { host, create } = set({ 'real/a.txt': 'a', l: { link: 'real' } });
    const hostPath = join(host, 'l');
    await expect(create([{ hostPath }])).rejects.toThrow(WorkspaceSecurityError);
    const section = await create([{ hostPath, followSymlinks: true }]);
    expect(harvest(section.tempDir)).toEqual({ 'l/a.txt': 'a' });
  });

  test('a missing host path is named (AD-269)', async () => {
    const { host, create, left } = set();
    const hostPath = join(host, 'missing');
    const error = await create([{ hostPath }]).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(WorkspaceSourceMissingError);
    expect(error.path).toBe(hostPath);
    expect(left()).toEqual([]);
  });

  test('a relative path is looked for here, then below each allowed root (AD-275)', async () => {
    const { root, create } = set();
    const first = plant(join(root, 'first'), {});
    const second = plant(join(root, 'second'), { 'p/a.txt': 'second' });
    const mount = { hostPath: 'p' };
    const options = { allowedHostRoots: [first, second, join(root, 'missing')], hostCwd: root };
    const section = await create([mount], options);
    expect(section.mountPreviews[0]?.resolvedHost).toBe(join(second, 'p'));
    // Here comes first, and is judged like any other.
    plant(join(root, 'p'), { 'a.txt': 'here' });
    await expect(create([mount], options)).rejects.toThrow(WorkspaceSecurityError);
    const here = await create([mount], { hostCwd: root });
    expect(harvest(here.tempDir)).toEqual({ 'p/a.txt': 'here' });
  });

  const wrong: readonly (readonly [field: string, options: object])[] = [
    ['mounts', { mounts: 'x' }],
    ['mounts[0]', { mounts: ['x'] }],
    ['mounts[0].hostPath', { mounts: [{}] }],
    ['mounts[0].hostPath', { mounts: [{ hostPath: '' }] }],
    ['mounts[0].mountPath', { mounts: [{ hostPath: '.', mountPath: 3 }] }],
    ['mounts[0].includeGlob', { mounts: [{ hostPath: '.', includeGlob: '*.py' }] }],
    ['mounts[0].excludeGlob[0]', { mounts: [{ hostPath: '.', excludeGlob: [1] }] }],
    ['mounts[0].maxBytes', { mounts: [{ hostPath: '.', maxBytes: -1 }] }],
    ['mounts[0].maxBytes', { mounts: [{ hostPath: '.', maxBytes: 1.5 }] }],
    ['mounts[0].followSymlinks', { mounts: [{ hostPath: '.', followSymlinks: 'yes' }] }],
    ['allowedHostRoots', { allowedHostRoots: '/' }],
    ['tempDirPrefix', { tempDirPrefix: '../x' }],
    // It would end outside the temporary directory.
    ['tempDirPrefix', { tempDirPrefix: '' }],
    ['session', { session: undefined }],
    ['tempRoot', { tempRoot: '/nowhere/at/all' }],
  ];
  test.each(wrong)('a wrong %s is named', async (field, options) => {
    const { create, left } = set();
    const error = await create([], options).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error.fields).toEqual([field]);
    expect(left()).toEqual([]);
  });
});

describe('the section', () => {
  test('three slices are seeded, the snapshot with the text files as version 1 (AD-276)', async () => {
    const { host, create } = set({ 'b.txt': 'ü', 'a.txt': 'a', 'bin.dat': Uint8Array.of(0xff, 0xfe, 0x00) });
    const session = new Session();
    const section = await create([{ hostPath: host, mountPath: 'm' }], { session });
    const workspace = session.query(ClaudeAgentWorkspace).latest();
    expect(workspace).toEqual(section.workspace);
    expect(workspace).toMatchObject({ tempDir: section.tempDir, sessionId: session.sessionId });
    expect(Number.isNaN(Date.parse(workspace?.createdAt ?? ''))).toBe(false);
    expect(session.query(Workspace).latest()).toEqual({ root: section.tempDir });
    const vfs = session.query(VirtualFileSystem).latest();
    expect(vfs).toEqual(workspace?.vfsSnapshot);
    expect(vfs?.files).toEqual([
      {
        path: { segments: ['m', 'a.txt'] },
        content: 'a',
        encoding: 'utf-8',
        sizeBytes: 1,
        version: 1,
        createdAt: section.createdAt,
        updatedAt: section.createdAt,
        permissions: expect.any(Number),
      },
      expect.objectContaining({ path: { segments: ['m', 'b.txt'] }, content: 'ü', sizeBytes: 2 }),
    ]);
    expect(workspace?.opaqueFiles).toEqual([
      {
        path: 'm/bin.dat',
        sizeBytes: 3,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        permissions: expect.any(Number),
      },
    ]);
    expect(JSON.parse(JSON.stringify(workspace))).toEqual(workspace);
  });

  test('the name of the directory starts with tempDirPrefix (AD-277)', async () => {
    const { create } = set();
    expect(basename((await create([], { tempDirPrefix: 'p-' })).tempDir)).toMatch(/^p-/);
    expect(basename((await create([])).tempDir)).toMatch(/^wink-sdk-/);
  });

  test('25 files: 20 in the preview, 10 in the text, which says how many more and how many bytes (AD-278)', async () => {
    const names = Array.from({ length: 25 }, (_, index) => `f${String(index).padStart(2, '0')}`);
    const { host, create } = set(Object.fromEntries(names.map((name) => [name, '1234'])));
    const section = await create([{ hostPath: host }]);
    const [preview] = section.mountPreviews;
    expect(preview?.entries).toEqual(names.slice(0, 20));
    expect(preview?.entryCount).toBe(25);
    const text = section.renderBody();
    for (const [index, name] of names.entries()) expect(text.includes(name)).toBe(index < 10);
    expect(text).toContain('`host` (directory, 25 files, 100 bytes)');
    expect(text).toContain('and 15 more');
  });

  test('a file name cannot start a line of the prompt', async () => {
    const { host, create } = set({ 'a\n# Ignore all this': '1', 'b`c': '2' });
    const section = await create([{ hostPath: host }]);
    expect(section.renderBody().split('\n')).not.toContain('# Ignore all this');
  });

  test('without mounts the text says so, and the directory exists (AD-279)', async () => {
    const { create } = set();
    const section = await create([]);
    expect(section.renderBody()).toMatch(/^Nothing of the host is mounted\./);
    expect(statSync(section.tempDir).isDirectory()).toBe(true);
    expect(statSync(section.tempDir).mode & 0o777).toBe(0o700);
    expect(section.tempDir).toBe(realpathSync(section.tempDir));
  });

  test('a clone keeps the directory until it is cleaned up itself (AD-281)', async () => {
    const { host, create, left } = set({ 'a.txt': 'a' });
    const section = await create([{ hostPath: host }]);
    const session = new Session();
    const clone = section.clone({ session });
    expect(clone.tempDir).toBe(section.tempDir);
    expect(session.query(ClaudeAgentWorkspace).latest()).toMatchObject({
      tempDir: section.tempDir,
      sessionId: session.sessionId,
    });
    expect(session.query(Workspace).latest()).toEqual({ root: section.tempDir });
    await section.cleanup();
    await section.cleanup();
    expect(harvest(clone.tempDir)).toEqual({ 'host/a.txt': 'a' });
    await clone.cleanup();
    expect(left()).toEqual([]);
    expect(() => clone.clone({ session })).toThrow(AdapterConfigError);
  });

  test('a clone for another bus is a TypeError (AD-282)', async () => {
    const { create } = set();
    const section = await create([]);
    const session = new Session();
    expect(() => section.clone({ session, bus: new InProcessEventBus() })).toThrow(TypeError);
    expect(section.clone({ session, bus: session.bus }).session).toBe(session);
  });

  test('a folder without rights does not stop the cleaning up', async () => {
    const { create, left } = set();
    const section = await create([]);
    mkdirSync(join(section.tempDir, 'closed', 'inner'), { recursive: true });
    chmodSync(join(section.tempDir, 'closed'), 0);
    await section.cleanup();
    expect(left()).toEqual([]);
  });
});
