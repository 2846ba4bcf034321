import { requireObject } from '../../errors/usage-errors.js';
import type { CliSection, CliStep, DriverStep, PlacedStep, Scenario, SpawnStep, Step } from './scenario-types.js';

const DRIVER_KINDS = ['drive', 'reply', 'observe', 'count', 'reached', 'open'] as const;

/** Whose step it is: the player's or the runner's. */
export function laneOf(step: Step): 'cli' | 'driver' {
  return DRIVER_KINDS.some((kind) => kind in step) ? 'driver' : 'cli';
}

const isOfDriver = (placed: PlacedStep): placed is PlacedStep<DriverStep> => laneOf(placed.step) === 'driver';
const isOfCli = (placed: PlacedStep): placed is PlacedStep<CliStep> => laneOf(placed.step) === 'cli';
const isSpawnStep = (placed: PlacedStep<CliStep>): placed is PlacedStep<SpawnStep> => 'spawn' in placed.step;

/** The steps of the driver lane, in order. */
export function driverSteps(scenario: Scenario): readonly PlacedStep<DriverStep>[] {
  requireScenario('driverSteps', scenario);
  return scenario.steps.filter(isOfDriver);
}

/**
 * The CLI lane, one section a process. A scenario without `spawn` steps has one section, for every process; see {@link
 * sectionOf}.
 */
export function cliSections(scenario: Scenario): readonly CliSection[] {
  requireScenario('cliSections', scenario);
  const sections: { spawn: CliSection['spawn']; steps: CliSection['steps'][number][] }[] = [];
  for (const placed of scenario.steps.filter(isOfCli)) {
    if (isSpawnStep(placed)) sections.push({ spawn: placed, steps: [] });
    else {
      if (sections.length === 0) sections.push({ spawn: undefined, steps: [] });
      // The branch above has taken the spawn steps out.
      sections.at(-1)?.steps.push(placed as CliSection['steps'][number]);
    }
  }
  return sections.length === 0 ? [{ spawn: undefined, steps: [] }] : sections;
}

/** What the n-th process (from 1) plays; `undefined` when the scenario has no section for it. */
export function sectionOf(scenario: Scenario, spawn: number): CliSection | undefined {
  const sections = cliSections(scenario);
  return sections[0]?.spawn === undefined ? sections[0] : sections[spawn - 1];
}

function requireScenario(call: string, scenario: Scenario): void {
  const cure = 'Pass what parseScenario() gives.';
  requireObject('scenario', `${call}() takes a scenario`, scenario, cure, { steps: 'list' });
}
