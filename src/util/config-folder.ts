import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { absolutePath, homeDirectory } from './host-places.js';
import { isWindowsPath } from './windows-path.js';

/**
 * The CLI's configuration folder under these variables: `CLAUDE_CONFIG_DIR`, else `.claude` in the home. May be
 * relative when the variable is. In NFC, as the CLI has it, so that one folder has one name.
 * @param home - @defaultValue the home of the host's user
 * @throws {@link InvalidOptionError} the folder is needed and cannot be determined.
 */
export function configFolder(env: Readonly<Record<string, unknown>>, home?: string): string {
  const chosen = env.CLAUDE_CONFIG_DIR;
  const isChosen = typeof chosen === 'string' && chosen !== '';
  const folder = isChosen ? chosen : join(home ?? homeDirectory(), '.claude');
  return folder.normalize('NFC');
}

/** Where a CLI with this environment keeps what it remembers. */
export interface ConfigLocation {
  /** Absolute. */
  readonly folder: string;
  /** Its `.claude.json`: in the folder when that was chosen, beside the default one otherwise. */
  readonly globalFile: string;
}

/**
 * @param env - The CLI's whole environment.
 * @param cwd - The CLI's working directory: what a relative folder starts from.
 * @throws InvalidOptionError all of them are relative, and the working directory of this process does not exist any
 * more.
 */
export function configLocation(env: Readonly<Record<string, string | undefined>>, cwd: string): ConfigLocation {
  const from = (path: string) => absolutePath('cwd', join(isAbsolute(path) ? '' : cwd, path));
  const home = from(homeOf(env));
  const name = configFolder(env, home);
  // One that a spawner on another platform understands stays as it is.
  const folder = isWindowsPath(name) ? name : from(name);
  const isChosen = Boolean(env.CLAUDE_CONFIG_DIR);
  return { folder, globalFile: join(isChosen ? folder : home, '.claude.json') };
}

/** The home of the CLI's environment, which need not be the host's. */
function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const given = process.platform === 'win32' ? env.USERPROFILE : env.HOME;
  if (given) return given;
  try {
    return userInfo().homedir;
  } catch {
    // A user id without an entry in the user database.
    return '/';
  }
}
