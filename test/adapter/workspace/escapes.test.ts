import { readdirSync, renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AdapterError, WorkspaceSecurityError } from '../../../src/adapter/errors/adapter-error.js';
import { Session } from '../../../src/adapter/state/session.js';
import { AnchoredDirectory } from '../../../src/adapter/workspace/anchored-directory.js';
import { copyMounts } from '../../../src/adapter/workspace/copy-mounts.js';
import { copyFile } from '../../../src/adapter/workspace/file-content.js';
import { readWorkspace } from '../../../src/adapter/workspace/read-workspace.js';
import { removeDirectory } from '../../../src/adapter/workspace/remove-directory.js';
import { VirtualFileSystem, vfsFile } from '../../../src/adapter/workspace/workspace.js';
import { changedFiles, syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { writeBackToHost } from '../../../src/adapter/workspace/write-back.js';
import { harvest, makeScratch, plant, scratch, type Tree } from './scratch.js';

const CANARY = 'the content of a file that nobody mounted';
const OUTSIDE: Tree = { 'a.txt': CANARY, 'd/a.txt': CANARY, 'd/d/a.txt': CANARY, 'd/b.txt': CANARY };

async function inScratch(act: (root: string) => Promise<void>): Promise<void> {
  const root = makeScratch();
  try {
    await act(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Only our own errors may come out; everything else is thrown on. */
async function orRefused(done: Promise<unknown>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!(error instanceof AdapterError)) throw error;
  });
}

/** Names that have fooled somebody before. */
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a.txt', 'd', 'b.txt', 'A.TXT') },
  fc.constantFrom('...', '..d', ' ', '-rf', '~', 'CON', 'a\\b', '%2e%2e', 'é', 'e\u0301', '$HOME', '\u202e'),
  fc.constantFrom('l'.repeat(255), '\n', '*', '[', '.claude', '.git'),
);
const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.uint8Array({ maxLength: 20 }),
  // `@` becomes the folder that holds everything.
  fc
    .constantFrom(
      '@/outside',
      '@/outside/a.txt',
      '@/outside/d',
      '..',
      '../..',
      '../outside',
      '/',
      '.',
      'd',
      'a.txt',
      '@/host',
      '@/host/d',
    )
    .map((link) => ({ link })),
);
const tree = fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), content), { maxLength: 8 });

/** Plants what can be planted: a path may lead through a file that is there already. Never writes through a link. */
function plantSome(root: string, folder: string, entries: readonly (readonly [string[], Tree[string]])[]): Tree {
  const planted: Record<string, Tree[string]> = {};
  plant(folder, {});
  for (const [segments, value] of entries) {
    const path = segments.join('/');
    const isBlocked = Object.keys(planted).some(
      (other) => other === path || path.startsWith(`${other}/`) || other.startsWith(`${path}/`),
    );
    if (isBlocked) continue;
    const isLink = typeof value === 'object' && 'link' in value;
    planted[path] = isLink ? { link: value.link.replace('@', root) } : value;
    plant(folder, { [path]: planted[path] as Tree[string] });
  }
  return planted;
}

