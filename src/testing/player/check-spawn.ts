import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { Difference, SpawnExpectation } from '../scenario/scenario-types.js';
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
    () => matchArgv(argv ?? {}, io.argv, scope),
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
    for (const [name, value] of result.captured) {
      variables.set(name, value);
      scope.set(name, value);
    }
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

/** Whether the arguments have at least the flags of the pattern. Captures as {@link match} does. */
function matchArgv(
  pattern: Readonly<Record<string, unknown>>,
  argv: readonly string[],
  variables: Variables,
): MatchResult {
  const captured = new Map<string, unknown>();
  const scope = new Variables(variables);
  for (const [flag, wanted] of Object.entries(pattern)) {
    const result = matchFlag(flag, wanted, occurrences(flag, argv), scope);
    if (!result.ok) return { ok: false, difference: under(`argv ${flag}`, result.difference) };
    for (const [name, value] of result.captured) {
      captured.set(name, value);
      scope.set(name, value);
    }
  }
  return { ok: true, captured };
}

/** Whether the pattern has every flag of the arguments. */
function matchNoOther(pattern: Readonly<Record<string, unknown>>, argv: readonly string[]): MatchResult {
  let isValue = false;
  for (const argument of argv) {
    if (argument === '--') break;
    const flag = /^--?[A-Za-z][^=]*/.exec(argument)?.[0];
    // A value may begin with a dash too: whatever follows a flag that has one.
    const isFlag = flag !== undefined && !isValue;
    isValue = false;
    if (!isFlag) continue;
    if (!Object.hasOwn(pattern, flag)) return differs('no such flag', 'it', `argv ${flag}`);
    isValue = argument === flag && pattern[flag] !== true;
  }
  return SAME;
}

interface Occurrence {
  /** After `=`, or the argument that follows; `undefined` at the end. */
  readonly value: string | undefined;
  /** All arguments up to the next one that looks like a flag. Empty for a flag without a value. */
  readonly values: readonly string[];
}

/** `--k=v` and `--k v` are the same. What follows `--` are no flags. */
function occurrences(flag: string, argv: readonly string[]): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') break;
    if (argument.startsWith(`${flag}=`)) {
      const value = argument.slice(flag.length + 1);
      found.push({ value, values: [value] });
    } else if (argument === flag) {
      const rest = argv.slice(index + 1);
      const next = rest.findIndex((each) => each.startsWith('-'));
      found.push({ value: rest[0], values: next === -1 ? rest : rest.slice(0, next) });
    }
  }
  return found;
}

function matchFlag(flag: string, wanted: unknown, found: readonly Occurrence[], variables: Variables): MatchResult {
  const last = found.at(-1);
  if (typeof wanted === 'string' && variableName(wanted) === ABSENT) {
    return last === undefined ? SAME : differs(`no ${flag}`, 'it');
  }
  if (last === undefined) return differs(flag, 'nothing');
  if (wanted === true) {
    return last.values.length === 0 ? SAME : differs('no value', JSON.stringify(last.values.join(' ')));
  }
  if (Array.isArray(wanted)) return matchList(wanted, found, variables);
  if (isJsonObject(wanted) && !('$like' in wanted || '$contains' in wanted)) {
    const value = parseJsonObject(last.value ?? '');
    return value === undefined
      ? differs('a JSON object', JSON.stringify(last.value ?? null))
      : match(wanted, value, variables);
  }
  return match(typeof wanted === 'number' ? String(wanted) : wanted, last.value, variables);
}

/** A repeated flag, one flag with several arguments, or one value with commas. */
function matchList(wanted: readonly unknown[], found: readonly Occurrence[], variables: Variables): MatchResult {
  const values = found.flatMap((each) =>
    each.values.length === 0 && each.value !== undefined ? [each.value] : each.values,
  );
  const result = match(wanted, values, variables);
  if (result.ok || values.length !== 1) return result;
  const parts = values[0] === '' ? [] : (values[0] ?? '').split(',');
  return match(wanted, parts, variables);
}

const SAME: MatchResult = { ok: true, captured: new Map() };

function differs(expected: string, found: string, path = ''): MatchResult {
  return { ok: false, difference: { path, expected, found } };
}

/** Puts the place in front of a difference's path. */
function under(place: string, { path, ...rest }: Difference): Difference {
  return { path: path === '' || path.startsWith('[') ? `${place}${path}` : `${place}.${path}`, ...rest };
}
