import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliShape } from '../drift/cli-shape.js';
import { readLiveScenarios } from '../drift/live-scenario.js';
import type { Cell, CellRecord } from './cells.js';
import { framesSchema } from './frames-schema.js';
import { knownDifferences } from './known-differences.js';
import { changesPage, versionsPage } from './pages.js';
import { shapeAt, type WireTable, wireTable } from './wire-table.js';

export interface WireParts {
  readonly cli: string;
  readonly shape?: CliShape;
  readonly cells?: Readonly<Record<string, Cell>>;
}

/** What was recorded of a release before, out of the data that was made of it. */
export function recordedPart(table: WireTable, cells: CellRecord, cli: string): WireParts {
  const own = cells[cli];
  return {
    cli,
    ...(table.versions.includes(cli) ? { shape: shapeAt(table, cli) } : {}),
    ...(own === undefined ? {} : { cells: own }),
  };
}

/** Everything that is made of the records, by its path in the repository. A file of objects has an object a line, to be small and to be read. */
export function wireFiles(parts: readonly WireParts[], live: string): ReadonlyMap<string, string> {
  const names = readLiveScenarios(live).map(({ name }) => name);
  const shapes = parts.flatMap(({ cli, shape }) =>
    shape === undefined ? [] : [[cli, complete(shape, names)] as const],
  );
  const table = wireTable(shapes);
  const cells: CellRecord = Object.fromEntries(parts.flatMap(({ cli, cells }) => (cells ? [[cli, cells]] : [])));
  const files = new Map(pagesOf(table, cells, live));
  files.set(`${DATA}/table.json`, compact(table));
  files.set(`${DATA}/cells.json`, compact(cells));
  for (const version of table.versions) {
    const schema = framesSchema(version, shapeAt(table, version).kinds);
    files.set(`${DATA}/schemas/${version}.schema.json`, compact(schema));
  }
  return files;
}

/** A scenario that is newer than a record was not recorded: it is not that the release lacks its frames. */
function complete(shape: CliShape, names: readonly string[]): CliShape {
  const missing = names.filter((name) => !(name in shape.scenarios) && !(name in (shape.notRecorded ?? {})));
  const notRun = Object.fromEntries(missing.map((name) => [name, 'was not run']));
  return { ...shape, notRecorded: { ...shape.notRecorded, ...notRun } };
}

const DATA = 'packages/conformance/wire';
const LIST = 'const TESTED: readonly (readonly [string, string])[] = ';
const MODULE = 'src/util/cli-versions.ts';

/** The pages, which are made of the table alone: a test compares them. */
export function pagesOf(table: WireTable, cells: CellRecord, live: string): readonly (readonly [string, string])[] {
  const unordered = readLiveScenarios(live)
    .filter(({ isUnordered }) => isUnordered === true)
    .map(({ name }) => name);
  return [
    ['docs/evidence/cli-versions.md', versionsPage(table, cells)],
    ['docs/evidence/wire-changes.md', changesPage(table, unordered)],
  ];
}

/** The source of the main package, with the list of what is known of each version put in. */
export function withKnownDifferences(source: string, table: WireTable, cells: CellRecord): string {
  const lines = source.split('\n');
  const at = lines.findIndex((line) => line.startsWith(LIST));
  if (at === -1) throw new Error(`no list of tested versions in ${MODULE}`);
  lines[at] = `${LIST}${JSON.stringify(knownDifferences(table, cells))};`;
  return lines.join('\n');
}

/** Writes all of it below `root`. */
export function writeWireData({
  parts,
  root,
  live,
}: {
  readonly parts: readonly WireParts[];
  readonly root: string;
  readonly live: string;
}): void {
  rmSync(join(root, DATA, 'schemas'), { recursive: true, force: true });
  mkdirSync(join(root, DATA, 'schemas'), { recursive: true });
  const files = wireFiles(parts, live);
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  const read = (name: string) => JSON.parse(files.get(`${DATA}/${name}`) ?? '{}');
  const module = join(root, MODULE);
  writeFileSync(module, withKnownDifferences(readFileSync(module, 'utf8'), read('table.json'), read('cells.json')));
}

/** Two levels a line each, the rest on it. */
function compact(value: object): string {
  const inner = (each: unknown): string =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? `{\n${Object.entries(each)
          .map(([key, one]) => `    ${JSON.stringify(key)}: ${JSON.stringify(one)}`)
          .join(',\n')}\n  }`
      : JSON.stringify(each);
  const entries = Object.entries(value).map(([key, each]) => `  ${JSON.stringify(key)}: ${inner(each)}`);
  return `{\n${entries.join(',\n')}\n}\n`;
}
