import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CLIConnectionError } from '../../errors.js';
import { errorText } from '../../util/error-text.js';
import { onHostExit } from '../../util/host-exit.js';
import { configLocation } from '../config-location.js';

/** Where a process waits that has no session yet: an empty folder, so that no project's settings apply. */
export interface ParkingDirectory {
  readonly path: string;
  /** Safe to call twice. Never throws: an empty folder that stays does no harm. */
  remove(): void;
}

/**
 * Makes a folder with mode 0700 in the `spares` folder of the CLI's configuration.
 *
 * @param env - The child's variables: they say where its configuration is.
 * @throws CLIConnectionError it cannot be made.
 */
export function createParkingDirectory(
  env: Readonly<Record<string, string | undefined>>,
): ParkingDirectory {
  const spares = join(configLocation(env, '.').folder, 'spares');
  let path: string;
  try {
    mkdirSync(spares, { recursive: true, mode: 0o700 });
    path = mkdtempSync(join(spares, 'spare-'));
  } catch (cause) {
    throw new CLIConnectionError(
      `A folder for the spare process could not be made: ${errorText(cause)}`,
      { cause, hint: 'Give `options.cwd`: the process then waits there.' },
    );
  }
  const removeNow = () => {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Somebody still has a file open in it.
    }
  };
  const takeBack = onHostExit(removeNow);
  return {
    path,
    remove: () => {
      removeNow();
      takeBack();
    },
  };
}
