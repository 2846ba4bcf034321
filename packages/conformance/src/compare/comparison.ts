import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeVerdict } from 'claudewire/testing';
import { makeTempFolder } from '../runner/scenario-folder.js';
import { type AreaResult, comparePrograms } from './compare-programs.js';
import { SecretHider } from './hide-secrets.js';
import { type Observation, observe } from './observation.js';
import type { Play } from './play-source.js';
import type { ProgramRunner } from './program-runner.js';
import { runProgram } from './run-program.js';
import { createStandIn } from './stand-in.js';
import { steadyTexts } from './steady.js';

/** What came of one of the two programs. */
export interface ComparedProgram {
  readonly runner: ProgramRunner;
  readonly observation: Observation;
  readonly isLate: boolean;
  /** Starts of the CLI that did not play the scenario to its end, and why. */
  readonly problems: readonly string[];
}

export interface Comparison {
  readonly title: string;
  readonly left: ComparedProgram;
  readonly right: ComparedProgram;
  readonly areas: readonly AreaResult[];
  readonly hider: SecretHider;
}

export interface ComparisonOptions {
  readonly runners: readonly [ProgramRunner, ProgramRunner];
  readonly play: Play;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** The folder of the conformance data. */
  readonly data: string;
  readonly signal: AbortSignal;
}

/** Runs both programs, one after the other: side by side they would slow each other down. */
export async function compare({ runners, play, ...options }: ComparisonOptions): Promise<Comparison> {
  const temp = makeTempFolder('claudewire-compare-');
  const environments: Readonly<Record<string, unknown>>[] = [process.env];
  const runOne = async (runner: ProgramRunner, name: string): Promise<ComparedProgram> => {
    const folder = join(temp.path, name);
    mkdirSync(folder);
    const standIn = createStandIn(play, folder, { data: options.data, language: runner.language });
    const run = await runProgram({ ...options, runner, standIn });
    const processes = standIn.processes();
    environments.push(...processes.map(({ env }) => env));
    return {
      runner,
      observation: observe(run, processes, { language: runner.language, steady: steadyTexts(folder) }),
      isLate: run.isLate,
      problems: processes.flatMap(({ verdict }) => {
        if (verdict === undefined) return ['the CLI was killed in the middle of the scenario'];
        return verdict.passed ? [] : [describeVerdict(verdict)];
      }),
    };
  };
  try {
    const left = await runOne(runners[0], 'left');
    const right = await runOne(runners[1], 'right');
    const areas = comparePrograms(sideOf(left), sideOf(right));
    return { title: play.title, left, right, areas, hider: new SecretHider(environments) };
  } finally {
    temp.remove();
  }
}

const sideOf = ({ runner: { language }, observation }: ComparedProgram) => ({ language, observation });

/** `different` counts before `incomplete`: what was seen was seen. */
export type Outcome = 'same' | 'different' | 'incomplete';

export function outcomeOf({ left, right, areas }: Comparison): Outcome {
  const sides = [left, right];
  if (sides.every(neverStarted)) return 'incomplete';
  if (areas.some(({ differences }) => differences.length > 0)) return 'different';
  return sides.some(({ isLate, problems }) => isLate || problems.length > 0) ? 'incomplete' : 'same';
}

export function neverStarted({ observation }: ComparedProgram): boolean {
  return observation.processes.length === 0;
}
