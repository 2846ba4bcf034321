import { invalidArgument, requireObject } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { count, problemText } from '../../util/validate.js';
import { laneOf } from './lanes.js';
import type { PlacedStep, Scenario, ScenarioHeader, Step } from './scenario-types.js';
import { headerProblem, stepProblem } from './validate-scenario.js';

/**
 * Reads a scenario file: JSON Lines, the header first. Empty lines are skipped.
 * @param file - Its path, for messages only.
 * @throws ScenarioError with the line and what was expected there.
 */
export function parseScenario(text: string, file?: string): Scenario {
  if (typeof text !== 'string') {
    const cure = 'Pass the text of a file, such as `readFileSync(file, "utf8")`.';
    throw invalidArgument('text', 'parseScenario() takes a string', text, cure);
  }
  if (file !== undefined && typeof file !== 'string') {
    const cure = 'It names the file in errors. Leave it out.';
    throw invalidArgument('file', 'parseScenario() takes a string as its second argument', file, cure);
  }
  let header: ScenarioHeader | undefined;
  const steps: PlacedStep[] = [];
  // Editors on Windows write the mark.
  for (const [index, source] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (source.trim() === '') continue;
    const line = index + 1;
    const value = parseLine(source, file, line);
    if (header === undefined) header = checkHeader(value, file, line);
    else steps.push({ step: checkStep(value, file, line), line });
  }
  if (header === undefined) {
    throw new ScenarioError(file, 1, 'expected a header such as {"scenario":"hello","version":1}');
  }
  return checked({ header, steps, file });
}

/**
 * Makes a scenario of steps given in code; step n counts as line n.
 * @throws ScenarioError with the step's position and what was expected there.
 */
export function scenarioOf(steps: readonly Step[], header: Partial<Omit<ScenarioHeader, 'version'>> = {}): Scenario {
  if (!Array.isArray(steps)) {
    const cure = 'Pass an array such as `[{ out: frame }]`.';
    throw invalidArgument('steps', 'scenarioOf() takes an array of steps', steps, cure);
  }
  requireObject('header', 'scenarioOf() takes an object as its second argument', header, 'Leave it out.');
  return checked({
    header: checkHeader({ scenario: 'inline', version: 1, ...header }, undefined, 1),
    steps: steps.map((step, index) => ({
      step: checkStep(step, undefined, index + 1, header.places?.[index]),
      line: index + 1,
    })),
    file: undefined,
  });
}

function parseLine(source: string, file: string | undefined, line: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ScenarioError(file, line, `expected one JSON object: ${String(error)}`);
  }
  if (!isJsonObject(value)) {
    throw new ScenarioError(file, line, `expected one JSON object, found ${describeValue(value)}`);
  }
  return value;
}

function checkHeader(value: JsonObject, file: string | undefined, line: number): ScenarioHeader {
  const problem =
    value.dir === 'meta'
      ? `this is a recording; claudewire scenario from ${file ?? 'FILE'} --out FILE makes a scenario of it`
      : headerProblem(value);
  if (problem !== undefined) throw new ScenarioError(file, line, problem);
  // headerProblem has checked every field that ScenarioHeader names.
  return value as JsonObject & ScenarioHeader;
}

function checkStep(value: unknown, file: string | undefined, line: number, place?: string): Step {
  const problem = stepProblem(value);
  if (problem !== undefined) throw new ScenarioError(file, line, problem, place);
  // stepProblem has checked it field by field.
  return value as Step;
}

/** A scenario that cannot be played as it is written. The message names file, line and what was expected. */
export class ScenarioError extends InvalidOptionError {
  override name = 'ScenarioError';
  /** `undefined` for steps given in code. */
  readonly file: string | undefined;
  /** From 1. */
  readonly line: number;

  /** @param place - What a step given in code is called. */
  constructor(file: string | undefined, line: number, message: string, place?: string) {
    super('scenario', `${place ?? `${file ?? 'scenario'}:${line}`}: ${message}`);
    this.file = file;
    this.line = line;
  }
}

/**
 * What one step alone cannot show: names that belong together, and sections.
 * @throws ScenarioError with the line of the step that does not fit.
 */
function checked(scenario: Scenario): Scenario {
  const { header, steps, file } = scenario;
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
  return scenario;
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

/** In UTF-16 units. Enough for every limit of a line, and far from what a process can hold. */
const MAX_LENGTH = 256 * 1024 * 1024;

/** What is wrong with a `{"$repeat":"ab","times":3}` somewhere in the value, or `undefined`. */
function longTextProblem(value: unknown): string | undefined {
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (Array.isArray(each)) for (const entry of each) open.push(entry);
    if (!isJsonObject(each)) continue;
    const { $repeat: text, times } = each;
    if (typeof text === 'string' && typeof times === 'number') {
      const problem = count(times, 'times');
      if (problem !== undefined) return `$repeat: ${problemText(problem, '')}`;
      if (text.length * times > MAX_LENGTH) {
        return `$repeat: the text is longer than ${MAX_LENGTH} characters; lower "times"`;
      }
    }
    for (const entry of Object.values(each)) open.push(entry);
  }
  return undefined;
}
