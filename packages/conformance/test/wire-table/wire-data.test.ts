import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { compareVersions } from '../../src/drift/install-release.js';
import { SDK_SCENARIOS } from '../../src/sdk-table/sdk-scenarios.js';
import type { CellRecord } from '../../src/wire-table/cells.js';
import { framesSchema } from '../../src/wire-table/frames-schema.js';
import { shapeAt, type WireTable } from '../../src/wire-table/wire-table.js';
import { pagesOf, recordedPart, wireFiles, withKnownDifferences } from '../../src/wire-table/write-wire-data.js';

const root = new URL('../../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
// Written by `npm run wire`.
const table: WireTable = JSON.parse(read('packages/conformance/wire/table.json'));
const cells: CellRecord = JSON.parse(read('packages/conformance/wire/cells.json'));
const live = fileURLToPath(new URL('packages/conformance/live', root));

test('the table has the versions of the list, oldest first, and cells that have every scenario', () => {
  const listed: readonly { readonly cli: string }[] = JSON.parse(read('packages/conformance/wire/versions.json'));
  expect(table.versions).toEqual(listed.map(({ cli }) => cli));
  expect([...table.versions].sort(compareVersions)).toEqual(table.versions);
  const names = SDK_SCENARIOS.map(({ name }) => name).sort();
  for (const version of table.versions) {
    expect(Object.keys(cells[version] ?? {}), version).toContain('ours');
    for (const [column, { scenarios }] of Object.entries(cells[version] ?? {})) {
      expect(Object.keys(scenarios).sort(), `${version} ${column}`).toEqual(names);
    }
  }
});

test('what was recorded of a version can be had back from the data, so that one is recorded without the others', () => {
  const parts = table.versions.map((version) => recordedPart(table, cells, version));
  for (const [file, text] of wireFiles(parts, live)) expect(text, file).toBe(read(file));
  expect(recordedPart(table, cells, '9.9.9')).toEqual({ cli: '9.9.9' });
});

test('a newest SDK that some CLIs were not run with again is named there', () => {
  const [oldest = '', latest = ''] = [table.versions[0], table.versions.at(-1)];
  const column = (release: string) => ({ ...cells[latest], tsNewest: { release, scenarios: {} } });
  const followed = { ...cells, [oldest]: column('0.3.1'), [latest]: column('0.3.2') };
  const page = pagesOf(table, followed, live)[0]?.[1] ?? '';
  expect(page.split('\n').find((line) => line.startsWith(`| ${oldest} |`))).toContain('(0.3.1)');
  expect(page.split('\n').find((line) => line.startsWith(`| ${latest} |`))).not.toContain('(0.3.2)');
});

test.each(pagesOf(table, cells, live))('%s is made of the table', (file, text) => {
  expect(read(file)).toBe(text);
});

test('the main package has what the table says of each version', () => {
  const source = read('src/util/cli-versions.ts');
  expect(withKnownDifferences(source, table, cells)).toBe(source);
});

test.each(table.versions)('the schema of %s is that of the table, and compiles', (version) => {
  const schema = JSON.parse(read(`packages/conformance/wire/schemas/${version}.schema.json`));
  expect(schema).toEqual(framesSchema(version, shapeAt(table, version).kinds));
  new Ajv2020({ strict: false }).compile(schema);
});

test.each([
  [['--version', '9.9.9'], /--version 9\.9\.9 is not one of 2\.0\.0, .*versions\.json/],
  [['--version', '2.0.0', '--version', 'newest'], /--version newest is not one of/],
  [['--only', 'sdk'], /--only sdk is not one of cli, sdks, build/],
  [['--column', 'their'], /--column their is not one of ours/],
])('`npm run wire` refuses what it would not record: %j (U-3)', (args, message) => {
  const script = fileURLToPath(new URL('../../scripts/wire.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});
