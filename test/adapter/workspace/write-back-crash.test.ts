import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AdapterConfigError, WorkspaceConflictError } from '../../../src/adapter/errors/adapter-error.js';
import { AnchoredDirectory } from '../../../src/adapter/workspace/anchored-directory.js';
import { recoverWriteBack } from '../../../src/adapter/workspace/write-back.js';
import { ownDirectoryPrefix } from '../../../src/util/stale-directories.js';
import { mounted, stateOf } from './mounted.js';
import { harvest, makeScratch, plant, scratch } from './scratch.js';

afterEach(() => vi.restoreAllMocks());

/** Calls of the file system that a write back makes, before each of which something else may happen. */
const CALLS = [
  ...['entries', 'lstat', 'openDirectory', 'openFile', 'createFile', 'ensureDirectory'],
  ...['rename', 'link', 'replaceIf', 'unlink', 'rmdir'],
] as const;
type Call = Exclude<keyof AnchoredDirectory, 'path' | 'id' | symbol>;

/** @param hook - Told the number of each call. What it returns is waited for. */
function beforeEachCall(hook: (count: number) => unknown): { readonly count: number } {
  const seen = { count: 0 };
  for (const name of CALLS as unknown as readonly Call[]) {
    const original = AnchoredDirectory.prototype[name] as (...args: unknown[]) => Promise<unknown>;
    vi.spyOn(AnchoredDirectory.prototype, name).mockImplementation(async function (
      this: AnchoredDirectory,
      ...args: unknown[]
    ) {
      seen.count += 1;
      await hook(seen.count);
      return original.apply(this, args);
    } as never);
  }
  return seen;
}

describe('while it is written', () => {
  const TREE = { 'a.txt': '1', 'd/b.txt': '1', 'run.sh': '1' };
  const EDITS = { 'a.txt': '22', 'd/b.txt': '22', 'new/deep/c.txt': '22', 'e.txt': '' };

  test('a failure at any call leaves all as it was (I-3)', async () => {
    for (let failing = 1; ; failing += 1) {
      const { root, host, inside, sync, writeBack } = await mounted(TREE);
      plant(inside, EDITS);
      await sync();
      const before = stateOf(join(root, 'host'));
      let hasFailed = false;
      beforeEachCall((count) => {
        if (count !== failing) return;
        hasFailed = true;
        throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      });
      const error = await writeBack().then(
        () => undefined,
        (each: unknown) => each,
      );
      vi.restoreAllMocks();
      if (!hasFailed) {
        expect(failing).toBeGreaterThan(40);
        break;
      }
      if (error === undefined) {
        // Only the cleaning up failed: all is written, and the next call cleans up.
        await recoverWriteBack(join(root, 'host'));
        expect(harvest(host)).toEqual({ ...TREE, ...EDITS });
      } else {
        expect(error).toBeInstanceOf(AdapterConfigError);
        expect(stateOf(join(root, 'host'))).toEqual(before);
      }
    }
  }, 60_000);

  test('when even the undoing fails, the error says what to call, and that mends it (I-3)', async () => {
    const { root, inside, sync, writeBack, target } = await mounted(TREE);
    plant(inside, EDITS);
    await sync();
    const before = stateOf(join(root, 'host'));
    vi.spyOn(AnchoredDirectory.prototype, 'rename').mockRejectedValue(new Error('EIO'));
    vi.spyOn(AnchoredDirectory.prototype, 'unlink').mockRejectedValue(new Error('EIO'));
    await expect(writeBack()).rejects.toThrow(/could be undone.*\.json.*call recoverWriteBack\(\)/);
    vi.restoreAllMocks();
    expect(stateOf(join(root, 'host'))).not.toEqual(before);
    await recoverWriteBack(target);
    expect(stateOf(join(root, 'host'))).toEqual(before);
  });

  test('a program that holds the old file open and writes late keeps its file (I-3)', async () => {
    const { host, inside, sync, writeBack } = await mounted(TREE);
    plant(inside, EDITS);
    await sync();
    const editor = await open(join(host, 'a.txt'), 'r+');
    const { ino } = await editor.stat();
    beforeEachCall(async () => {
      // As soon as the file has been replaced.
      if (statSync(join(host, 'a.txt')).ino !== ino) {
        await editor.write('late', 0);
        vi.restoreAllMocks();
      }
    });
    const result = await writeBack();
    await editor.close();
    expect(result.conflicts).toMatchObject([{ path: 'm/a.txt', reason: 'edited' }]);
    expect(harvest(host)).toEqual({ ...TREE, ...EDITS, 'a.txt': 'late' });
  });

  test('two at once write each file once, and leave nothing behind (I-3)', async () => {
    const first = await mounted(TREE);
    const second = await mounted({}, first.root);
    plant(first.inside, { ...EDITS, 'first.txt': '1' });
    plant(second.inside, { ...EDITS, 'a.txt': '33', 'second.txt': '2' });
    await Promise.all([first.sync(), second.sync()]);
    const results = await Promise.all([first.writeBack(), second.writeBack()]);
    const conflicts = results.flatMap((result) => result.conflicts);
    expect(conflicts.map(({ path }) => path)).toContain('m/a.txt');
    const { 'a.txt': content, ...rest } = harvest(first.host);
    expect(['22', '33']).toContain(content);
    const { 'a.txt': _, ...others } = EDITS;
    expect(rest).toEqual({ 'run.sh': '1', ...others, 'first.txt': '1', 'second.txt': '2' });
  });

  test.each(['link', 'all'])('without hard links it is the same (%s) (I-3)', async (which) => {
    const refuse = () =>
      vi
        .spyOn(AnchoredDirectory.prototype, 'link')
        .mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    const { root, host, inside, sync, writeBack } = await mounted(TREE);
    plant(inside, EDITS);
    await sync();
    const before = stateOf(join(root, 'host'));
    if (which === 'all') {
      const { replaceIf } = AnchoredDirectory.prototype;
      let calls = 0;
      vi.spyOn(AnchoredDirectory.prototype, 'replaceIf').mockImplementation(function (
        this: AnchoredDirectory,
        ...args
      ) {
        calls += 1;
        if (calls === 3) throw new Error('EIO');
        return replaceIf.apply(this, args);
      });
      refuse();
      await expect(writeBack()).rejects.toThrow('EIO');
      expect(stateOf(join(root, 'host'))).toEqual(before);
      vi.restoreAllMocks();
    }
    refuse();
    expect((await writeBack()).written).toHaveLength(4);
    expect(harvest(host)).toEqual({ ...TREE, ...EDITS });
    expect(readdirSync(join(root, 'host'))).toEqual(['m']);
  });
});

