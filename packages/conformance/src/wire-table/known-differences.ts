import type { CellRecord } from './cells.js';
import { shapeAt, type WireTable } from './wire-table.js';

const SUCCESS = 'control_response/success/';
const ERROR = 'control_response/error/';

/**
 * What a program has to know of each release before the newest, in one short text: requests that it does not answer or refuses, and
 * scenarios that fail with claudewire. Empty when nothing is known to differ.
 */
export function knownDifferences(table: WireTable, cells: CellRecord): readonly (readonly [string, string])[] {
  const accepted = subtypes(table, table.versions.at(-1) ?? '', SUCCESS);
  return table.versions.map((version) => {
    const [here, refused] = [subtypes(table, version, SUCCESS), subtypes(table, version, ERROR)];
    const unfinished = table.notRecorded[version] ?? {};
    const other = accepted.filter((request) => !here.includes(request));
    const refuses = other.filter((request) => refused.includes(request));
    const silent = other.filter((request) => {
      const seenIn = table.frames[SUCCESS + request]?.seenIn ?? [];
      return !refuses.includes(request) && seenIn.some((name) => !(name in unfinished));
    });
    const failed = Object.entries(cells[version]?.ours?.scenarios ?? {}).filter(([, found]) => found !== 'passed');
    const parts = [
      silent.length === 0 ? '' : `no answer to ${silent.join(', ')}`,
      refuses.length === 0 ? '' : `refuses ${refuses.join(', ')}`,
      failed.length === 0 ? '' : `fails: ${failed.map(([name]) => name).join(', ')}`,
    ];
    return [version, parts.filter((part) => part !== '').join('; ')] as const;
  });
}

function subtypes(table: WireTable, version: string, kind: string): readonly string[] {
  const { kinds } = shapeAt(table, version);
  return Object.keys(kinds).flatMap((each) => (each.startsWith(kind) ? [each.slice(kind.length)] : []));
}
