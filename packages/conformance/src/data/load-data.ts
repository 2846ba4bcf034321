import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LEVELS, type Level, parseScenario } from 'claudewire/testing';
import { invalidArgument } from '../util/arguments.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';
import {
  type ConformanceData,
  ConformanceDataError,
  type Requirement,
  requireData,
  type ScenarioEntry,
} from './conformance-data.js';

/** Major version of the data package that this code reads. */
const FORMAT = '1';

/**
 * Loads the data package: requirements, the headers of its scenarios, the driver schema.
 *
 * @throws ConformanceDataError it is of another major version, or a file in it is broken.
 * @throws ScenarioError a scenario cannot be played as it is written.
 */
export function loadData(dir: string): ConformanceData {
  if (typeof dir !== 'string') {
    const cure = 'Pass what `findData({})` gives.';
    throw invalidArgument('dir', 'loadData() takes the path of a folder', dir, cure);
  }
  const version = String(readJson(join(dir, 'package.json')).version);
  if (version.split('.')[0] !== FORMAT) {
    throw new ConformanceDataError(
      `${dir} is version ${version} of the data, and this runner reads version ${FORMAT}. Update the older of the two.`,
    );
  }
  const levels = new Map<Level, string>();
  const requirements: Requirement[] = [];
  for (const level of LEVELS) {
    const file = join(dir, 'requirements', `${level}.json`);
    const { title, requirements: listed } = readJson(file);
    levels.set(level, String(title));
    if (!Array.isArray(listed)) {
      throw new ConformanceDataError(`${file}: expected "requirements" to be a list`);
    }
    requirements.push(...listed.map((value, index) => requirement(value, level, `${file}: requirement ${index}`)));
  }
  const scenarios = scenarioFiles(dir).map(readEntry);
  return {
    dir,
    version,
    cliVersion: mostFrequent(scenarios.flatMap(({ cliVersion }) => cliVersion ?? [])),
    requirements,
    levels,
    scenarios,
    driverSchema: readJson(join(dir, 'schemas', 'driver.schema.json')),
  };
}

function requirement(value: unknown, level: Level, where: string): Requirement {
  if (!isJsonObject(value)) throw new ConformanceDataError(`${where}: expected an object`);
  for (const key of ['id', 'party', 'text']) {
    if (typeof value[key] !== 'string') {
      throw new ConformanceDataError(`${where}: expected "${key}" to be a string`);
    }
  }
  // Looked at above; the rest is provenance.
  return { source: [], ...value, level } as unknown as Requirement;
}

function scenarioFiles(dir: string): readonly string[] {
  const root = join(dir, 'scenarios');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .sort((a, b) => (a < b ? -1 : 1))
    .map((file) => join(root, file));
}

function readEntry(file: string): ScenarioEntry {
  const { header } = parseScenario(readFileSync(file, 'utf8'), file);
  const name = basename(file, '.jsonl');
  if (header.scenario !== name) {
    throw new ConformanceDataError(
      `${file}: the scenario calls itself ${header.scenario}; its name is that of its file`,
    );
  }
  if (header.level === undefined || header.requirements === undefined) {
    throw new ConformanceDataError(`${file}: a scenario of the suite names its "level" and its "requirements"`);
  }
  return {
    name,
    file,
    level: header.level,
    about: header.about ?? '',
    requirements: header.requirements,
    features: header.features ?? [],
    cliVersion: header.cliVersion,
    recording: header.source?.find((source) => source.startsWith('recording:'))?.slice('recording:'.length),
  };
}

/** A few scenarios are about an older release. */
function mostFrequent(values: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function readJson(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConformanceDataError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const value = parseJsonObject(text);
  if (value === undefined) throw new ConformanceDataError(`${file} is no JSON object`);
  return value;
}

/**
 * Where the data is at odds with itself: a `host` requirement that no scenario shows, a scenario that names a
 * requirement which does not exist, an id or name that is used twice.
 */
export function coverageProblems(data: ConformanceData): readonly string[] {
  requireData('coverageProblems', data);
  const { requirements, scenarios } = data;
  const ids = requirements.map(({ id }) => id);
  const known = new Set(ids);
  const shown = new Set(scenarios.flatMap((scenario) => scenario.requirements));
  return [
    ...twice(ids).map((id) => `requirement ${id} is there twice`),
    ...twice(scenarios.map(({ name }) => name)).map((name) => `scenario ${name} is there twice`),
    ...scenarios.flatMap(({ name, requirements: named }) =>
      named.filter((id) => !known.has(id)).map((id) => `${name} names ${id}, which is no requirement`),
    ),
    ...requirements
      .filter(({ id, party }) => party === 'host' && !shown.has(id))
      .map(({ id }) => `no scenario shows ${id}`),
  ];
}

function twice(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
