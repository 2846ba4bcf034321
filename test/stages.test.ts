import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALONE, PROCESSES } from '../vitest.config.js';

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

function testFilesIn(folder: string): readonly string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`);
  } catch {
    return [];
  }
}
