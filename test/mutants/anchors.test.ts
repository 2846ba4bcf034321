import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './index.mjs';

const root = join(import.meta.dirname, '..', '..');

test('the mutations of scripts/mutants.mjs find their text exactly once, and replace it with another', () => {
  expect(mutants.length).toBeGreaterThan(40);
  const bad = mutants.flatMap(({ name, file, find, replace }) => {
    const times = sourceOf(file).split(find).length - 1;
    if (times !== 1) return [`${name}: ${JSON.stringify(find)} is ${times} times in ${file}`];
    return find === replace ? [`${name}: changes nothing in ${file}`] : [];
  });
  expect(bad).toEqual([]);
});

function sourceOf(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    // A file that is gone has the text no times.
    return '';
  }
}
