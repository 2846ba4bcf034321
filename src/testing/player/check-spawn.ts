import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { JsonObject } from '../../util/json.js';
import type { SpawnExpectation } from '../scenario/scenario-types.js';
import { matchArgv, matchNoOther, SAME } from './match-argv.js';
import { describeDifference, match, Variables } from './patterns.js';
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
