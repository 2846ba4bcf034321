import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { Difference, SpawnExpectation } from '../scenario/scenario-types.js';
import { canonicalFlag, entriesOf, jsonTextOfValue, type Occurrence, occurrences, readingOf } from './cli-flags.js';
import { ABSENT, describeDifference, type MatchResult, match, Variables, variableName } from './patterns.js';
import type { PlayIo } from './play-io.js';
import { PlayFailure } from './verdict.js';

/**
 * Holds the process that was started against what a `spawn` step says, and binds what it captures.
 * @throws PlayFailure an argument, a variable or the directory differs.
 */
export function checkSpawn(
  { argv, argvOnly, env, configFiles, cwd }: SpawnExpectation,
  io: Pick<PlayIo, 'argv' | 'env' | 'cwd' | 'expectedCwd'>,
  variables: Variables,
): void {
  // Here `$cwd` is where the client was told to run; everywhere else it is where it did.
  const scope = new Variables(variables);
  scope.set('cwd', io.expectedCwd ?? io.cwd);
  const checks = [
    () => matchArgv(argv ?? {}, io, scope),
    () => (argvOnly === true ? matchNoOther(argv ?? {}, io.argv) : SAME),
    () => match({ env: env ?? {} }, { env: io.env }, scope),
    // Files are only read where some are expected.
    () =>
      configFiles === undefined
        ? SAME
        : match({ configFiles }, { configFiles: named(Object.keys(configFiles), io.env.CLAUDE_CONFIG_DIR) }, scope),
    () => match(cwd === undefined ? {} : { cwd }, { cwd: io.cwd }, scope),
  ];
  for (const check of checks) {
    const result = check();
    if (!result.ok) {
      const { difference } = result;
      throw new PlayFailure(
        'mismatch',
        `the process was not started as expected: ${describeDifference(difference)}`,
        { argv, argvOnly, env, configFiles, cwd },
        difference,
      );
    }
    keep(result.captured, variables, scope);
  }
}

/** The files below a folder whose path ends with one of the names, by that name. */
function named(names: readonly string[], folder = ''): JsonObject {
  const paths = filesBelow(folder);
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = paths.find((each) => `/${each}`.endsWith(`/${name}`));
      return path === undefined ? [] : [[name, read(join(folder, path))]];
    }),
  );
}

/** Paths inside the folder, with `/`; none when it does not exist. Links are not followed. */
function filesBelow(folder: string): readonly string[] {
  if (folder === '') return [];
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  } catch {
    return [];
  }
}

function read(path: string): unknown {
  const text = readFileSync(path, 'utf8');
  try {
    if (path.endsWith('.jsonl')) {
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as unknown);
    }
    return path.endsWith('.json') ? (JSON.parse(text) as unknown) : text;
  } catch {
    return text;
  }
}

/** The arguments of a process, and where it runs: paths among them are relative to it. */
interface CommandLine {
  readonly argv: readonly string[];
  readonly cwd: string;
}

const SAME: MatchResult = { ok: true, captured: new Map() };

/** Whether the arguments have at least the flags of the pattern. Captures as {@link match} does. */
function matchArgv(
  pattern: Readonly<Record<string, unknown>>,
  { argv, cwd }: CommandLine,
  variables: Variables,
): MatchResult {
  const captured = new Map<string, unknown>();
  const scope = new Variables(variables);
  for (const [flag, wanted] of Object.entries(pattern)) {
    const result =
      flag === ONE_OF
        ? matchOneOf(wanted, { argv, cwd }, scope)
        : new FlagMatcher(flag, cwd, scope).match(wanted, occurrences(flag, argv, cwd));
    if (!result.ok) {
      const { difference } = result;
      return { ok: false, difference: flag === ONE_OF ? difference : under(`argv ${flag}`, difference) };
    }
    keep(result.captured, captured, scope);
  }
  return { ok: true, captured };
}

/** Several ways to say a thing, each with flags of its own. */
const ONE_OF = '$oneOf';

function matchOneOf(choices: unknown, line: CommandLine, variables: Variables): MatchResult {
  const patterns = Array.isArray(choices) ? choices.filter(isJsonObject) : [];
  const results = patterns.map((pattern) => matchArgv(pattern, line, variables));
  return results.find(({ ok }) => ok) ?? results[0] ?? unlike('one of nothing', 'it');
}

function flagsOf(pattern: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(pattern).flatMap(([flag, wanted]) =>
    flag === ONE_OF && Array.isArray(wanted)
      ? wanted.filter(isJsonObject).flatMap(flagsOf)
      : [[canonicalFlag(flag), wanted] as const],
  );
}

/** Whether the pattern has every flag of the arguments. */
function matchNoOther(pattern: Readonly<Record<string, unknown>>, argv: readonly string[]): MatchResult {
  const named = new Map(flagsOf(pattern));
  let isValue = false;
  for (const argument of argv) {
    if (argument === '--') break;
    const flag = /^--?[A-Za-z][^=]*/.exec(argument)?.[0];
    // A value may begin with a dash too: whatever follows a flag that has one.
    const isFlag = flag !== undefined && !isValue;
    isValue = false;
    if (!isFlag) continue;
    const name = canonicalFlag(flag);
    if (!named.has(name)) return unlike('no such flag', 'it', `argv ${flag}`);
    isValue = argument === flag && named.get(name) !== true;
  }
  return SAME;
}