describe('a process that is killed', () => {
  const TREE = { 'a.txt': '1', 'd/b.txt': '1' };
  const EDITS = { 'a.txt': '22', 'd/b.txt': '', 'new/deep/c.txt': '22', 'd/new': '22' };
  /** What the process is told: content and permissions. */
  const told = (tree: Record<string, string>) => {
    const modes = Object.entries(tree).map(([name, content]) => [name, [content, modeOf(name)]]);
    return JSON.stringify(Object.fromEntries(modes));
  };
  const modeOf = (name: string) => (name === 'a.txt' || name === 'd/new' ? 0o755 : 0o644);

  test('at every call: the next call makes it as before, and writes (I-3)', async () => {
    const root = scratch();
    const script = join(root, 'writer.mjs');
    await build({
      entryPoints: [fileURLToPath(new URL('killed-writer.ts', import.meta.url))],
      outfile: script,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      logLevel: 'warning',
    });
    const runs = (target: string, call: number) =>
      promisify(execFile)(process.execPath, [script, target, `${call}`, told(TREE), told(EDITS)]);
    const counted = await runs(target(0), 0);
    function target(call: number): string {
      const folder = join(root, `t${call}`);
      plant(join(folder, 'm'), TREE);
      for (const name of Object.keys(TREE)) chmodSync(join(folder, 'm', name), modeOf(name));
      return folder;
    }
    const calls = Number(counted.stdout);
    expect(calls).toBeGreaterThan(25);
    const finals = { before: stateOf(target(-1)), after: stateOf(join(root, 't0')) };
    const seen = new Set<string>();
    const check = async (call: number): Promise<void> => {
      const folder = target(call);
      await expect(runs(folder, call)).rejects.toMatchObject({ signal: 'SIGKILL' });
      // No file is half of anything, and none is missing.
      const contents = harvest(join(folder, 'm'));
      for (const [path, was] of Object.entries(TREE))
        expect([was, EDITS[path as keyof typeof TREE]]).toContain(contents[path]);
      const isCommitted = readdirSync(folder).some((name) => name.endsWith('.done'));
      const which = isCommitted ? 'after' : 'before';
      seen.add(which);
      if (call % 2 === 0) {
        await recoverWriteBack(folder);
        expect([call, stateOf(folder)]).toEqual([call, finals[which]]);
      } else if (which === 'before') {
        await runs(folder, 0);
        expect([call, stateOf(folder)]).toEqual([call, finals.after]);
      }
    };
    const all = Array.from({ length: calls }, (_, index) => index + 1);
    const work = async (): Promise<void> => {
      for (let call = all.pop(); call !== undefined; call = all.pop()) await check(call);
    };
    await Promise.all([work(), work(), work()]);
    expect([...seen].sort()).toEqual(['after', 'before']);
  }, 120_000);

  test('what the user changed since stays when it is undone (I-3)', async () => {
    const { root, host, inside, sync, writeBack, target } = await mounted(TREE);
    plant(inside, EDITS);
    await sync();
    vi.spyOn(AnchoredDirectory.prototype, 'rename').mockRejectedValue(new Error('EIO'));
    vi.spyOn(AnchoredDirectory.prototype, 'unlink').mockRejectedValue(new Error('EIO'));
    const { replaceIf } = AnchoredDirectory.prototype;
    let puts = 0;
    // All is put in place, and nothing of it is undone.
    vi.spyOn(AnchoredDirectory.prototype, 'replaceIf').mockImplementation(function (this: AnchoredDirectory, ...args) {
      puts += 1;
      if (puts > 2) throw new Error('EIO');
      return replaceIf.apply(this, args);
    });
    await expect(writeBack()).rejects.toThrow(/recoverWriteBack/);
    vi.restoreAllMocks();
    expect(harvest(host)).toMatchObject(EDITS);
    plant(host, { 'a.txt': 'by the user' });
    plant(host, { 'x~': '22' });
    // The same content, but another file.
    renameSync(join(host, 'x~'), join(host, 'new/deep/c.txt'));
    rmSync(join(host, 'd/b.txt'));
    expect(await recoverWriteBack(target)).toEqual([join(host, 'd/new')]);
    expect(harvest(host)).toEqual({ 'a.txt': 'by the user', 'new/deep/c.txt': '22' });
    expect(readdirSync(join(root, 'host'))).toEqual(['m']);
  });

  test('a journal of a process that lives, or of a stranger, is left alone (I-3)', async () => {
    const { target } = await mounted(TREE);
    const own = `${ownDirectoryPrefix('.claudewire-write-')}abcdef`;
    const names = [`${own}.json`, '.claudewire-write-1-1-aaaaaa-abcdef.json', '.claudewire-write-x.json'];
    for (const name of names) writeFileSync(join(target, name), '{"files":[]}');
    const { writeBack, inside, sync } = await mounted({}, join(target, '..'));
    plant(inside, { e: '1' });
    await sync();
    await writeBack();
    expect(readdirSync(target).sort()).toEqual([...names, 'm'].sort());
    // Called by name, the one of another machine is undone too.
    await recoverWriteBack(target);
    expect(readdirSync(target).sort()).toEqual([names[0], names[2], 'm'].sort());
  });

  test('a journal leads to no place where nothing is ever written (I-3)', async () => {
    const root = scratch();
    const tree = { 'm/.git/config': 'good', 'outside/a': 'good', 'm/a': 'good' };
    const target = plant(join(root, 'host'), tree);
    const base = '.claudewire-write-1-1-aaaaaa-abcdef';
    const sha256 = createHash('sha256').update('good').digest('hex');
    const entry = (folders: unknown, name: unknown) => ({ folders, name, sha256, isNew: true });
    const files = [
      ...[entry(['m', '.git'], 'config'), entry(['..', 'outside'], 'a'), entry(['m'], '../outside/a')],
      ...[entry([], 5), entry('m', 'a'), 7, null, entry(['m'], '.')],
    ];
    plant(target, { [`${base}.json`]: JSON.stringify({ files, made: [['..'], 3, ['m', '.git']] }) });
    for (const index of files.keys())
      for (const folder of ['m/.git', 'm', '.']) plant(target, { [`${folder}/${base}.${index}.put`]: '' });
    expect(await recoverWriteBack(target)).toEqual([]);
    expect(harvest(target)).toMatchObject(tree);
  });
});

