import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FileSessionStore, foldSessionSummary } from '../../../src/index.js';

const WRITERS = 3;
const APPENDS = 40;
const KEY = { projectKey: 'p', sessionId: 's' };

const folder = mkdtempSync(join(tmpdir(), 'claudewire-processes-'));
const writer = join(folder, 'writer.mjs');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('../../../src/transcripts/store/file-session-store.ts', import.meta.url))],
    outfile: join(folder, 'store.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  writeFileSync(
    writer,
    `import { FileSessionStore } from './store.mjs';
    const [, , root, name] = process.argv;
    const store = new FileSessionStore(root);
    process.once('message', async () => {
      for (let call = 0; call < ${APPENDS}; call++) {
        // Two small entries, or one that is too large for the shortest way to the disk.
        const sizes = call % 4 === 0 ? [100_000] : [10, 3000];
        await store.append(${JSON.stringify(KEY)}, sizes.map((size, at) => (
          { type: 'x', uuid: [name, call, at].join('.'), pad: name.repeat(size), customTitle: [name, call].join('.') }
        )));
      }
      process.exit();
    });
    process.send('ready');`,
  );
});

test('processes that append to one session at once lose and tear nothing, and each keeps its order', async () => {
  const root = join(folder, 'store');
  const names = ['a', 'b', 'c'].slice(0, WRITERS);
  const children = names.map((name) => fork(writer, [root, name]));
  await Promise.all(children.map((child) => once(child, 'message')));
  const exits = children.map((child) => once(child, 'exit'));
  for (const child of children) child.send('go');
  expect((await Promise.all(exits)).map(([code]) => code)).toEqual(names.map(() => 0));

  const store = new FileSessionStore(root);
  const loaded = (await store.load(KEY)) ?? [];
  for (const name of names) {
    const own = loaded.filter(({ uuid }) => uuid?.startsWith(`${name}.`) === true);
    const expected = Array.from({ length: APPENDS }, (_, call) =>
      call % 4 === 0 ? [`${name}.${call}.0`] : [`${name}.${call}.0`, `${name}.${call}.1`],
    );
    expect(own.map(({ uuid }) => uuid)).toEqual(expected.flat());
  }
  const [summary] = await store.listSessionSummaries(KEY.projectKey);
  expect(summary?.data).toEqual(foldSessionSummary(undefined, KEY, loaded).data);
});
