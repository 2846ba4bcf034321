import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL, ALONE, PROCESSES } from '../vitest.config.js';

const root = join(import.meta.dirname, '..');

test('every place in the list of vitest.config.ts has tests, and no file is listed twice', () => {
  const files = ['test', 'packages'].flatMap(testFilesIn);
  const filesOf = (place: string): readonly string[] =>
    files.filter((file) => (place.endsWith('.ts') ? `/${file}`.endsWith(`/${place}`) : file.startsWith(`${place}/`)));
  const places = [...PROCESSES, ...ALONE];
  expect(places.filter((place) => filesOf(place).length === 0)).toEqual([]);
  const listed = places.flatMap(filesOf);
  expect(listed.filter((file, at) => listed.indexOf(file) !== at)).toEqual([]);
});

/** Run by another test. */
const NO_TEST_OF_VITEST = ['test/temporal/activity.test.mjs'];

test('no file that is named like a test is left out by every project', () => {
  const tops = readdirSync(root, { withFileTypes: true })
    .filter((each) => each.isDirectory() && !each.name.startsWith('.') && each.name !== 'node_modules')
    .map(({ name }) => name);
  const named = tops.flatMap((top) => filesIn(top).filter((file) => /\.(?:test|spec)\.[cm]?[jt]sx?$/.test(file)));
  expect(named.length).toBeGreaterThan(300);
  const isRun = (file: string): boolean => ALL.some((glob) => matchesGlob(file, glob));
  const advice = `vitest looks for ${ALL.join(' and ')}: move or rename the file`;
  expect(
    named.filter((file) => !isRun(file) && !NO_TEST_OF_VITEST.includes(file)),
    advice,
  ).toEqual([]);
});

/** `**` and `*`, as in the list of the configuration. */
function matchesGlob(file: string, glob: string): boolean {
  const pattern = glob
    .replaceAll('.', '\\.')
    .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'));
  return new RegExp(`^${pattern}$`).test(file);
}

function testFilesIn(folder: string): readonly string[] {
  return filesIn(folder).filter((file) => file.endsWith('.test.ts'));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => !file.includes('node_modules/'));
}
