import { isJsonObject } from '../../util/json.js';
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
import { DRIVE_COMMANDS, OBSERVED_KINDS } from './driver-steps.js';

/** What a step of one kind is made of. */
export interface StepKind {
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

/** Step kind, which is the name of the field that makes it, to what else stands in the step. */
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
    self: expected(
      'a list of expected frames, one at least',
      (value) => Array.isArray(value) && value.length > 0,
    ),
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
