import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

type Check = (value: unknown) => string | undefined;

/** What one field must be: `undefined` when it is, else what was expected. */
const expected =
  (what: string, isGood: (value: unknown) => boolean): Check =>
  (value) =>
    isGood(value) ? undefined : what;

const isString = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;
const oneOf = (...names: string[]): Check =>
  expected(`one of ${names.join(', ')}`, (value) => isString(value) && names.includes(value));

const object = expected('an object', isJsonObject);
const text = expected('a string', isString);
const milliseconds = expected('milliseconds from 0', isCount);
const offsets = expected(
  'a number of bytes from 1, or ascending byte offsets from 1',
  (value) =>
    (isCount(value) && value !== 0) ||
    (Array.isArray(value) &&
      value.every((at, index) => isCount(at) && at > (index === 0 ? 0 : value[index - 1]))),
);
const base64 = expected(
  'bytes in base64',
  (value) => isString(value) && Buffer.from(value, 'base64').toString('base64') === value,
);
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const ignorable: Check = (value) =>
  Array.isArray(value) && value.every((entry) => oneOf('EOF', ...signals)(entry) === undefined)
    ? undefined
    : `a list of EOF, ${signals.join(', ')}`;
const name = expected(
  'a variable name',
  (value) => isString(value) && /^[A-Za-z_]\w*$/.test(value),
);
const nestedSteps: Check = (value) => {
  if (!Array.isArray(value)) return 'a list of steps';
  for (const [index, step] of value.entries()) {
    const problem = stepProblem(step);
    if (problem !== undefined) return `a list of good steps (at ${index}: ${problem})`;
  }
  return undefined;
};

const CUTS = { cut: offsets, gapMs: milliseconds };

/** Step kind (the field that names it) to its own check and its optional fields. */
const KINDS: Readonly<
  Record<string, { readonly self: Check; readonly optional: Readonly<Record<string, Check>> }>
> = {
  out: { self: object, optional: CUTS },
  in: { self: object, optional: { answer: object, error: text, timeoutMs: milliseconds } },
  raw: { self: text, optional: CUTS },
  bytes: { self: base64, optional: CUTS },
  stderr: { self: text, optional: {} },
  delayMs: { self: milliseconds, optional: {} },
  wait: { self: oneOf('EOF', ...signals, 'forever'), optional: { timeoutMs: milliseconds } },
  ignore: { self: ignorable, optional: {} },
  stdin: { self: oneOf('pause', 'resume', 'close'), optional: {} },
  stdout: { self: oneOf('close'), optional: {} },
  exit: {
    self: expected('an exit code from 0 to 255', (value) => isCount(value) && Number(value) < 256),
    optional: {},
  },
  kill: { self: oneOf('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGABRT'), optional: {} },
  repeat: {
    self: expected('a number of rounds from 0', isCount),
    optional: { as: name, steps: nestedSteps },
  },
};

/** Says what is wrong with one step; `undefined` when it can be played. */
export function stepProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return `expected a step, found ${describeValue(value)}`;
  const kinds = Object.keys(value).filter((key) => Object.hasOwn(KINDS, key));
  const [kindName] = kinds;
  const kind = kindName === undefined ? undefined : KINDS[kindName];
  if (kindName === undefined || kind === undefined || kinds.length > 1) {
    const found = kinds.length > 1 ? kinds.join(' and ') : Object.keys(value).join(', ') || 'none';
    return `expected one of the step kinds ${Object.keys(KINDS).join(', ')}; found ${found}`;
  }
  return fieldProblem(value, kindName, kind) ?? combinationProblem(value, kindName);
}

function fieldProblem(
  step: JsonObject,
  kindName: string,
  kind: { readonly self: Check; readonly optional: Readonly<Record<string, Check>> },
): string | undefined {
  for (const [key, field] of Object.entries(step)) {
    const check = key === kindName ? kind.self : kind.optional[key];
    if (check === undefined) {
      const known = Object.keys(kind.optional);
      return `${kindName}: unknown field "${key}"${known.length > 0 ? `; known: ${known.join(', ')}` : ''}`;
    }
    const problem = check(field);
    if (problem !== undefined) {
      return `${kindName}: expected "${key}" to be ${problem}, found ${describeValue(field)}`;
    }
  }
  return undefined;
}

function combinationProblem(step: JsonObject, kindName: string): string | undefined {
  if (kindName === 'repeat' && step['steps'] === undefined) return 'repeat: expected "steps"';
  if (kindName !== 'in' || (step['answer'] === undefined && step['error'] === undefined)) {
    return undefined;
  }
  if (step['answer'] !== undefined && step['error'] !== undefined) {
    return 'in: expected "answer" or "error", found both';
  }
  const pattern = step['in'];
  return isJsonObject(pattern) && pattern['type'] === 'control_request'
    ? undefined
    : 'in: "answer" and "error" need an expected control_request';
}
