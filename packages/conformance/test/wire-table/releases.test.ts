import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { GUARDS } from '../../scripts/releases/guards.mjs';
import { NEWER } from '../../scripts/releases/newer.mjs';
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

test('the release of each change is known for what only newer releases honour', () => {
  const { versions } = data.published;
  for (const probe of Object.keys(NEWER)) {
    const run = versions.flatMap((version, at) => {
      const words = data.runs[version]?.words[probe];
      return words === undefined ? [] : [{ version, at, words }];
    });
    expect([run[0]?.version, run.at(-1)?.version], probe).toEqual(['2.0.56', versions.at(-1)]);
    const changes = run.slice(1).flatMap(({ version, at, words }, index) => {
      const before = run[index];
      return before === undefined || isDeepStrictEqual(before.words, words) ? [] : [{ version, step: at - before.at }];
    });
    expect(
      changes.filter(({ step }) => step > 1),
      probe,
    ).toEqual([]);
  }
});

test('only published releases were run', () => {
  expect(data.published.versions).toEqual(expect.arrayContaining(Object.keys(data.runs)));
});
