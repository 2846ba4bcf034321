import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The CLI's configuration folder under these variables: `CLAUDE_CONFIG_DIR`, else `.claude` in the home. May be relative when
 * the variable is. In NFC, as the CLI has it, so that one folder has one name.
 *
 * @param home - @defaultValue the home of the host's user
 */
export function configFolder(
  env: Readonly<Record<string, unknown>>,
  home: string = homedir(),
): string {
  const chosen = env['CLAUDE_CONFIG_DIR'];
  const folder = typeof chosen === 'string' && chosen !== '' ? chosen : join(home, '.claude');
  return folder.normalize('NFC');
}
