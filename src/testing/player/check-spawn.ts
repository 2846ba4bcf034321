import type { JsonObject } from '../../util/json.js';
import type { SpawnExpectation } from '../scenario/scenario-types.js';
import { describeDifference, type MatchResult, match } from './match.js';
import { matchArgv, otherFlag } from './match-argv.js';
import { PlayFailure } from './play-failure.js';
import type { PlayIo } from './play-io.js';
import { Variables } from './variables.js';

/**
 * Holds the process that was started against what a `spawn` step says, and binds what it captures.
 *
 * @throws PlayFailure an argument, a variable or the directory differs.
 */
export function checkSpawn(
  { argv, argvOnly, env, configFiles, cwd }: SpawnExpectation,
  io: Pick<PlayIo, 'argv' | 'env' | 'cwd' | 'expectedCwd' | 'configFiles'>,
  variables: Variables,
): void {
  // Here `$cwd` is where the client was told to run; everywhere else it is where it did.
  const scope = new Variables(variables);
  scope.set('cwd', io.expectedCwd ?? io.cwd);
  const other = argvOnly === true ? otherFlag(argv ?? {}, io.argv) : undefined;
  const checks = [
    () => matchArgv(argv ?? {}, io.argv, scope),
    (): MatchResult =>
      other === undefined ? { ok: true, captured: new Map() } : { ok: false, difference: other },
    () => match({ env: env ?? {} }, { env: io.env }, scope),
    (): MatchResult =>
      configFiles === undefined
        ? { ok: true, captured: new Map() }
        : match({ configFiles }, { configFiles: named(Object.keys(configFiles), io) }, scope),
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

/** The files whose path ends with one of the names, by that name. */
function named(names: readonly string[], io: Pick<PlayIo, 'configFiles'>): JsonObject {
  const files = [...io.configFiles()];
  return Object.fromEntries(
    names.flatMap((name) => {
      const found = files.find(([path]) => `/${path}`.endsWith(`/${name}`));
      return found === undefined ? [] : [[name, read(...found)]];
    }),
  );
}

function read(path: string, text: string): unknown {
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
