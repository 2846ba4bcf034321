import { InvalidOptionError } from 'claudewire';
import type { Level } from 'claudewire/testing';
import { requireObject } from '../util/arguments.js';
import type { JsonObject } from '../util/json.js';

/** The data package, loaded. Scenarios are read one by one when they are run. */
export interface ConformanceData {
  /** Its folder. */
  readonly dir: string;
  /** Version of the package. */
  readonly version: string;
  /** Claude Code that the scenarios were made with. */
  readonly cliVersion?: string | undefined;
  readonly requirements: readonly Requirement[];
  /** What each level is about. */
  readonly levels: ReadonlyMap<Level, string>;
  /** Sorted by level, then by name. */
  readonly scenarios: readonly ScenarioEntry[];
  /** `schemas/driver.schema.json`. */
  readonly driverSchema: JsonObject;
}

/** One normative statement. */
export interface Requirement {
  readonly id: string;
  readonly level: Level;
  /** `host`: what an SDK must do. `cli`: what the CLI does. */
  readonly party: 'host' | 'cli';
  readonly text: string;
  readonly source: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

/** What the header of a scenario says, and where the file is. */
export interface ScenarioEntry {
  readonly name: string;
  readonly file: string;
  readonly level: Level;
  readonly about: string;
  readonly requirements: readonly string[];
  readonly features: readonly string[];
  /** Claude Code that it was made with. */
  readonly cliVersion?: string | undefined;
  /** Name of the recording that it was made from. */
  readonly recording?: string | undefined;
}

/** The data package cannot be used: not found, of another format, or at odds with itself. */
export class ConformanceDataError extends InvalidOptionError {
  override name = 'ConformanceDataError';

  constructor(message: string) {
    super('data', message);
  }
}

/** @throws InvalidOptionError it is no data package. */
export function requireData(call: string, data: ConformanceData): void {
  const takes = `${call}() takes the data of the suite`;
  const fields = { requirements: 'list', scenarios: 'list', levels: 'map', driverSchema: 'object' } as const;
  requireObject('data', takes, data, 'Pass what `loadData(findData({}))` gives.', fields);
}
