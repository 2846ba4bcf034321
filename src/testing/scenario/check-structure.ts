import { laneOf } from './lanes.js';
import { longTextProblem } from './long-texts.js';
import { ScenarioError } from './scenario-error.js';
import type { PlacedStep, Scenario, Step } from './scenario-types.js';

/**
 * What one step alone cannot show: names that belong together, and sections.
 *
 * @throws ScenarioError with the line of the step that does not fit.
 */
export function checkStructure({ header, steps, file }: Scenario): void {
  const tooLong = longTextProblem(header);
  if (tooLong !== undefined) throw new ScenarioError(file, 1, `header: ${tooLong}`);
  const fail = ({ line }: PlacedStep, message: string): never => {
    throw new ScenarioError(file, line, message, header.places?.[line - 1]);
  };
  const firstSpawn = steps.findIndex(({ step }) => 'spawn' in step);
  const named = new Set<string>();
  const [marks, gates] = [namesOf(steps, 'mark'), namesOf(steps, 'gate')];
  for (const [index, placed] of steps.entries()) {
    const { step } = placed;
    const problem = longTextProblem(step);
    if (problem !== undefined) fail(placed, problem);
    if (index < firstSpawn && laneOf(step) === 'cli') {
      fail(placed, 'a step before the first spawn belongs to no process; put it after one');
    } else if ('drive' in step && step.as !== undefined) {
      if (named.has(step.as)) fail(placed, `drive: another command is named "${step.as}"`);
      named.add(step.as);
    } else if ('reply' in step && !named.has(step.reply)) {
      fail(placed, `reply: no drive step before it has "as": "${step.reply}"`);
    } else if ('reached' in step && !marks.has(step.reached)) {
      fail(placed, `reached: the CLI lane has no mark "${step.reached}"`);
    } else if ('open' in step && !gates.has(step.open)) {
      fail(placed, `open: the CLI lane has no gate "${step.open}"`);
    }
  }
}

function namesOf(steps: readonly PlacedStep[], kind: 'mark' | 'gate'): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (step: Step): void => {
    if ('repeat' in step) for (const each of step.steps) visit(each);
    else if (kind === 'mark' && 'mark' in step) names.add(step.mark);
    else if (kind === 'gate' && 'gate' in step) names.add(step.gate);
  };
  for (const { step } of steps) visit(step);
  return names;
}
