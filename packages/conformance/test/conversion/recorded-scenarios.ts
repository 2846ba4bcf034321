import { readFileSync } from 'node:fs';
import { formatScenario, type Level, readRecording, type ScenarioHeader } from 'claudewire/testing';
import { convertForSuite } from '../../src/conversion/suite-conversion.js';
import table from './recorded-scenarios.json' with { type: 'json' };

const RECORDINGS = new URL('../../../../test/fixtures/recordings/', import.meta.url);

/** A scenario of the data package that is made of a recording. */
export interface RecordedScenario {
  readonly name: string;
  /** Under `packages/conformance/scenarios/`. */
  readonly file: string;
  readonly text: string;
}

/** What `packages/conformance/scenarios` must hold for the recordings of the table. */
export function recordedScenarios(): readonly RecordedScenario[] {
  return Object.entries(table).map(([recording, { level, requirements }]) => {
    const name = `${level.toLowerCase()}-rec-${recording}`;
    const { header, steps } = convertForSuite(readOne(recording), { trim: true });
    const { scenario: _, version, about, cliVersion, ...rest } = header;
    const full: ScenarioHeader = {
      scenario: name,
      version,
      level: level as Level,
      ...(about === undefined ? {} : { about }),
      requirements,
      ...(cliVersion === undefined ? {} : { cliVersion }),
      ...rest,
    };
    return { name, file: `${level}/${name}.jsonl`, text: formatScenario({ header: full, steps }) };
  });
}

export function readOne(name: string): ReturnType<typeof readRecording> {
  return readRecording(readFileSync(new URL(`${name}.jsonl`, RECORDINGS), 'utf8'), name);
}
