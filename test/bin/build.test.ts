import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from './built-package.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('build-test');
});

const node = (...args: string[]): string =>
  execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();

describe('the built package', () => {
  test('can be imported and required, and both give the same names', () => {
    const index = JSON.stringify(join(dist, 'index.js'));
    const imported = node(
      '--input-type=module',
      '-e',
      `console.log(Object.keys(await import(${index})).sort().join())`,
    );
    const required = node(
      '--input-type=commonjs',
      '--no-warnings',
      '-e',
      `console.log(Object.keys(require(${index})).sort().join())`,
    );
    expect(imported.split(',')).toContain('query');
    expect(required.split(',').filter((name) => name !== '__esModule')).toEqual(
      imported.split(','),
    );
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
    const imports = [...source.matchAll(/^import .* from "([^"]+)";$/gm)].map(([, name]) => name);
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
    expect(readdirSync(join(dist, 'scenarios'))).toContain('tools.jsonl');
    const licences = readFileSync(join(dist, 'THIRD_PARTY_LICENSES.md'), 'utf8');
    for (const name of ['execa', 'commander', 'picocolors']) {
      expect(licences).toMatch(new RegExp(`^## ${name} \\d+\\.`, 'm'));
    }
  });
});

/** Packages and built-ins that loading this file loads, through the chunks it imports. */
function staticImports(file: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const source = readFileSync(file, 'utf8');
  const names = [
    ...source.matchAll(/^(?:import|export) (?:[^;'"]*? from )?["']([^"']+)["'];$/gms),
  ].map(([, name]) => String(name));
  return names.flatMap((name) =>
    name.startsWith('.') ? staticImports(join(file, '..', name), seen) : [name],
  );
}