test.each(['write', 'replace', 'delete'] as const)(
  'a user who does "%s" at any call keeps what is done (I-3)',
  async (kind) => {
    for (let call = 1; ; call += 1) {
      const { host, inside, sync, writeBack, section } = await mounted({ a: '1' });
      plant(inside, { a: 'by the model', n: 'by the model' });
      await sync();
      let isDone = false;
      beforeEachCall((count) => {
        if (count !== call) return;
        isDone = true;
        for (const path of ['a', 'n']) apply(host, { path, kind }, 'by the user');
      });
      const before = harvest(host);
      await writeBack();
      vi.restoreAllMocks();
      await section.cleanup();
      if (!isDone) {
        expect(call).toBeGreaterThan(20);
        return;
      }
      const { a, n } = harvest(host);
      if (kind === 'delete') expect([call, a]).toEqual([call, undefined]);
      else expect([call, before, a, n]).toEqual([call, { a: '1' }, 'by the user', 'by the user']);
    }
  },
  60_000,
);

/** One change of a file, by the user or the model. */
interface Edit {
  readonly path: string;
  readonly kind: 'write' | 'replace' | 'delete' | 'run' | 'folder';
}

function apply(folder: string, { path, kind }: Edit, content: string): boolean {
  const at = join(folder, path);
  try {
    if (kind === 'write') plant(folder, { [path]: content });
    if (kind === 'replace') {
      plant(folder, { [`${path}~`]: content });
      renameSync(`${at}~`, at);
    }
    if (kind === 'delete') rmSync(at);
    if (kind === 'run') chmodSync(at, 0o755);
    if (kind === 'folder') mkdirSync(at);
    return true;
  } catch {
    // Nothing there, or something else.
    rmSync(`${at}~`, { force: true });
    return false;
  }
}

