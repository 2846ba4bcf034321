import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Mutation } from '../adapter/teeth/apply-mutation.js';
import { mutants } from './index.mjs';

const root = join(import.meta.dirname, '..', '..');

type Anchor = Pick<Mutation, 'file' | 'find' | 'replace'> & { readonly name: string };

/** One list for each harness that breaks our source on purpose. The harnesses themselves run for minutes. */
const harnesses: Readonly<Record<string, readonly Anchor[]>> = {
  'scripts/mutants.mjs': mutants,
  'test/adapter/teeth': adapterAnchors(),
  'test/parity/python/teeth': [
    ...(await pythonAnchors('pure')),
    ...(await pythonAnchors('process')),
  ],
};

describe.each(Object.entries(harnesses))('the mutations of %s', (_harness, anchors) => {
  test('are many', () => {
    expect(anchors.length).toBeGreaterThan(40);
  });

  test('find their text exactly once, and replace it with another', () => {
    const bad = anchors.flatMap(({ name, file, find, replace }) => {
      const times = sourceOf(file).split(find).length - 1;
      if (times !== 1) return [`${name}: ${JSON.stringify(find)} is ${times} times in ${file}`];
      return find === replace ? [`${name}: changes nothing in ${file}`] : [];
    });
    expect(bad).toEqual([]);
  });
});

function adapterAnchors(): readonly Anchor[] {
  const folder = join(root, 'test/adapter/teeth/mutations');
  return readdirSync(folder).flatMap((file) => {
    const mutations = JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Mutation[];
    return mutations.map((mutation) => ({ ...mutation, name: mutation.row }));
  });
}

async function pythonAnchors(kind: 'pure' | 'process'): Promise<readonly Anchor[]> {
  const file = join(root, `test/parity/python/teeth/mutations.${kind}.mjs`);
  const module = (await import(pathToFileURL(file).href)) as Record<
    string,
    readonly (readonly [row: string, file: string, anchor: string, replacement: string])[]
  >;
  const mutations = module[`${kind.toUpperCase()}_MUTATIONS`] ?? [];
  return mutations.map(([name, source, find, replace]) => ({ name, file: source, find, replace }));
}

function sourceOf(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    // A file that is gone has the text no times.
    return '';
  }
}
