import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../../src/adapter/state/index.js';
import { vfsPath } from '../../../src/adapter/workspace/vfs-path.js';
import { VirtualFileSystem, WriteFile } from '../../../src/adapter/workspace/workspace.js';
import { extractModifiedFiles, syncWorkspaceToVfs } from '../../../src/adapter/workspace/workspace-changes.js';
import { mounted } from './mounted.js';
import { harvest, makeScratch, plant } from './scratch.js';

describe('a file becomes a folder, and the other way', () => {
  async function paths(session: Session) {
    return (session.query(VirtualFileSystem).latest()?.files ?? []).map(
      ({ path, content }) => `${path.segments.join('/')}=${content}`,
    );
  }

  test.each([true, false])('the new file is in the slice, deletions: %s (I-7)', async (deletions) => {
    const { session, section, inside } = await mounted({ c: '1', 'd/x': '1', 'd/y': '1', e: '1' });
    const sync = () => syncWorkspaceToVfs(session, section.workspace, { deletions });
    rmSync(join(inside, 'c'));
    rmSync(join(inside, 'd'), { recursive: true });
    rmSync(join(inside, 'e'));
    plant(inside, { 'c/inner': '2', d: '2', 'e/deep/bin': Uint8Array.of(0xff), C: 'case' });
    expect(await sync()).toMatchObject({ created: 3, deleted: 4, skipped: 1 });
    expect(await paths(session)).toEqual(['m/C=case', 'm/c/inner=2', 'm/d=2']);
    expect([...extractModifiedFiles(session, section.workspace).keys()]).toEqual(['m/C', 'm/c/inner', 'm/d']);
    // And back again.
    for (const name of ['c', 'd']) rmSync(join(inside, name), { recursive: true });
    plant(inside, { c: '3', 'd/x': '1' });
    await sync();
    expect(await paths(session)).toEqual(['m/C=case', 'm/c=3', 'm/d/x=1']);
  });

  test('on the host, what is in the way is kept and named (I-7)', async () => {
    const { host, inside, sync, writeBack } = await mounted({ c: '1', 'd/x': '1' });
    rmSync(join(inside, 'c'));
    rmSync(join(inside, 'd'), { recursive: true });
    plant(inside, { 'c/inner': '2', d: '2' });
    await sync();
    expect((await writeBack()).conflicts).toMatchObject([
      { path: 'm/c/inner', reason: 'not_a_file' },
      { path: 'm/d', reason: 'not_a_file' },
    ]);
    expect(harvest(host)).toEqual({ c: '1', 'd/x': '1' });
  });

  test('a file becomes a link and a link a file; a link is no file (I-7)', async () => {
    const { session, inside, sync, writeBack, host } = await mounted({ a: '1', b: '1' });
    rmSync(join(inside, 'a'));
    plant(inside, { a: { link: 'b' }, l: { link: 'b' } });
    await sync();
    expect(await paths(session)).toEqual(['m/b=1']);
    for (const name of ['a', 'l']) rmSync(join(inside, name));
    plant(inside, { a: '2', l: '3' });
    await sync();
    expect((await writeBack()).written).toEqual([join(host, 'a'), join(host, 'l')]);
    expect(harvest(host)).toEqual({ a: '2', b: '1', l: '3' });
  });

  test('one that was deleted, synchronised and made anew counts as changed (I-7)', async () => {
    const { session, section, inside, sync } = await mounted({ a: '1' });
    rmSync(join(inside, 'a'));
    await sync();
    plant(inside, { a: '2' });
    await sync();
    expect([...extractModifiedFiles(session, section.workspace)]).toEqual([['m/a', '2']]);
  });

  test('events that would need both are refused (I-7)', async () => {
    const { session } = await mounted({ c: '1', 'd/x': '1', 'd-e': '1' });
    const write = (path: string) =>
      session.mutate(VirtualFileSystem).dispatch(WriteFile, { path: vfsPath(path), content: '!', mode: 'overwrite' });
    for (const path of ['m/c/inner', 'm/c/in/ner', 'm/d', 'm']) write(path);
    expect(await paths(session)).toEqual(['m/c=1', 'm/d-e=1', 'm/d/x=1']);
    for (const path of ['m/c-d/x', 'm/d/x', 'm/e']) write(path);
    expect(await paths(session)).toContain('m/c-d/x=!');
  });

  test('whatever becomes of a tree, the slice holds the text files that are there (I-7)', async () => {
    const name = fc.constantFrom('a', 'b', 'a-b', 'A');
    const trees = fc.array(
      fc.uniqueArray(fc.array(name, { minLength: 1, maxLength: 3 }), {
        maxLength: 5,
        selector: (segments) => segments.join('/'),
      }),
      { minLength: 1, maxLength: 4 },
    );
    await fc.assert(
      fc.asyncProperty(trees, fc.boolean(), async (states, deletions) => {
        const root = makeScratch();
        try {
          const { session, section, inside } = await mounted({ first: '0' }, root);
          for (const [round, files] of states.entries()) {
            rmSync(inside, { recursive: true, force: true });
            for (const segments of files) {
              try {
                plant(inside, { [segments.join('/')]: `${round}` });
              } catch {
                // A file and a folder cannot have the same name.
              }
            }
            mkdirSync(inside, { recursive: true });
            await syncWorkspaceToVfs(session, section.workspace, { deletions });
          }
          const latest = session.query(VirtualFileSystem).latest()?.files ?? [];
          const slice = Object.fromEntries(
            latest.map(({ path, content }) => [path.segments.slice(1).join('/'), content]),
          );
          if (deletions) expect(slice).toEqual(harvest(inside));
          else expect(slice).toMatchObject(harvest(inside));
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: 40 },
    );
  });
});
