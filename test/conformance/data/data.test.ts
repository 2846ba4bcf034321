import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ConformanceDataError } from '../../../src/conformance/data/data-error.js';
import { findData } from '../../../src/conformance/data/find-data.js';
import { loadData } from '../../../src/conformance/data/load-data.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

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

describe('the data package is found', () => {
  test('where it was said to be, and nowhere else then', () => {
    expect(findData({ data: 'conformance', cwd: root })).toBe(join(root, 'conformance'));
    expect(() => findData({ data: dir, packageRoot: root })).toThrow(
      /is not the folder of claudewire-conformance/,
    );
  });

  test('as it is installed, before that of a checkout', () => {
    empty();
    const installed = join(dir, 'node_modules', 'claudewire-conformance');
    write('node_modules/claudewire-conformance/package.json', '{"version":"1.0.0"}');
    mkdirSync(join(installed, 'requirements'));
    mkdirSync(join(dir, 'deep', 'er'), { recursive: true });
    expect(findData({ cwd: join(dir, 'deep', 'er'), packageRoot: root })).toBe(installed);
  });

  test('in a checkout', () => {
    expect(findData({ cwd: dir, packageRoot: root })).toBe(join(root, 'conformance'));
  });

  test('or the error says what to do', () => {
    expect(() => findData({ cwd: dir })).toThrow(
      `claudewire-conformance was not found from ${dir}. It is the folder "conformance" of a clone of claudewire: name it with --data DIR, or run "npm pack" there and install the file.`,
    );
  });
});

describe('the data package is loaded', () => {
  test('with its requirements, scenarios by name, and the schema of drivers', () => {
    const data = loadData(join(root, 'conformance'));
    expect(data.levels.get('L0')).toBe('Framing');
    expect(data.requirements.length).toBeGreaterThan(100);
    expect(data.scenarios.map(({ name }) => name)).toContain('l3-set-model');
    expect(data.driverSchema.title).toMatch(/Driver protocol/);
  });

  test.for<[name: string, path: string, text: string, said: RegExp]>([
    [
      'another version',
      'package.json',
      '{"version":"2.0.0"}',
      /is version 2\.0\.0 .* reads version 1/,
    ],
    ['no JSON', 'requirements/L3.json', '{', /L3\.json is no JSON object/],
    [
      'no list',
      'requirements/L3.json',
      '{"requirements":{}}',
      /expected "requirements" to be a list/,
    ],
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
