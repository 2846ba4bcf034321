import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as postgres from '../src/postgres/index.js';
import * as redis from '../src/redis/index.js';
import * as s3 from '../src/s3/index.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(SRC + file, 'utf8').matchAll(/^(import|export)( type)?[^;]*? from '([^']+)';/gm)].map(
    ([, , type, from = '']) => ({ file, from, isType: type !== undefined }),
  ),
);

test('an entry loads the client of its own service at most, and claudewire-server only when it is needed', () => {
  expect(imports.length).toBeGreaterThan(60);
  const outside = imports.filter(({ from, isType }) => !isType && !from.startsWith('.') && !from.startsWith('node:'));
  expect([...new Set(outside.map(({ file, from }) => `${file.split('/')[0]}: ${from}`))].sort()).toEqual([
    'errors.ts: claudewire',
    's3: @aws-sdk/client-s3',
    'shared: claudewire',
  ]);
});

test('the stores of one service know nothing of another', () => {
  const wrong = imports.filter(({ file, from }) => {
    const [folder = ''] = file.split('/');
    const [, other] = /^\.\.\/(\w+)\//.exec(from) ?? [];
    return other !== undefined && other !== 'shared' && other !== folder;
  });
  expect(wrong).toEqual([]);
});

test('the entry points export these names at run time and no others', () => {
  expect(Object.keys(redis).sort()).toEqual([
    'RedisApprovalStore',
    'RedisConversationStore',
    'RedisEventLog',
    'RedisSessionStore',
    'RedisWakeUpStore',
    'StoreError',
  ]);
  expect(Object.keys(postgres).sort()).toEqual([
    'PostgresApprovalStore',
    'PostgresConversationStore',
    'PostgresEventLog',
    'PostgresSessionStore',
    'PostgresWakeUpStore',
    'StoreError',
    'migrate',
  ]);
  expect(Object.keys(s3).sort()).toEqual(['S3SessionStore', 'StoreError']);
});

test('migrations are shipped, and numbered without gaps', () => {
  const { files: shipped } = JSON.parse(readFileSync(`${SRC}../package.json`, 'utf8')) as { files: string[] };
  expect(shipped).toEqual(['dist', 'sql']);
  const names = readdirSync(`${SRC}../sql`).sort();
  expect(names.map((name) => Number(name.slice(0, 3)))).toEqual(names.map((_, index) => index + 1));
});
