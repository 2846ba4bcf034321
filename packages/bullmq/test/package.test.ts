import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as bullmq from '../src/index.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(SRC + file, 'utf8').matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from),
);

test('the source uses public entries and its peers alone', () => {
  expect(imports.length).toBeGreaterThan(60);
  const outside = imports.filter((from) => !from.startsWith('.') && !from.startsWith('node:'));
  expect([...new Set(outside)].sort()).toEqual(['bullmq', 'claudewire', 'claudewire-server', 'ioredis']);
});

test('the entry point exports these names at run time and no others', () => {
  expect(Object.keys(bullmq).sort()).toEqual([
    ...[
      'JobError',
      'answer',
      'cancel',
      'createProcessor',
      'createWorker',
      'enqueue',
      'failureOf',
      'tenantSessionStore',
    ],
  ]);
});
