import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild } from 'esbuild';
import { build as rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../../../test/helpers/built-package.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const built = mkdtempSync(join(tmpdir(), 'claudewire-entries-'));
afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Both packages as they are shipped, outside of this repository: above it are all peers. */
beforeAll(() => {
  cpSync(dirname(buildPackage('stores-entries')), join(built, 'claudewire'), { recursive: true });
  const stores = join(built, 'claudewire-stores');
  cpSync(`${root}packages/stores/package.json`, join(stores, 'package.json'));
  // Types are checked elsewhere, and would need declarations of `claudewire`.
  const options = ['--noCheck', '--declaration', 'false', '--outDir', join(stores, 'dist')];
  const args = [
    `${root}node_modules/typescript/bin/tsc`,
    '-p',
    `${root}packages/stores/tsconfig.build.json`,
    ...options,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

/** A project that has installed `claudewire`, `claudewire-stores` and one client. */
function projectWith(peer: string, program: string): string {
  const folder = mkdtempSync(join(built, 'project-'));
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of [...Object.keys(dependencies), peer]) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(`${root}node_modules/${name}`, place);
  }
  for (const name of ['claudewire', 'claudewire-stores']) {
    cpSync(join(built, name), join(folder, 'node_modules', name), { recursive: true });
  }
  writeFileSync(join(folder, 'main.mjs'), program);
  return folder;
}

function run(folder: string, file: string): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, file)], {
    ...{ cwd: folder, encoding: 'utf8' },
    // The AWS SDK says that a later release of it will want a newer Node.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  return { stdout, stderr };
}

const ENTRIES = [
  {
    entry: 'claudewire-stores/redis',
    peer: 'ioredis',
    program: `
      import { RedisConversationStore, RedisSessionStore } from 'claudewire-stores/redis';
      import { Redis } from 'ioredis';
      const client = new Redis({ lazyConnect: true });
      console.log(typeof new RedisSessionStore({ client, tenant: 'ada' }).append);
      await new RedisConversationStore({ client }).list('ada', { limit: 1 }).catch(({ code, hint }) => console.log(code, hint));`,
    prints: 'function\nnot_ready Install it beside `claudewire-stores`.\n',
  },
  {
    entry: 'claudewire-stores/postgres',
    peer: 'pg',
    program: `
      import { PostgresConversationStore, PostgresSessionStore } from 'claudewire-stores/postgres';
      import pg from 'pg';
      const pool = new pg.Pool();
      console.log(typeof new PostgresSessionStore({ pool, tenant: 'ada' }).append);
      await new PostgresConversationStore({ pool }).list('ada', { limit: 1 }).catch(({ code, hint }) => console.log(code, hint));`,
    prints: 'function\nnot_ready Install it beside `claudewire-stores`.\n',
  },
  {
    entry: 'claudewire-stores/s3',
    peer: '@aws-sdk/client-s3',
    program: `
      import { S3Client } from '@aws-sdk/client-s3';
      import { S3SessionStore, StoreError } from 'claudewire-stores/s3';
      const client = new S3Client({ region: 'eu-west-1' });
      console.log(typeof new S3SessionStore({ client, bucket: 'sessions', tenant: 'ada' }).append);
      console.log(new StoreError('full', 'No room.') instanceof Error);`,
    prints: 'function\ntrue\n',
  },
];

test.each(ENTRIES)('one client is enough, also in a bundle: $entry', async ({ peer, program, prints }) => {
  const folder = projectWith(peer, program);
  const printed = { stdout: prints, stderr: '' };
  expect(run(folder, 'main.mjs')).toEqual(printed);

  const input = join(folder, 'main.mjs');
  // The clients are CommonJS: in a bundle of ES modules they need a `require`.
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await esbuild({
    ...{ absWorkingDir: folder, entryPoints: [input], outfile: join(folder, 'esbuild.mjs'), bundle: true, banner },
    ...{ platform: 'node', format: 'esm', external: ['pg-native'], logLevel: 'silent' },
  });
  expect(run(folder, 'esbuild.mjs')).toEqual(printed);

  await rolldown({
    ...{ cwd: folder, input, platform: 'node', external: ['pg-native', 'claudewire-server'], logLevel: 'silent' },
    output: { file: join(folder, 'rolldown.mjs'), codeSplitting: false },
  });
  expect(run(folder, 'rolldown.mjs')).toEqual(printed);
});
