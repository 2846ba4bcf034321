import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { type Check, expected, isString, listOf, oneOf, text, texts } from './checks.js';
import { LEVELS, ORDER_RULES } from './scenario-types.js';

/** Not absolute, no drive, no segment "..", no control character; as in the schema. */
const INSIDE = /^(?![\\/]|[A-Za-z]:|(?:[\s\S]*[\\/])?\.\.(?:[\\/]|$))\P{Cc}+$/u;

const duration = expected('milliseconds from 0', (value) => typeof value === 'number' && value >= 0);

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

const FILE: Readonly<Record<string, Check>> = {
  at: oneOf('home', 'cwd'),
  path: expected('a path inside the folder: relative, without ".."', (value) => isString(value) && INSIDE.test(value)),
  lines: listOf(
    'a list of strings and objects',
    expected('', (line) => isString(line) || isJsonObject(line)),
  ),
  text,
};

/** Says what is wrong with a header; `undefined` when it is good. Fields it does not know are provenance. */
export function headerProblem(header: JsonObject): string | undefined {
  if (typeof header.scenario !== 'string' || header.scenario === '') {
    return `header: expected "scenario" to be a name, found ${describeValue(header.scenario)}`;
  }
  if (header.version !== 1) {
    return `header: expected "version" to be 1, found ${describeValue(header.version)}`;
  }
  for (const [key, check] of Object.entries(OPTIONAL)) {
    if (header[key] === undefined) continue;
    const problem = check(header[key]);
    if (problem !== undefined) {
      return `header: expected "${key}" to be ${problem}, found ${describeValue(header[key])}`;
    }
  }
  return answersProblem(header.answers) ?? filesProblem(header.files);
}

function filesProblem(files: unknown): string | undefined {
  if (files === undefined) return undefined;
  if (!Array.isArray(files)) {
    return `header: expected "files" to be a list, found ${describeValue(files)}`;
  }
  for (const [index, file] of files.entries()) {
    const problem = isJsonObject(file) ? fileProblem(file) : `: expected an object, found ${describeValue(file)}`;
    if (problem !== undefined) return `header: files[${index}]${problem}`;
  }
  return undefined;
}

function fileProblem(file: JsonObject): string | undefined {
  const unknown = Object.keys(file).find((key) => !Object.hasOwn(FILE, key));
  if (unknown !== undefined) return `: unknown field "${unknown}"`;
  if ((file.lines === undefined) === (file.text === undefined)) {
    return ': expected "lines" or "text"';
  }
  for (const [key, check] of Object.entries(FILE)) {
    if (file[key] === undefined && (key === 'lines' || key === 'text')) continue;
    const problem = check(file[key]);
    if (problem !== undefined) {
      return `: expected "${key}" to be ${problem}, found ${describeValue(file[key])}`;
    }
  }
  return undefined;
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
