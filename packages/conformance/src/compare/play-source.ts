import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import {
  convertRecording,
  parseScenario,
  readRecording,
  type Scenario,
  ScenarioError,
  scenarioOf,
} from 'claudewire/testing';
import { relaxed } from './relax.js';

/** What the player plays for both programs. */
export interface Play {
  /** For the report. */
  readonly title: string;
  readonly scenario: Scenario;
  /** For processes that are started without a way to ask about permissions. */
  readonly unasked?: Scenario;
}

export interface PlayArguments {
  readonly scenario?: string | undefined;
  readonly recording?: string | undefined;
}

/**
 * Reads what is to be played: a scenario of the suite, a scenario file, a recording, or the default.
 * @throws InvalidOptionError it cannot be read or played.
 */
export function readPlay({ scenario, recording }: PlayArguments, data: string): Play {
  if (scenario !== undefined && recording !== undefined) {
    throw new InvalidOptionError('scenario', '--scenario and --recording cannot be combined');
  }
  if (recording !== undefined) return playOfRecording(resolve(recording));
  if (scenario === undefined) return defaultPlay(data);
  const isFile = scenario.includes('/') || scenario.includes('\\') || existsSync(scenario);
  return isFile ? playOfFile(resolve(scenario)) : playOfSuite(scenario, data);
}

function defaultPlay(data: string): Play {
  const read = (name: string): Scenario => scenarioAt(join(data, 'compare', name));
  const scenario = read('asks.jsonl');
  return { title: titleOf(scenario), scenario, unasked: read('asks-nobody.jsonl') };
}

/** As it is written: its author knows what the programs send. */
function playOfFile(file: string): Play {
  const scenario = scenarioAt(file);
  return { title: titleOf(scenario), scenario };
}

/** The driver lane tells a driver what to do; these programs do what they always do. */
function playOfSuite(name: string, data: string): Play {
  const folder = join(data, 'scenarios');
  const level = readdirSync(folder).find((each) => existsSync(join(folder, each, `${name}.jsonl`)));
  if (level === undefined) {
    throw new InvalidOptionError('scenario', `no scenario is named ${name}, and there is no such file`);
  }
  const scenario = relaxed(scenarioAt(join(folder, level, `${name}.jsonl`)));
  return { title: titleOf(scenario), scenario };
}

function playOfRecording(file: string): Play {
  const recording = readRecording(read('recording', file), file);
  if (!recording.lines.some(({ dir }) => dir === 'out')) {
    throw new InvalidOptionError('recording', `${file} has no frame of the CLI: there is nothing to play`);
  }
  const { header, steps } = playable('recording', file, () => convertRecording(recording, { exact: false }));
  const scenario = relaxed(playable('recording', file, () => scenarioOf(steps, header)));
  return { title: `recording ${header.scenario}`, scenario };
}

function scenarioAt(file: string): Scenario {
  return playable('scenario', file, () => parseScenario(read('scenario', file), file));
}

function titleOf({ header: { scenario, about } }: Scenario): string {
  return about === undefined ? `scenario ${scenario}` : `scenario ${scenario} (${about})`;
}

function playable<T>(option: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // Nested deeper than the stack.
    if (error instanceof RangeError) throw new InvalidOptionError(option, `${file} cannot be played: ${error.message}`);
    if (!(error instanceof ScenarioError)) throw error;
    const isNamed = error.message.includes(file);
    throw new InvalidOptionError(option, isNamed ? error.message : `${file} cannot be played: ${error.message}`);
  }
}

function read(option: string, file: string): string {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new InvalidOptionError(option, `there is no file ${file}`);
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new InvalidOptionError(option, `cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`, {
      cause,
    });
  }
}
