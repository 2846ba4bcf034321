import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as published from '@opentelemetry/semantic-conventions/incubating';
import { expect, test } from 'vitest';
import { ATTR, CONVENTIONS_VERSION, ERROR_TYPE, METRIC } from '../src/conventions.js';
import * as otel from '../src/index.js';
import * as ledger from '../src/ledger/index.js';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const imports = files.flatMap((file) =>
  [...readFileSync(SRC + file, 'utf8').matchAll(/ from '([^']+)'/g)].map(([, from = '']) => ({ file, from })),
);

test('the source uses the public entry of claudewire, and the ledger needs no OpenTelemetry', () => {
  const outside = imports.filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'));
  expect([...new Set(outside.map(({ from }) => from))].sort()).toEqual(['@opentelemetry/api', 'claudewire']);
  // What the ledger reaches, step by step.
  const reached = new Set(['ledger/index.ts']);
  for (const file of reached) {
    for (const { from } of imports.filter((each) => each.file === file && each.from.startsWith('.'))) {
      reached.add(new URL(from, `file:///${file}`).pathname.slice(1).replace(/\.js$/, '.ts'));
    }
  }
  expect(reached.size).toBeGreaterThan(6);
  expect(outside.filter(({ file, from }) => reached.has(file) && from !== 'claudewire')).toEqual([]);
});

test('the entry points export these names at run time and no others', () => {
  expect(Object.keys(otel).sort()).toEqual(['CONVENTIONS_VERSION', 'instrumentClaudewire']);
  expect(Object.keys(ledger).sort()).toEqual(['CostLedger', 'recordRuns']);
});

test('the names are those of the conventions in the version that is named', () => {
  const { version } = JSON.parse(
    readFileSync(
      fileURLToPath(new URL('../../../node_modules/@opentelemetry/semantic-conventions/package.json', import.meta.url)),
      'utf8',
    ),
  );
  expect(version).toBe(CONVENTIONS_VERSION);
  const names = new Map(Object.entries(published));
  for (const [name, value] of Object.entries(ATTR)) expect(names.get(`ATTR_GEN_AI_${name}`), name).toBe(value);
  for (const [name, value] of Object.entries(METRIC))
    expect(names.get(`METRIC_GEN_AI_CLIENT_${name}`), name).toBe(value);
  expect(names.get('ATTR_ERROR_TYPE')).toBe(ERROR_TYPE);
});

test('names that the source writes in place are published ones too', () => {
  const known = new Set<unknown>(Object.values(published));
  const written = files.flatMap((file) =>
    [...readFileSync(SRC + file, 'utf8').matchAll(/'((?:gen_ai|mcp|process|error)\.[a-z_.]+)'/g)].map(
      ([, name]) => name,
    ),
  );
  expect(written).toContain('mcp.method.name');
  expect(written.filter((name) => !known.has(name))).toEqual([]);
});
