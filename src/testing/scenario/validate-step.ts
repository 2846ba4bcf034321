import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import {
  anything,
  base64,
  type Check,
  count,
  exitCode,
  expected,
  isString,
  label,
  listOf,
  milliseconds,
  object,
  offsets,
  oneOf,
  recordOf,
  text,
  variable,
} from './checks.js';
import { DRIVE_COMMANDS, OBSERVED_KINDS } from './scenario-types.js';

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
  return Object.hasOwn(entry, 'timeoutMs') ? '"timeoutMs" stands beside inAny, not in it' : stepProblem(entry);
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

/** What a step of one kind is made of. */
interface StepKind {
  /** Of the field that names the kind. */
  readonly self: Check;
  readonly required?: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const CUTS = { cut: offsets, gapMs: milliseconds };
const TIMEOUT = { timeoutMs: milliseconds };

const isTrue = expected('true', (value) => value === true);

const spawn: Check = (value) => {
  if (!isJsonObject(value)) return 'an object';
  for (const [key, field] of Object.entries(value)) {
    const check = SPAWN_FIELDS[key];
    if (check === undefined) return 'an object with argv, argvOnly, env, configFiles and cwd';
    const problem = check(field);
    if (problem !== undefined) return `an object whose "${key}" is ${problem}`;
  }
  return undefined;
};
const SPAWN_FIELDS: Readonly<Record<string, Check>> = {
  argv: recordOf('an object of flags such as "--model"', /^--?[A-Za-z]/, anything),
  argvOnly: isTrue,
  env: recordOf('an object of strings', /^[^=]+$/, text),
  configFiles: recordOf('an object of files', /./, anything),
  cwd: text,
};

/** What each command of the driver protocol has to have. Further fields are the driver's matter. */
const COMMAND_FIELDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  start: { mode: oneOf('query', 'client') },
  call: { method: text },
  cue: { name: label },
  sessions: { function: text },
};
const drive: Check = (value) => {
  if (!isJsonObject(value)) return 'an object';
  const { command, run } = value;
  const fields: Readonly<Record<string, Check>> = {
    command: oneOf(...DRIVE_COMMANDS),
    ...(run === undefined ? {} : { run: label }),
    ...(isString(command) && Object.hasOwn(COMMAND_FIELDS, command) ? COMMAND_FIELDS[command] : {}),
  };
  for (const [key, check] of Object.entries(fields)) {
    const problem = check(value[key]);
    if (problem !== undefined) return `a command whose "${key}" is ${problem}`;
  }
  return undefined;
};
const observed = expected(
  `an object whose "what" is one of ${OBSERVED_KINDS.join(', ')}`,
  (value) => isJsonObject(value) && oneOf(...OBSERVED_KINDS)(value.what) === undefined,
);

/** The fields of each kind of step. A kind is named by the field that only it has. */
export const STEP_KINDS: Readonly<Record<string, StepKind>> = {
  out: { self: object, optional: CUTS },
  in: { self: object, optional: { answer: object, error: text, ...TIMEOUT } },
  raw: { self: text, optional: CUTS },
  bytes: { self: base64, optional: CUTS },
  stderr: { self: text, optional: {} },
  delayMs: { self: milliseconds, optional: {} },
  grandchildMs: {
    self: expected(
      'milliseconds from 0 to 30000',
      (value) => milliseconds(value) === undefined && Number(value) <= 30_000,
    ),
    optional: {},
  },
  wait: { self: oneOf('EOF', ...SIGNALS, 'forever'), optional: TIMEOUT },
  ignore: {
    self: listOf(`a list of EOF, ${SIGNALS.join(', ')}`, oneOf('EOF', ...SIGNALS)),
    optional: {},
  },
  stdin: { self: oneOf('pause', 'resume', 'close'), optional: {} },
  stdout: { self: oneOf('close'), optional: {} },
  exit: { self: exitCode, optional: {} },
  kill: { self: oneOf('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGABRT'), optional: {} },
  // `steps` and the entries of `inAny` hold steps in turn: validate-step.ts looks into them.
  repeat: {
    self: expected('a number of rounds from 0', (value) => count(value) === undefined),
    required: { steps: expected('a list of steps', Array.isArray) },
    optional: { as: variable },
  },
  inAny: {
    self: expected('a list of expected frames, one at least', (value) => Array.isArray(value) && value.length > 0),
    optional: TIMEOUT,
  },
  spawn: { self: spawn, optional: {} },
  mark: { self: label, optional: {} },
  gate: { self: label, optional: TIMEOUT },
  drive: { self: drive, optional: { as: label } },
  reply: { self: label, optional: { result: anything, failure: object, ...TIMEOUT } },
  observe: { self: observed, optional: { run: label, ...TIMEOUT } },
  count: { self: observed, required: { is: count }, optional: { run: label } },
  reached: {
    self: label,
    optional: { not: isTrue, ...TIMEOUT },
  },
  open: { self: label, optional: {} },
};
