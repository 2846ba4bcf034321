import { execFileSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Session } from '../../../src/adapter/state/index.js';
import { changedFiles } from '../../../src/adapter/workspace/workspace-changes.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { harvest, plant, scratch, type Tree } from './scratch.js';

async function workspaceOf(tree: Tree) {
  const root = scratch();
  const host = plant(join(root, 'host'), tree);
  const { tempDir, workspace } = await ClaudeAgentWorkspaceSection.create({
    session: new Session(),
    tempRoot: plant(join(root, 'tmp'), {}),
    mounts: [{ hostPath: host, mountPath: 'm' }],
  });
  return { root, host, workspace, inside: join(tempDir, 'm') };
}

describe('changed files', () => {
  test('nothing changed, nothing told', async () => {
    const { workspace } = await workspaceOf({ a: '1', b: Uint8Array.of(0xff) });
    expect(await changedFiles(workspace, { diff: true })).toEqual([]);
  });

  test('new, changed and deleted files are told, sorted, with their diffs', async () => {
    const { workspace, inside } = await workspaceOf({
      'b.txt': 'one\ntwo\nthree\n',
      'c.txt': 'gone\n',
      'same.txt': '=',
    });
    plant(inside, { 'b.txt': 'one\n2\nthree\n', 'a.txt': 'new\n' });
    rmSync(join(inside, 'c.txt'));
    expect(await changedFiles(workspace)).toEqual([
      { path: 'm/a.txt', change: 'created' },
      { path: 'm/b.txt', change: 'modified' },
      { path: 'm/c.txt', change: 'deleted' },
    ]);
    const [created, modified, deleted] = await changedFiles(workspace, { diff: true });
    expect(created?.diff).toBe(
      'diff --git a/m/a.txt b/m/a.txt\nnew file mode 100644\n--- /dev/null\n+++ b/m/a.txt\n@@ -0,0 +1,1 @@\n+new\n',
    );
    expect(modified?.diff).toBe(
      'diff --git a/m/b.txt b/m/b.txt\n--- a/m/b.txt\n+++ b/m/b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    );
    expect(deleted?.diff).toContain('deleted file mode 100644\n--- a/m/c.txt\n+++ /dev/null\n');
  });

  test('binary files are named, not shown', async () => {
    const { workspace, inside } = await workspaceOf({ 'a.bin': Uint8Array.of(0xff, 1), t: 'text' });
    plant(inside, { 'a.bin': Uint8Array.of(0xff, 2), 'b.bin': Uint8Array.of(0xfe), t: Uint8Array.of(0xff) });
    expect(await changedFiles(workspace, { diff: true })).toEqual([
      { path: 'm/a.bin', change: 'modified', diff: 'Binary files a/m/a.bin and b/m/a.bin differ\n' },
      { path: 'm/b.bin', change: 'created', diff: 'Binary files /dev/null and b/m/b.bin differ\n' },
      { path: 'm/t', change: 'modified', diff: 'Binary files a/m/t and b/m/t differ\n' },
    ]);
  });

  test('a diff is bounded', async () => {
    const lines = (word: string) => Array.from({ length: 9_000 }, (_, at) => `${word}${at}\n`).join('');
    const { workspace, inside } = await workspaceOf({ rewritten: lines('a'), huge: 'x'.repeat(1_500_000) });
    plant(inside, { rewritten: lines('b'), huge: 'y'.repeat(1_500_000), wide: 'z'.repeat(300_000) });
    const files = await changedFiles(workspace, { diff: true });
    expect(files.map(({ diff }) => diff)).toEqual([
      'Files a/m/huge and b/m/huge differ: too much to show\n',
      'Files a/m/rewritten and b/m/rewritten differ: too much to show\n',
      'Files /dev/null and b/m/wide differ: too much to show\n',
    ]);
  });

  test('links, .claude and what links lead to do not count', async () => {
    const { root, workspace, inside } = await workspaceOf({ a: '1' });
    const outside = plant(join(root, 'outside'), { secret: 's' });
    symlinkSync(outside, join(inside, 'folder'));
    symlinkSync(join(outside, 'secret'), join(inside, 'file'));
    plant(inside, { '.claude/settings.json': '{}' });
    expect(await changedFiles(workspace, { diff: true })).toEqual([]);
    // A file that a link took the place of is gone.
    rmSync(join(inside, 'a'));
    symlinkSync(join(outside, 'secret'), join(inside, 'a'));
    const [file] = await changedFiles(workspace, { diff: true });
    expect(file).toMatchObject({ path: 'm/a', change: 'deleted' });
    expect(file?.diff).not.toContain('+s');
  });

  test('the diffs, applied to the originals, give what is in the workspace', async () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'é', '\\ No newline\n', '--- x\n', '', '\n'), { maxLength: 12 })
      .map((lines) => lines.join(''));
    const tree = fc.dictionary(fc.constantFrom('a', 'b c', 'd/é', 'e"f', 'g\th'), text, { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(tree, tree, async (before, after) => {
        const { workspace, inside, host } = await workspaceOf(before);
        for (const name of Object.keys(before)) rmSync(join(inside, name));
        plant(inside, after);
        const diff = (await changedFiles(workspace, { diff: true })).map((file) => file.diff).join('');
        if (diff !== '')
          execFileSync('git', ['apply', '-p2', '--unidiff-zero', '--whitespace=nowarn', '-'], {
            cwd: host,
            input: diff,
            env: { PATH: process.env.PATH, GIT_CEILING_DIRECTORIES: '/', GIT_DIR: '/nowhere' },
          });
        expect(harvest(host)).toEqual(harvest(inside));
      }),
      { numRuns: 25 },
    );
  });
});