const path = fc.constantFrom('a', 'b', 'd/c', 'd/e', 'n/f');
const edits = fc.array(fc.record({ path, kind: fc.constantFrom('write', 'replace', 'delete', 'run', 'folder') }), {
  minLength: 1,
  maxLength: 4,
}) as fc.Arbitrary<Edit[]>;
const trees = fc.uniqueArray(path, { minLength: 1, maxLength: 4 });

test('a folder that is moved while it is written is written or undone where it is (I-3)', async () => {
  for (const onConflict of ['keep', 'error'] as const) {
    const { host, inside, sync, writeBack } = await mounted({ a: '1', 'd/b': '1', 'd/c': '1' });
    plant(inside, { a: '2', 'd/b': '2', 'd/c': '2' });
    await sync();
    const { replaceIf } = AnchoredDirectory.prototype;
    let puts = 0;
    vi.spyOn(AnchoredDirectory.prototype, 'replaceIf').mockImplementation(async function (
      this: AnchoredDirectory,
      ...args
    ) {
      puts += 1;
      if (puts === 3) renameSync(join(host, 'd'), join(host, 'moved'));
      if (puts === 3 && onConflict === 'error') throw new Error('EIO');
      return replaceIf.apply(this, args);
    });
    const written = await writeBack({ onConflict }).then(
      () => '2',
      () => '1',
    );
    vi.restoreAllMocks();
    expect(written).toBe(onConflict === 'keep' ? '2' : '1');
    expect(harvest(host)).toEqual({ a: written, 'moved/b': written, 'moved/c': written });
  }
});