describe('whatever the tree looks like', () => {
  test('a mount gives files of the mount and of nowhere else', async () => {
    await fc.assert(
      fc.asyncProperty(tree, fc.boolean(), fc.boolean(), async (entries, followSymlinks, withRoots) => {
        await inScratch(async (root) => {
          plant(join(root, 'outside'), OUTSIDE);
          const planted = plantSome(root, join(root, 'host'), entries);
          const own = new Set(
            Object.values(planted)
              .filter((value) => typeof value === 'string' || value instanceof Uint8Array)
              .map((value) => Buffer.from(value as Uint8Array).toString('latin1')),
          );
          const create = ClaudeAgentWorkspaceSection.create({
            session: new Session(),
            tempRoot: plant(join(root, 'tmp'), {}),
            mounts: [{ hostPath: join(root, 'host'), mountPath: 'm', followSymlinks }],
            allowedHostRoots: withRoots ? [join(root, 'host')] : [],
          });
          await orRefused(
            create.then(({ tempDir }) => {
              for (const [path, copied] of Object.entries(harvest(tempDir)))
                expect([path, own.has(copied)]).toEqual([path, true]);
            }),
          );
          if ((await create.catch(() => undefined)) === undefined) expect(readdirSync(join(root, 'tmp'))).toEqual([]);
          expect(harvest(join(root, 'outside'))).toEqual(OUTSIDE);
        });
      }),
      { numRuns: 40 },
    );
  });

  test('what a model left in a workspace is read and removed without leaving it', async () => {
    await fc.assert(
      fc.asyncProperty(tree, async (entries) => {
        await inScratch(async (root) => {
          plant(join(root, 'outside'), OUTSIDE);
          const session = new Session();
          const section = await ClaudeAgentWorkspaceSection.create({ session, tempRoot: root });
          plantSome(root, join(section.tempDir, 'w'), entries);
          await syncWorkspaceToVfs(session, section.workspace);
          const seen = [
            session.query(VirtualFileSystem).latest(),
            await changedFiles(section.workspace, { diff: true }),
          ];
          expect(JSON.stringify(seen)).not.toContain(CANARY);
          await section.cleanup();
          expect(readdirSync(root)).toEqual(['outside']);
          expect(harvest(join(root, 'outside'))).toEqual(OUTSIDE);
        });
      }),
      { numRuns: 40 },
    );
  });

  test('writing back changes files below the target and nothing else', async () => {
    const segment = fc.oneof({ weight: 6, arbitrary: name }, fc.constantFrom('..', '.', '', 'a/../..', '\0', '/'));
    const paths = fc.array(fc.array(segment, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(tree, paths, async (entries, wanted) => {
        await inScratch(async (root) => {
          plant(join(root, 'outside'), OUTSIDE);
          const session = new Session();
          const section = await ClaudeAgentWorkspaceSection.create({ session, tempRoot: root });
          const target = join(root, 'target');
          plantSome(root, target, entries);
          const files = wanted.map((segments) => vfsFile({ path: { segments }, content: 'written' }, '2026-01-01'));
          session.mutate(VirtualFileSystem).seed({ files });
          await orRefused(writeBackToHost(session, section.workspace, target));
          await section.cleanup();
          expect(harvest(join(root, 'outside'))).toEqual(OUTSIDE);
          expect(readdirSync(root).sort()).toEqual(['outside', 'target']);
          expect(Object.keys(harvest(target)).filter((path) => path.endsWith('.tmp'))).toEqual([]);
        });
      }),
      { numRuns: 40 },
    );
  });
});

describe('what changes between looking and opening', () => {
  const swaps = {
    'the file becomes a link': (path: string, outside: string) => replace(path, join(outside, 'a.txt')),
    'the folder becomes a link': (path: string, outside: string) => replace(path, outside),
    'the folder above becomes a link': (path: string, outside: string) => replace(dirname(path), join(outside, 'd')),
    'the mount becomes a link': (path: string, outside: string) =>
      replace(path.slice(0, path.indexOf('/host') + 5), outside),
    'it is gone': (path: string) => rmSync(path, { recursive: true, force: true }),
  };

  for (const [what, swap] of Object.entries(swaps)) {
    test(`${what}: nothing outside is copied`, async () => {
      const tree = { 'a.txt': '1', 'd/a.txt': '2', 'd/b.txt': '3', 'd/d/a.txt': '4' };
      for (const at of ['a.txt', 'd', 'd/a.txt', 'd/b.txt', 'd/d', 'd/d/a.txt']) {
        await inScratch(async (root) => {
          const host = plant(join(root, 'host'), tree);
          const outside = plant(join(root, 'outside'), OUTSIDE);
          const workspace = await AnchoredDirectory.open(plant(join(root, 'w'), {}));
          let swapped = 0;
          const onEntry = (path: string): void => {
            if (path !== at) return;
            swapped += 1;
            swap(join(host, path), outside);
          };
          const mounts = [{ hostPath: host, mountPath: 'm' }];
          const input = { mounts, allowedHostRoots: [root], hostCwd: root, workspace, onEntry };
          await orRefused(copyMounts(input));
          await workspace.close();
          expect(swapped).toBe(1);
          expect(Object.values(harvest(join(root, 'w')))).not.toContain(CANARY);
          expect(harvest(outside)).toEqual(OUTSIDE);
        });
      }
    });
  }

  test('a link that is swapped after it was judged leads nowhere else', async () => {
    const root = scratch();
    const host = plant(join(root, 'host'), { 'd/a.txt': '1', 'z/l': { link: '../d/a.txt' } });
    const outside = plant(join(root, 'outside'), OUTSIDE);
    const workspace = await AnchoredDirectory.open(plant(join(root, 'w'), {}));
    const mounts = [{ hostPath: host, mountPath: 'm', followSymlinks: true }];
    const onEntry = (path: string): void => {
      if (path === 'z/l') replace(join(host, 'd'), outside);
    };
    const done = copyMounts({ mounts, allowedHostRoots: [], hostCwd: root, workspace, onEntry });
    await expect(done).rejects.toThrow(WorkspaceSecurityError);
    await workspace.close();
    expect(Object.values(harvest(join(root, 'w')))).not.toContain(CANARY);
  });

  test('a file that grows after it was measured is copied as far as it went', async () => {
    const root = scratch();
    const host = plant(join(root, 'host'), { 'a.txt': '1234567890' });
    const folder = await AnchoredDirectory.open(host);
    onTestFinished(() => folder.close());
    const file = await folder.openFile('a.txt');
    if (file === undefined) throw new Error('no file');
    onTestFinished(() => file.close());
    const asked: number[] = [];
    const copied = await copyFile(file, folder, 'copy', (size) => {
      asked.push(size);
      truncateSync(join(host, 'a.txt'), 1_000_000);
    });
    expect({ asked, copied }).toEqual({ asked: [10], copied: 10 });
    expect(harvest(host).copy).toBe('1234567890');
  });
});

/** Another thread swaps a folder for a link to the outside and back, as fast as it can, while `act` runs. */
async function whileSwapping(folder: string, outside: string, act: () => Promise<void>): Promise<void> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const link = `${folder}.link`;
  symlinkSync(outside, link);
  const worker = new Worker(
    `const { renameSync } = require('node:fs');
     const { folder, link, stop } = require('node:worker_threads').workerData;
     while (Atomics.load(stop, 0) === 0) {
       try {
         renameSync(folder, folder + '.real');
         renameSync(link, folder);
         renameSync(folder, link);
         renameSync(folder + '.real', folder);
       } catch {}
     }`,
    { eval: true, workerData: { folder, link, stop } },
  );
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  await new Promise((resolve) => worker.once('online', resolve));
  try {
    await act();
  } finally {
    Atomics.store(stop, 0, 1);
    await ended;
  }
}

