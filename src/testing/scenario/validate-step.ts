import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { STEP_KINDS, type StepKind } from './step-kinds.js';

/** Kinds that a round of `repeat` may hold: of the CLI lane, and inside one process. */
const NOT_REPEATED = ['spawn', 'drive', 'reply', 'observe', 'count', 'reached', 'open'];

/** Says what is wrong with one step; `undefined` when it can be played. */
export function stepProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return `expected a step, found ${describeValue(value)}`;
  const kinds = Object.keys(value).filter(
    // A `count` has a field `is`, an `inAny` is no `in`: one field alone names the kind.
    (key) => Object.hasOwn(STEP_KINDS, key),
  );
  const [name] = kinds;
  const kind = name === undefined ? undefined : STEP_KINDS[name];
  if (name === undefined || kind === undefined || kinds.length > 1) {
    const found = kinds.length > 1 ? kinds.join(' and ') : Object.keys(value).join(', ') || 'none';
    return `expected one of the step kinds ${Object.keys(STEP_KINDS).join(', ')}; found ${found}`;
  }
  return fieldProblem(value, name, kind) ?? nestedProblem(value, name);
}

function fieldProblem(step: JsonObject, name: string, kind: StepKind): string | undefined {
  const { self, required = {}, optional } = kind;
  const missing = Object.keys(required).find((key) => step[key] === undefined);
  if (missing !== undefined) return `${name}: expected "${missing}"`;
  const checks = { ...required, ...optional, [name]: self };
  for (const [key, field] of Object.entries(step)) {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    if (check === undefined) {
      const known = [...Object.keys(required), ...Object.keys(optional)];
      return `${name}: unknown field "${key}"${known.length > 0 ? `; known: ${known.join(', ')}` : ''}`;
    }
    const problem = check(field);
    if (problem !== undefined) {
      return `${name}: expected "${key}" to be ${problem}, found ${describeValue(field)}`;
    }
  }
  return undefined;
}

function nestedProblem(step: JsonObject, name: string): string | undefined {
  if (name === 'in') return answerProblem(step);
  if (name === 'reply' && step.result !== undefined && step.failure !== undefined) {
    return 'reply: expected "result" or "failure", found both';
  }
  if (name === 'reached' && step.not === true && step.timeoutMs === undefined) {
    return 'reached: "not" needs "timeoutMs"';
  }
  if (name === 'repeat') return listProblem('repeat', step.steps, repeatedProblem);
  if (name === 'inAny') return listProblem('inAny', step.inAny, expectationProblem);
  return undefined;
}

function listProblem(
  name: string,
  list: unknown,
  problemOf: (entry: unknown) => string | undefined,
): string | undefined {
  // The kind's own check has made sure that it is one.
  for (const [index, entry] of (list as readonly unknown[]).entries()) {
    const problem = problemOf(entry);
    if (problem !== undefined) return `${name}: at ${index}: ${problem}`;
  }
  return undefined;
}

function repeatedProblem(step: unknown): string | undefined {
  const kind = isJsonObject(step) && NOT_REPEATED.find((name) => Object.hasOwn(step, name));
  return typeof kind === 'string' ? `"${kind}" cannot be repeated` : stepProblem(step);
}

function expectationProblem(entry: unknown): string | undefined {
  if (!isJsonObject(entry) || !Object.hasOwn(entry, 'in')) {
    return `expected an object with "in", found ${describeValue(entry)}`;
  }
  return Object.hasOwn(entry, 'timeoutMs')
    ? '"timeoutMs" stands beside inAny, not in it'
    : stepProblem(entry);
}

function answerProblem(step: JsonObject): string | undefined {
  if (step.answer === undefined && step.error === undefined) return undefined;
  if (step.answer !== undefined && step.error !== undefined) {
    return 'in: expected "answer" or "error", found both';
  }
  const pattern = step.in;
  return isJsonObject(pattern) && pattern.type === 'control_request'
    ? undefined
    : 'in: "answer" and "error" need an expected control_request';
}