describe('whatever the model and the user do', () => {
  test.each(['keep', 'error'] as const)(
    'no change of the user is lost, and all or the others arrive: %s (I-3)',
    async (onConflict) => {
      const when = fc.integer({ min: 0, max: 150 });
      await fc.assert(
        fc.asyncProperty(trees, edits, edits, when, async (tree, model, user, at) => {
          const root = makeScratch();
          try {
            const content = Object.fromEntries(tree.map((each) => [each, `mounted ${each}`]));
            const { host, inside, sync, writeBack, section } = await mounted(content, root);
            for (const each of model) apply(inside, each, 'by the model');
            await sync();
            const wanted = stateOf(inside);
            const before = stateOf(host);
            let afterUser: Record<string, string> | undefined;
            const act = () => {
              const start = stateOf(host);
              for (const each of user) apply(host, each, 'by the user');
              const end = stateOf(host);
              afterUser = Object.fromEntries(
                [...new Set([...Object.keys(start), ...Object.keys(end)])]
                  .filter((each) => !each.includes('.claudewire-') && start[each] !== end[each])
                  .map((each) => [each, end[each] ?? 'deleted']),
              );
            };
            if (at === 0) act();
            else
              beforeEachCall((count) => {
                if (count === at) act();
              });
            const done = await writeBack({ onConflict }).then(
              (result) => ({ result }),
              (error: unknown) => ({ error }),
            );
            vi.restoreAllMocks();
            const touched = afterUser ?? {};
            const after = stateOf(host);
            // What the user did stands: files and what is gone. A folder may have been needed.
            for (const [each, state] of Object.entries(touched)) {
              const isFolder = each.endsWith('/');
              if (!(isFolder && state === 'deleted')) expect([each, after[each] ?? 'deleted']).toEqual([each, state]);
            }
            expect(Object.keys(after).filter((each) => each.includes('.claudewire'))).toEqual([]);
            expect(readdirSync(join(root, 'host'))).toEqual(['m']);
            const files = [...extractPaths(before), ...extractPaths(after)].filter(
              (each) => touched[each] === undefined,
            );
            if ('error' in done) {
              const isExpected =
                done.error instanceof AdapterConfigError ||
                (onConflict === 'error' && done.error instanceof WorkspaceConflictError);
              if (!isExpected) throw done.error;
              for (const each of files) expect([each, after[each]]).toEqual([each, before[each]]);
            } else {
              const conflicts = new Set(done.result.conflicts.map((each) => each.path.slice(2)));
              if (onConflict === 'error') expect([...conflicts]).toEqual([]);
              for (const [each, state] of Object.entries(wanted)) {
                if (each.endsWith('/') || conflicts.has(each) || touched[each] !== undefined) continue;
                expect([each, after[each]]).toEqual([each, state]);
              }
            }
            await section.cleanup();
          } finally {
            vi.restoreAllMocks();
            rmSync(root, { recursive: true, force: true });
          }
        }),
        { numRuns: 150 },
      );
    },
    60_000,
  );
});

function extractPaths(state: Record<string, string>): readonly string[] {
  return Object.keys(state).filter((each) => !each.endsWith('/'));
}

test('a journal that was not written to its end did nothing yet (I-3)', async () => {
  const { inside, sync, writeBack, target, root } = await mounted({ 'a.txt': '1' });
  plant(inside, { 'a.txt': '2' });
  await sync();
  const before = stateOf(join(root, 'host'));
  const { createFile } = AnchoredDirectory.prototype;
  vi.spyOn(AnchoredDirectory.prototype, 'createFile').mockImplementation(function (
    this: AnchoredDirectory,
    name,
    mode,
  ) {
    if (name.endsWith('.new')) throw new Error('EIO');
    return createFile.call(this, name, mode);
  });
  vi.spyOn(AnchoredDirectory.prototype, 'unlink').mockRejectedValue(new Error('EIO'));
  await expect(writeBack()).rejects.toThrow(AdapterConfigError);
  vi.restoreAllMocks();
  const journal = readdirSync(target).find((name) => name.endsWith('.json')) ?? '';
  truncateSync(join(target, journal), 20);
  expect(await recoverWriteBack(target)).toEqual([]);
  expect(stateOf(join(root, 'host'))).toEqual(before);
});

test('a link with the name of a journal is passed over (I-3)', async () => {
  const { target } = await mounted({ 'a.txt': '1' });
  const name = '.claudewire-write-1-1-aaaaaa-abcdef.json';
  symlinkSync('m/a.txt', join(target, name));
  expect(await recoverWriteBack(target)).toEqual([]);
  expect(readdirSync(target).sort()).toEqual([name, 'm'].sort());
});
