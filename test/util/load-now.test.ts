import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const read = (file: string): string => readFileSync(`${SRC}${file}`, 'utf8');
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));
const late: Record<string, () => unknown> = createRequire(import.meta.url)('../../src/util/late.cjs');

describe('what is loaded synchronously', () => {
  test('late.cjs has every name that is asked for, and no other', () => {
    const asked = sources.flatMap((file) => [...read(file).matchAll(/loadNow\('([^']+)'\)/g)].map(([, name]) => name));
    expect([...new Set(asked)].sort()).toEqual(Object.keys(late).sort());
  });

  test.each(Object.keys(late))('%s is required by its own name, written out, and loads', (name) => {
    expect(read('util/late.cjs').split(`require('${name}')`)).toHaveLength(2);
    expect(late[name]?.()).toBe(createRequire(import.meta.url)(name));
  });

  test('no other file requires anything: tracers and bundlers would not see it', () => {
    const pattern = /\bcreateRequire\b|(?<![.\w])require\(\s*['"]|\bimport\((?!\s*['"])/;
    const code = (file: string): string => read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
    expect(sources.filter((file) => pattern.test(code(file)))).toEqual(['util/load-now.ts']);
  });
});
