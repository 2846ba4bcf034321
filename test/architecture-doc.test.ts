import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../', import.meta.url);
const text = readFileSync(new URL('docs/architecture.md', root), 'utf8');

test('every file that the architecture page names exists', () => {
  const named = [...text.matchAll(/`(?!claudewire\/)((?:[a-z-]+\/)+[a-z.-]*)`/g)].map(([, path]) => path ?? '');
  const missing = named.filter((path) => !existsSync(new URL(path, root)) && !existsSync(new URL(`src/${path}`, root)));
  expect(named.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
