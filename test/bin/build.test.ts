import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from './built-package.js';

/** A static import in minified code: one may follow another on the same line. */
const IMPORT =
  /(?<=^|;)(?:import|export)\b(?:[\s\w$*{},]*?\bfrom|\{[^}]*\}from|)\s*["']([^"']+)["']/gm;

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const manifest = read('package.json') as {
  exports: Record<string, string | { default: string }>;
};
const official = read('test/fixtures/official-entries.json') as {
  runTimeNames: Record<string, string[]>;
};

let dist: string;
beforeAll(() => {
  dist = buildPackage('build-test');
});

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();

describe('the built package', () => {
  test('every entry can be imported and required, and both give the same names', () => {
    const files = Object.fromEntries(
      Object.entries(manifest.exports).flatMap(([entry, target]) =>
        typeof target === 'string' ? [] : [[entry, join(dist, '..', target.default)]],
      ),
    );
    const namesIn = `console.log(JSON.stringify(Object.fromEntries(await Promise.all(
      Object.entries(${JSON.stringify(files)}).map(async ([entry, file]) => [entry, Object.keys(await load(file)).sort()])))))`;
    const imported = JSON.parse(
      node('--input-type=module', '-e', `const load = (file) => import(file);${namesIn}`),
    ) as Record<string, string[]>;
    const required = JSON.parse(
      node(
        '--input-type=commonjs',
        '--no-warnings',
        '-e',
        `(async () => { const load = async (file) => require(file);${namesIn} })()`,
      ),
    ) as Record<string, string[]>;
    expect(imported['.']).toContain('query');
    for (const [entry, names] of Object.entries(imported)) {
      expect(
        required[entry]?.filter((name) => name !== '__esModule'),
        entry,
      ).toEqual(names);
    }
  });

  for (const [entry, names] of Object.entries(official.runTimeNames)) {
    test(`"${entry}" has every run-time name of the official entry`, async () => {
      const target = manifest.exports[entry];
      if (target === undefined || typeof target === 'string') throw new Error(`no ${entry}`);
      const ours = Object.keys(await import(join(dist, '..', target.default)));
      expect(names.filter((name) => !ours.includes(name))).toEqual([]);
    });
  }

  test('the browser entry loads nothing of Node, and nothing else', () => {
    expect(staticImports(join(dist, 'browser.js'))).toEqual([]);
    expect(readFileSync(join(dist, 'browser.js'), 'utf8')).not.toMatch(/\brequire\(|\bprocess\./);
  });

  test('lines are short enough for a stack to say where', () => {
    const chunks = readdirSync(join(dist, 'chunks')).map((name) => join(dist, 'chunks', name));
    const lines = chunks.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
    const long = lines.filter(({ length }) => length > 400);
    expect(lines.length).toBeGreaterThan(1000);
    expect(long.length / lines.length).toBeLessThan(0.05);
  });

  test('error classes keep their names, which stacks show', async () => {
    const names = Object.entries(await import(join(dist, 'index.js'))).filter(
      (entry): entry is [string, () => void] =>
        typeof entry[1] === 'function' && entry[1].prototype instanceof Error,
    );
    expect(names.length).toBeGreaterThan(10);
    expect(names.map(([, { name }]) => name)).toEqual(names.map(([name]) => name));
  });

  test('imports its dependencies only when they are needed', () => {
    const names = staticImports(join(dist, 'index.js'));
    expect(names).toContain('node:child_process');
    const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
    expect(names.filter((name) => !builtins.has(name))).toEqual([]);
  });

  test('the player is one file that imports nothing but Node', () => {
    const source = readFileSync(join(dist, 'player.mjs'), 'utf8');
    const imports = [...source.matchAll(IMPORT)].map(([, name]) => name);
    expect(imports.length).toBeGreaterThan(0);
    const builtins = new Set(builtinModules.map((name) => `node:${name}`));
    expect(imports.filter((name) => !builtins.has(String(name)))).toEqual([]);
    expect(source).not.toContain('import(');
  });

  for (const file of ['bin/claudewire.js', 'player.mjs']) {
    test(`${file} is executable and has one shebang`, () => {
      const source = readFileSync(join(dist, file), 'utf8');
      expect(source.match(/^#!.*$/gm)).toEqual(['#!/usr/bin/env node']);
      expect(statSync(join(dist, file)).mode & 0o111).not.toBe(0);
    });
  }

  test('the player says in one line what it is', () => {
    const [about = '', usage = ''] = node(join(dist, 'player.mjs'), '--help').split('\n');
    expect(about).toMatch(/^Plays a scenario file /);
    expect(usage).toBe('usage: player.mjs SCENARIO [arguments of the CLI]');
  });

  test('carries the scenarios, and the licences of what is bundled', () => {
    expect(readdirSync(join(dist, 'demo'))).toContain('tools.jsonl');
    const licences = readFileSync(join(dist, 'THIRD_PARTY_LICENSES.md'), 'utf8');
    for (const name of ['execa', 'string-argv', 'picocolors']) {
      expect(licences).toMatch(new RegExp(`^## ${name} \\d+\\.`, 'm'));
    }
  });
});

/** Packages and built-ins that loading this file loads, through the chunks it imports. */
function staticImports(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  const names = [...source.matchAll(IMPORT)].map(([, name]) => String(name));
  return names.flatMap((name) =>
    name.startsWith('.') ? staticImports(join(file, '..', name), seen) : [name],
  );
}
