import { invalidArgument, requireObject } from '../../errors/invalid-option.js';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { checkStructure } from './check-structure.js';
import { ScenarioError } from './scenario-error.js';
import type { PlacedStep, Scenario, ScenarioHeader, Step } from './scenario-types.js';
import { headerProblem } from './validate-header.js';
import { stepProblem } from './validate-step.js';

/**
 * Reads a scenario file: JSON Lines, the header first. Empty lines are skipped.
 *
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
    throw invalidArgument(
      'file',
      'parseScenario() takes a string as its second argument',
      file,
      cure,
    );
  }
  let header: ScenarioHeader | undefined;
  const steps: PlacedStep[] = [];
  for (const [index, source] of text.split('\n').entries()) {
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
 *
 * @throws ScenarioError with the step's position and what was expected there.
 */
export function scenarioOf(
  steps: readonly Step[],
  header: Partial<Omit<ScenarioHeader, 'version'>> = {},
): Scenario {
  if (!Array.isArray(steps)) {
    const cure = 'Pass an array such as `[{ out: frame }]`.';
    throw invalidArgument('steps', 'scenarioOf() takes an array of steps', steps, cure);
  }
  requireObject(
    'header',
    'scenarioOf() takes an object as its second argument',
    header,
    'Leave it out.',
  );
  return checked({
    header: checkHeader({ scenario: 'inline', version: 1, ...header }, undefined, 1),
    steps: steps.map((step, index) => ({
      step: checkStep(step, undefined, index + 1, header.places?.[index]),
      line: index + 1,
    })),
    file: undefined,
  });
}

function checked(scenario: Scenario): Scenario {
  checkStructure(scenario);
  return scenario;
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
