import { describe, expect, test } from 'vitest';
import { flagCases } from './flags.cases.js';
import { initializeCases } from './initialize.cases.js';
import { alteredCases, checkCase, type LaunchCase } from './launch-case.js';
import { pythonArgvCases } from './python-argv.cases.js';
import { pythonEnvCases } from './python-env.cases.js';
import { spawnEnvCases } from './spawn-env.cases.js';

const TABLES: Readonly<Record<string, readonly LaunchCase[]>> = {
  'spawn and environment': spawnEnvCases,
  flags: flagCases,
  initialize: initializeCases,
  'Python argv': pythonArgvCases,
  'Python environment': pythonEnvCases,
};

/** Rows of TS-001 to TS-080 that are not about the plan. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'TS-002': 'spawning: transport and session',
  'TS-015': 'spawning: custom spawners',
  'TS-016': 'spawning: custom spawners',
  'TS-017': 'spawning: custom spawners',
  'TS-018': 'spawning: transport',
  'TS-077': 'manifests: the controller',
  'TS-078': 'manifests: the controller',
};
/** Rows of PY-013 to PY-076 that ours has nothing of. */
const NOT_OURS: readonly string[] = ['PY-015', 'PY-016', 'PY-017', 'PY-018', 'PY-019', 'PY-020'];

describe.each(Object.entries(TABLES))('%s', (_table, rows) => {
  test.each(
    rows.map(
      (row) => [[row.name, ...(row.ids.length === 0 ? [] : [`(${row.ids.join(', ')})`])].join(' '), row] as const,
    ),
  )('%s', (_title, row) => checkCase(row));
});

test('a row whose expectation is altered fails', () => {
  for (const row of Object.values(TABLES).flat()) {
    const altered = alteredCases(row);
    expect(altered.length, row.name).toBeGreaterThan(0);
    for (const wrong of altered) expect(() => checkCase(wrong), row.name).toThrow();
  }
});

test('every row of the official SDK about options is here or named as elsewhere', () => {
  const covered = new Set(Object.values(TABLES).flatMap((rows) => rows.flatMap((row) => row.ids)));
  const missing = range('TS', 1, 80).filter((id) => !covered.has(id) && !(id in ELSEWHERE));
  expect(missing).toEqual([]);
  expect(Object.keys(ELSEWHERE).filter((id) => covered.has(id))).toEqual([]);
});

test('every row of the Python SDK about argv and environment is here or has no counterpart', () => {
  const covered = new Set([...pythonArgvCases, ...pythonEnvCases].flatMap((row) => row.ids));
  expect(range('PY', 13, 76).filter((id) => !covered.has(id))).toEqual(NOT_OURS);
});

function range(prefix: string, from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}-${String(from + index).padStart(3, '0')}`);
}
