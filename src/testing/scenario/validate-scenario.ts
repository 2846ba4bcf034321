import { isJsonObject, type JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import {
  amount,
  anything,
  arrayOf,
  count,
  custom,
  nonEmptyString,
  object,
  oneOf,
  type Problem,
  problemOf,
  problemText,
  recordOf,
  string,
  type Validator,
} from '../../util/validate.js';
import { DRIVE_COMMANDS, LEVELS, OBSERVED_KINDS, ORDER_RULES } from './scenario-types.js';

/** Says what is wrong with a header; `undefined` when it is good. Fields it does not know are provenance. */
export function headerProblem(value: JsonObject): string | undefined {
  const problem = header(value, '');
  return problem && `header: ${problemText(problem, '')}`;
}

/** Says what is wrong with one step; `undefined` when it can be played. */
export function stepProblem(value: unknown): string | undefined {
  const problem = step(value, '');
  return problem && problemText(problem, '');
}

type Fields = Readonly<Record<string, Validator>>;

/** An object with these fields. An optional one may be left out, but not be `null`. Others are not looked at. */
function fields(required: Fields, optional: Fields = {}): Validator {
  return (value, path) => {
    if (!isJsonObject(value)) return object(value, path);
    for (const [key, validator] of Object.entries({ ...required, ...optional })) {
      if (value[key] === undefined && !Object.hasOwn(required, key)) continue;
      const problem = validator(value[key], memberPath(path, key));
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

/** As {@link fields}, and nothing else. */
function onlyFields(required: Fields, optional: Fields): Validator {
  const known = [...Object.keys(required), ...Object.keys(optional)];
  const validate = fields(required, optional);
  return (value, path) => {
    const unknown = isJsonObject(value) ? Object.keys(value).find((key) => !known.includes(key)) : undefined;
    return unknown === undefined ? validate(value, path) : unknownField(path, unknown, known);
  };
}

function unknownField(name: string, key: string, known: readonly string[]): Problem {
  return sentence(name, `unknown field "${key}"${known.length > 0 ? `; known: ${known.join(', ')}` : ''}`);
}

/** For what is not the value of one field. */
function sentence(path: string, text: string): Problem {
  return { path, expected: '', got: '', text: path === '' ? text : `${path}: ${text}` };
}

/** An object whose keys look like this. */
function keyed(expected: string, key: RegExp, member: Validator = anything): Validator {
  const members = recordOf(member);
  return (value, path) =>
    isJsonObject(value) && Object.keys(value).every((each) => key.test(each))
      ? members(value, path)
      : problemOf(path, expected, value);
}

const isTrue = oneOf(true);
const strings = arrayOf(string);

/** Not absolute, no drive, no segment "..", no control character; as in the schema. */
const INSIDE = /^(?![\\/]|[A-Za-z]:|(?:[\s\S]*[\\/])?\.\.(?:[\\/]|$))\P{Cc}+$/u;

const fileFields = onlyFields(
  {
    at: oneOf('home', 'cwd'),
    path: custom(
      'a path inside the folder: relative, without ".."',
      (value) => typeof value === 'string' && INSIDE.test(value),
    ),
  },
  {
    lines: arrayOf(custom('a string or an object', (line) => typeof line === 'string' || isJsonObject(line))),
    text: string,
  },
);

const file: Validator = (value, path) => {
  const isWhole = isJsonObject(value) && (value.lines === undefined) !== (value.text === undefined);
  return fileFields(value, path) ?? (isWhole ? undefined : sentence(path, 'expected "lines" or "text"'));
};

const header = fields(
  { scenario: nonEmptyString, version: oneOf(1) },
  {
    about: string,
    cliVersion: string,
    stepTimeoutMs: amount,
    deadlineMs: amount,
    order: oneOf(...ORDER_RULES),
    unclaimed: oneOf('allow', 'fail'),
    level: oneOf(...LEVELS),
    requirements: strings,
    features: strings,
    source: strings,
    since: string,
    until: string,
    answersOnly: isTrue,
    answers: recordOf(custom('an object or null', (value) => value === null || isJsonObject(value))),
    files: arrayOf(file),
  },
);

/** Of a mark, a gate, a command or a run. Marks and gates become file names, so a path cannot be written. */
const label = custom(
  'a name of letters, digits, ".", "_" and "-" (64 at most, the first a letter or digit)',
  (value) => typeof value === 'string' && /^[A-Za-z0-9][\w.-]{0,63}$/.test(value),
);
const variable = custom('a variable name', (value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value));
const base64 = custom(
  'bytes in base64',
  (value) => typeof value === 'string' && Buffer.from(value, 'base64').toString('base64') === value,
);
const isOffset = (value: unknown, after: number): boolean => Number.isSafeInteger(value) && Number(value) > after;
const offsets = custom(
  'a number of bytes from 1, or ascending byte offsets from 1',
  (value) =>
    isOffset(value, 0) ||
    (Array.isArray(value) && value.every((at, index) => isOffset(at, index === 0 ? 0 : value[index - 1]))),
);

function wholeUpTo(max: number, expected: string): Validator {
  return custom(expected, (value) => count(value, '') === undefined && Number(value) <= max);
}

/** What each command of the driver protocol has to have. Further fields are the driver's matter. */
const COMMAND_FIELDS: Readonly<Record<string, Fields>> = {
  start: { mode: oneOf('query', 'client', 'text') },
  call: { method: string },
  cue: { name: label },
  sessions: { function: string },
};
const command = fields({ command: oneOf(...DRIVE_COMMANDS) }, { run: label });
const drive: Validator = (value, path) =>
  command(value, path) ?? fields(COMMAND_FIELDS[String((value as JsonObject).command)] ?? {})(value, path);
const observed = fields({ what: oneOf(...OBSERVED_KINDS) });

/** What a step of one kind is made of. */
interface StepKind {
  /** Of the field that names the kind. */
  readonly self: Validator;
  readonly required?: Fields;
  readonly optional?: Fields;
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];
const CUTS = { cut: offsets, gapMs: count };
const TIMEOUT = { timeoutMs: count };

/** The fields of each kind of step. A kind is named by the field that only it has. */
export const STEP_KINDS: Readonly<Record<string, StepKind>> = {
  out: { self: object, optional: CUTS },
  in: { self: object, optional: { answer: object, error: string, ...TIMEOUT } },
  raw: { self: string, optional: CUTS },
  bytes: { self: base64, optional: CUTS },
  stderr: { self: string },
  delayMs: { self: count },
  grandchildMs: { self: wholeUpTo(30_000, 'milliseconds from 0 to 30000') },
  wait: { self: oneOf('EOF', ...SIGNALS, 'forever'), optional: TIMEOUT },
  ignore: { self: arrayOf(oneOf('EOF', ...SIGNALS)) },
  stdin: { self: oneOf('pause', 'resume', 'close') },
  stdout: { self: oneOf('close') },
  exit: { self: wholeUpTo(255, 'an exit code from 0 to 255') },
  kill: { self: oneOf('SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGABRT') },
  repeat: { self: count, required: { steps: arrayOf(repeated) }, optional: { as: variable } },
  inAny: { self: expectations, optional: TIMEOUT },
  spawn: {
    self: onlyFields(
      {},
      {
        argv: keyed('an object of flags such as "--model"', /^(?:--?[A-Za-z]|\$oneOf$)/),
        argvOnly: isTrue,
        env: keyed('an object of strings by the name of the variable', /^[^=]+$/, string),
        configFiles: keyed('an object of files by the end of their path', /./),
        cwd: string,
      },
    ),
  },
  mark: { self: label },
  gate: { self: label, optional: TIMEOUT },
  drive: { self: drive, optional: { as: label } },
  reply: { self: label, optional: { result: anything, failure: object, mayFail: isTrue, ...TIMEOUT } },
  observe: { self: observed, optional: { run: label, next: isTrue, ...TIMEOUT } },
  count: { self: observed, required: { is: count }, optional: { run: label } },
  reached: { self: label, optional: { not: isTrue, ...TIMEOUT } },
  open: { self: label },
};

function step(value: unknown, path: string): Problem | undefined {
  if (!isJsonObject(value)) return problemOf(path === '' ? 'step' : path, 'a step', value);
  // A `count` has a field `is`, an `inAny` is no `in`: one field alone names the kind.
  const kinds = Object.keys(value).filter((key) => Object.hasOwn(STEP_KINDS, key));
  const [name = ''] = kinds;
  const kind = STEP_KINDS[name];
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.length > 1 ? kinds.join(' and ') : Object.keys(value).join(', ') || 'none';
    return sentence(path, `expected one of the step kinds ${Object.keys(STEP_KINDS).join(', ')}; found ${found}`);
  }
  const { self, required = {}, optional = {} } = kind;
  const known = [...Object.keys(required), ...Object.keys(optional)];
  const unknown = Object.keys(value).find((key) => key !== name && !known.includes(key));
  if (unknown !== undefined) return unknownField(memberPath(path, name), unknown, known);
  const problem = fields({ [name]: self, ...required }, optional)(value, path);
  const conflict = problem === undefined ? conflictIn(value, name) : undefined;
  return problem ?? (conflict === undefined ? undefined : sentence(memberPath(path, name), conflict));
}

/** Fields that do not go together. */
function conflictIn(value: JsonObject, name: string): string | undefined {
  if (name === 'in') return answerConflict(value);
  if (name === 'reply' && value.result !== undefined && value.failure !== undefined) {
    return 'expected "result" or "failure", found both';
  }
  return name === 'reached' && value.not === true && value.timeoutMs === undefined
    ? '"not" needs "timeoutMs"'
    : undefined;
}

function answerConflict({ in: pattern, answer, error }: JsonObject): string | undefined {
  if (answer === undefined && error === undefined) return undefined;
  if (answer !== undefined && error !== undefined) return 'expected "answer" or "error", found both';
  const isRequest = isJsonObject(pattern) && pattern.type === 'control_request';
  return isRequest ? undefined : '"answer" and "error" need an expected control_request';
}

/** Kinds that a round of `repeat` may not hold: of the driver lane, or of another process. */
const NOT_REPEATED = ['spawn', 'drive', 'reply', 'observe', 'count', 'reached', 'open'];

function repeated(value: unknown, path: string): Problem | undefined {
  const kind = isJsonObject(value) ? NOT_REPEATED.find((name) => Object.hasOwn(value, name)) : undefined;
  return kind === undefined ? step(value, path) : sentence(path, `"${kind}" cannot be repeated`);
}

function expectations(value: unknown, path: string): Problem | undefined {
  if (!Array.isArray(value) || value.length === 0) {
    return problemOf(path, 'a list of expected frames, one at least', value);
  }
  return arrayOf(expectation)(value, path);
}

function expectation(value: unknown, path: string): Problem | undefined {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'in')) return problemOf(path, 'an object with "in"', value);
  return Object.hasOwn(value, 'timeoutMs')
    ? sentence(path, '"timeoutMs" belongs beside inAny, not in it')
    : step(value, path);
}
