import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { GUARDS } from '../../scripts/releases/guards.mjs';
import { type ReleasesData, releasesPage } from '../../scripts/releases/page.mjs';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const data = JSON.parse(read('packages/conformance/wire/releases.json')) as ReleasesData;
const guards = Object.keys(GUARDS);
/** From one release that was run to the next. */
const LARGEST_STEP = 9;

test('the page is made of the data', () => {
  expect(read('docs/reference/releases.md')).toBe(releasesPage(data, guards));
});

test('each probe of what protects was run on the oldest, the newest, and one of nine published releases between', () => {
  const { versions } = data.published;
  for (const guard of guards) {
    const run = versions.flatMap((version, at) => (data.runs[version]?.words[guard] === undefined ? [] : [at]));
    expect(run[0], guard).toBe(0);
    expect(run.at(-1), guard).toBe(versions.length - 1);
    const steps = run.slice(1).map((at, index) => at - (run[index] ?? 0));
    expect(Math.max(...steps), guard).toBeLessThanOrEqual(LARGEST_STEP);
  }
});

test('only published releases were run', () => {
  expect(data.published.versions).toEqual(expect.arrayContaining(Object.keys(data.runs)));
});
