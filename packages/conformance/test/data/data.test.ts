import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConformanceDataError } from '../../src/data/conformance-data.js';
import { findData } from '../../src/data/find-data.js';
import { loadData } from '../../src/data/load-data.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'claudewire-data-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), text);
}

/** A data package without requirements. */
function empty(version = '1.0.0'): void {
  write('package.json', JSON.stringify({ name: 'claudewire-conformance', version }));
  for (let level = 0; level <= 8; level += 1) {
    write(`requirements/L${level}.json`, '{"title":"T","requirements":[]}');
  }
  write('schemas/driver.schema.json', '{}');
  mkdirSync(join(dir, 'scenarios'));
}

describe('the data is found', () => {
  test('in the folder that was named', () => {
    empty();
    expect(findData({ data: dir })).toBe(dir);
  });

  test('in this package otherwise', () => {
    expect(findData()).toBe(join(root, '/'));
    expect(findData({})).toBe(findData());
  });

  test('or the error says what is missing', () => {
    expect(() => findData({ data: dir })).toThrow(
      `${dir} is not a folder of conformance data: it has no package.json and no requirements/`,
    );
  });
});

describe('the data package is loaded', () => {
  test('with its requirements, scenarios by name, and the schema of drivers', () => {
    const data = loadData(root);
    expect(data.levels.get('L0')).toBe('Framing');
    expect(data.requirements.length).toBeGreaterThan(100);
    expect(data.scenarios.map(({ name }) => name)).toContain('l3-set-model');
    expect(data.driverSchema.title).toMatch(/Driver protocol/);
  });

  test.for<[name: string, path: string, text: string, said: RegExp]>([
    ['another version', 'package.json', '{"version":"2.0.0"}', /is version 2\.0\.0 .* reads version 1/],
    ['no JSON', 'requirements/L3.json', '{', /L3\.json is no JSON object/],
    ['no list', 'requirements/L3.json', '{"requirements":{}}', /expected "requirements" to be a list/],
    [
      'a requirement without a party',
      'requirements/L3.json',
      '{"requirements":[{"id":"L3-01","text":"t"}]}',
      /requirement 0: expected "party" to be a string/,
    ],
    [
      'a scenario of another name',
      'scenarios/L1/l1-a.jsonl',
      '{"scenario":"l1-b","version":1}',
      /calls itself l1-b; its name is that of its file/,
    ],
    [
      'a scenario without requirements',
      'scenarios/L1/l1-a.jsonl',
      '{"scenario":"l1-a","version":1,"level":"L1"}',
      /names its "level" and its "requirements"/,
    ],
  ])('but not with %s', ([, path, text, said]) => {
    empty();
    write(path, text);
    expect(() => loadData(dir)).toThrow(said);
    expect(() => loadData(dir)).toThrow(ConformanceDataError);
  });

  test('nor when a file is missing', () => {
    empty();
    rmSync(join(dir, 'schemas', 'driver.schema.json'));
    expect(() => loadData(dir)).toThrow(/driver\.schema\.json cannot be read/);
  });
});
