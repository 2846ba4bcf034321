import type { SpawnExpectation } from '../scenario/scenario-types.js';
import { describeDifference, match } from './match.js';
import { matchArgv } from './match-argv.js';
import { PlayFailure } from './play-failure.js';
import type { PlayIo } from './play-io.js';
import { Variables } from './variables.js';

/**
 * Holds the process that was started against what a `spawn` step says, and binds what it captures.
 *
 * @throws PlayFailure an argument, a variable or the directory differs.
 */
export function checkSpawn(
  { argv, env, cwd }: SpawnExpectation,
  io: Pick<PlayIo, 'argv' | 'env' | 'cwd' | 'expectedCwd'>,
  variables: Variables,
): void {
  // Here `$cwd` is where the client was told to run; everywhere else it is where it did.
  const scope = new Variables(variables);
  scope.set('cwd', io.expectedCwd ?? io.cwd);
  const checks = [
    () => matchArgv(argv ?? {}, io.argv, scope),
    () => match({ env: env ?? {} }, { env: io.env }, scope),
    () => match(cwd === undefined ? {} : { cwd }, { cwd: io.cwd }, scope),
  ];
  for (const check of checks) {
    const result = check();
    if (!result.ok) {
      const { difference } = result;
      throw new PlayFailure(
        'mismatch',
        `the process was not started as expected: ${describeDifference(difference)}`,
        { argv, env, cwd },
        difference,
      );
    }
    for (const [name, value] of result.captured) {
      variables.set(name, value);
      scope.set(name, value);
    }
  }
}