class FlagMatcher {
  readonly #flag: string;
  readonly #cwd: string;
  readonly #variables: Variables;

  constructor(flag: string, cwd: string, variables: Variables) {
    this.#flag = flag;
    this.#cwd = cwd;
    this.#variables = variables;
  }

  match(wanted: unknown, found: readonly Occurrence[]): MatchResult {
    if (isJsonObject(wanted) && Array.isArray(wanted.$oneOf)) {
      const results = wanted.$oneOf.map((choice) => this.match(choice, found));
      return results.find(({ ok }) => ok) ?? results.at(-1) ?? unlike('one of nothing', 'it');
    }
    const last = found.at(-1);
    const variable = typeof wanted === 'string' ? variableName(wanted) : undefined;
    if (variable === ABSENT) return last === undefined ? SAME : unlike(`no ${this.#flag}`, 'it');
    if (last === undefined) return unlike(this.#flag, 'nothing');
    if (wanted === true) {
      return last.values.length === 0 ? SAME : unlike('no value', JSON.stringify(last.values.join(' ')));
    }
    if (Array.isArray(wanted)) return this.#list(wanted, found);
    if (isJsonObject(wanted) && !('$like' in wanted || '$contains' in wanted)) return this.#json(wanted, found);
    const { list, number } = readingOf(this.#flag);
    if (list !== undefined && typeof wanted === 'string' && variable === undefined) {
      return this.#list(entriesOf(wanted, list), found);
    }
    const isNumber = typeof wanted === 'number' || (number === true && variable === undefined);
    if (isNumber && isSameNumber(wanted, last.value)) return SAME;
    return match(typeof wanted === 'number' ? String(wanted) : wanted, last.value, this.#variables);
  }

  #json(wanted: JsonObject, found: readonly Occurrence[]): MatchResult {
    const isMerged = readingOf(this.#flag).merged === true;
    const texts = isMerged ? found.flatMap(({ values }) => values) : [found.at(-1)?.value ?? ''];
    const objects = texts.map((text) => parseJsonObject(jsonTextOfValue(text, this.#flag, this.#cwd)));
    const broken = objects.indexOf(undefined);
    if (broken !== -1 || objects.length === 0) return unlike('a JSON object', JSON.stringify(texts[broken] ?? null));
    return match(wanted, objects.filter(isJsonObject).reduce(merge), this.#variables);
  }

  /** The entries in any order: to the CLI a list is a set. */
  #list(wanted: readonly unknown[], found: readonly Occurrence[]): MatchResult {
    const { list } = readingOf(this.#flag);
    const values = found.flatMap((each) =>
      each.values.length === 0 && each.value !== undefined ? [each.value] : each.values,
    );
    if (list !== undefined) {
      return this.#set(
        wanted,
        values.flatMap((value) => entriesOf(value, list)),
      );
    }
    const result = match(wanted, values, this.#variables);
    if (result.ok || values.length !== 1) return result;
    // A flag that the table does not have may be a list with commas.
    const parts = values[0] === '' ? [] : (values[0] ?? '').split(',');
    return match(wanted, parts, this.#variables);
  }

  #set(wanted: readonly unknown[], values: readonly string[]): MatchResult {
    const left = [...values];
    const scope = new Variables(this.#variables);
    const captured = new Map<string, unknown>();
    for (const each of wanted) {
      const results = left.map((value) => match(each, value, scope));
      const at = results.findIndex(({ ok }) => ok);
      const result = results[at];
      if (result?.ok !== true) return unlike(`the entry ${JSON.stringify(each)}`, JSON.stringify(values.join(' ')));
      keep(result.captured, captured, scope);
      left.splice(at, 1);
    }
    return left.length === 0 ? { ok: true, captured } : unlike('no other entry', JSON.stringify(left.join(' ')));
  }
}

function isSameNumber(wanted: unknown, value: string | undefined): boolean {
  const isText = value !== undefined && value.trim() !== '' && String(wanted).trim() !== '';
  return isText && Number(wanted) === Number(value);
}

/** Servers of several configurations are one set; of two with a name the later counts. */
function merge(before: JsonObject, after: JsonObject): JsonObject {
  const merged = { ...before };
  for (const [key, value] of Object.entries(after)) {
    const old = merged[key];
    merged[key] = isJsonObject(old) && isJsonObject(value) ? { ...old, ...value } : value;
  }
  return merged;
}

function unlike(expected: string, found: string, path = ''): MatchResult {
  return { ok: false, difference: { path, expected, found } };
}

/** Puts the place in front of a difference's path. */
function under(place: string, { path, ...rest }: Difference): Difference {
  return { path: path === '' || path.startsWith('[') ? `${place}${path}` : `${place}.${path}`, ...rest };
}

function keep(captured: ReadonlyMap<string, unknown>, ...into: readonly Pick<Variables, 'set'>[]): void {
  for (const [name, value] of captured) for (const each of into) each.set(name, value);
}