// Elsewhere Node has no way to walk that such a thread could not bend (docs/adapter/workspace.md).
describe.skipIf(process.platform !== 'linux')('a folder that is swapped for a link all the time (Linux only)', () => {
  const rounds = Array.from({ length: 80 }, (_, index) => index);

  test('nothing outside is mounted', async () => {
    const root = scratch();
    const host = plant(join(root, 'host'), { 'd/a.txt': '1', 'd/b.txt': '2', 'd/d/a.txt': '3' });
    const outside = plant(join(root, 'outside'), OUTSIDE);
    await whileSwapping(join(host, 'd'), join(outside, 'd'), async () => {
      for (const round of rounds) {
        const create = ClaudeAgentWorkspaceSection.create({
          session: new Session(),
          tempRoot: root,
          mounts: [{ hostPath: host, mountPath: 'm', followSymlinks: round % 2 === 0 }],
          allowedHostRoots: [host],
        });
        await orRefused(
          create.then(async (section) => {
            expect(Object.values(harvest(section.tempDir))).not.toContain(CANARY);
            await section.cleanup();
          }),
        );
      }
    });
  });

  test('nothing outside is read', async () => {
    const root = scratch();
    const inside = plant(join(root, 'w'), { 'd/a.txt': '1', 'd/b.txt': '2', 'd/d/a.txt': '3' });
    const outside = plant(join(root, 'outside'), OUTSIDE);
    await whileSwapping(join(inside, 'd'), join(outside, 'd'), async () => {
      for (const _ of rounds) {
        const { texts } = await readWorkspace(inside);
        expect(texts.map((file) => file.content)).not.toContain(CANARY);
      }
    });
  });

  test('nothing outside is written', async () => {
    const root = scratch();
    const outside = plant(join(root, 'outside'), OUTSIDE);
    const target = plant(join(root, 'target'), { 'd/a.txt': '1' });
    const session = new Session();
    const section = await ClaudeAgentWorkspaceSection.create({ session, tempRoot: root });
    const paths = [
      ['d', 'a.txt'],
      ['d', 'd', 'a.txt'],
      ['d', 'new', 'x'],
    ];
    const files = paths.map((segments) => vfsFile({ path: { segments }, content: 'written' }, '2026-01-01'));
    session.mutate(VirtualFileSystem).seed({ files });
    await whileSwapping(join(target, 'd'), join(outside, 'd'), async () => {
      for (const _ of rounds) await orRefused(writeBackToHost(session, section.workspace, target));
    });
    expect(harvest(outside)).toEqual(OUTSIDE);
  });

  test('nothing outside is removed', async () => {
    const root = scratch();
    const outside = plant(join(root, 'outside'), OUTSIDE);
    for (const round of rounds.slice(0, 30)) {
      const inside = plant(join(root, `w${round}`), { 'p/d/a.txt': '1', 'p/d/d/a.txt': '2' });
      await whileSwapping(join(inside, 'p', 'd'), join(outside, 'd'), async () => {
        await removeDirectory(inside).catch((error: unknown) => {
          // The other thread can put the folder back in the very moment.
          if (!(error instanceof AdapterError) && !(error instanceof Error && 'code' in error)) throw error;
        });
      });
    }
    expect(harvest(outside)).toEqual(OUTSIDE);
  });
});

function replace(path: string, link: string): void {
  renameSync(path, join(dirname(dirname(path)), `${basename(path)}-moved`));
  symlinkSync(link, path);
}
