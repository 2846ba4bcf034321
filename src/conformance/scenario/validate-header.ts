import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { type Check, expected, oneOf, text, texts } from './checks.js';
import { LEVELS, ORDER_RULES } from './scenario-types.js';

const duration = expected(
  'milliseconds from 0',
  (value) => typeof value === 'number' && value >= 0,
);

const OPTIONAL: Readonly<Record<string, Check>> = {
  about: text,
  cliVersion: text,
  stepTimeoutMs: duration,
  deadlineMs: duration,
  order: oneOf(...ORDER_RULES),
  unclaimed: oneOf('allow', 'fail'),
  level: oneOf(...LEVELS),
  requirements: texts,
  features: texts,
  source: texts,
  since: text,
  until: text,
};

/** Says what is wrong with a header; `undefined` when it is good. Fields it does not know are provenance. */
export function headerProblem(header: JsonObject): string | undefined {
  if (typeof header['scenario'] !== 'string' || header['scenario'] === '') {
    return `header: expected "scenario" to be a name, found ${describeValue(header['scenario'])}`;
  }
  if (header['version'] !== 1) {
    return `header: expected "version" to be 1, found ${describeValue(header['version'])}`;
  }
  for (const [key, check] of Object.entries(OPTIONAL)) {
    if (header[key] === undefined) continue;
    const problem = check(header[key]);
    if (problem !== undefined) {
      return `header: expected "${key}" to be ${problem}, found ${describeValue(header[key])}`;
    }
  }
  return answersProblem(header['answers']);
}

function answersProblem(answers: unknown): string | undefined {
  if (answers === undefined) return undefined;
  if (!isJsonObject(answers)) {
    return `header: expected "answers" to be an object, found ${describeValue(answers)}`;
  }
  for (const [subtype, answer] of Object.entries(answers)) {
    if (answer !== null && !isJsonObject(answer)) {
      return `header: expected "answers.${subtype}" to be an object or null, found ${describeValue(answer)}`;
    }
  }
  return undefined;
}
