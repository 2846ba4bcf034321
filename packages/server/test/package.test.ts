import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as server from '../src/index.js';
import * as testing from '../src/testing.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));

/** Which folders a folder may import, besides itself. Files beside them are leaves. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  stores: [],
  events: ['stores'],
  approvals: ['stores', 'events'],
  background: ['stores', 'events'],
  host: ['stores', 'events', 'approvals', 'background'],
  http: ['host', 'events', 'approvals'],
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(SRC + file, 'utf8').matchAll(/ from '([^']+)'/g)].map(([, from = '']) => ({ file, from })),
);

test('the source uses the public entry of claudewire, and imports point one way', () => {
  expect(imports.length).toBeGreaterThan(60);
  const outside = imports.map(({ from }) => from).filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
  expect([...new Set(outside)].sort()).toEqual(['ajv', 'claudewire', 'croner']);
  const wrong = imports.filter(({ file, from }) => {
    const [folder = ''] = file.split('/');
    const [, other] = /^\.\.\/(\w+)\//.exec(from) ?? [];
    return other !== undefined && MAY_IMPORT[folder]?.includes(other) !== true;
  });
  expect(wrong).toEqual([]);
});

test('no file imports itself by way of others, types included', () => {
  const targets = (file: string): readonly string[] =>
    imports.flatMap(({ file: by, from }) =>
      by === file && from.startsWith('.') ? [posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts')] : [],
    );
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    targets(from).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  expect(files.filter((file) => reaches(file, file))).toEqual([]);
});

test('the entry points export these names at run time and no others', () => {
  expect(Object.keys(server).sort()).toEqual([
    'FileApprovalStore',
    'FileConversationStore',
    'FileEventLog',
    'FileWakeUpStore',
    'HostError',
    'InMemoryApprovalStore',
    'InMemoryConversationStore',
    'InMemoryEventLog',
    'InMemoryWakeUpStore',
    'assertConversationKey',
    'assertLeaseToken',
    'assertListOptions',
    'assertTenant',
    'assertUuid',
    'assertWakeUps',
    'canChangeApproval',
    'createHandler',
    'createSessionHost',
    'currentTenant',
    'openApi',
    'serve',
    'withoutInternals',
  ]);
  expect(Object.keys(testing).sort()).toEqual([
    'approvalStoreContract',
    'conversationStoreContract',
    'eventLogContract',
    'wakeUpStoreContract',
  ]);
});
