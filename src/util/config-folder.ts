import { join } from 'node:path';
import { homeDirectory } from './host-places.js';

/**
 * The CLI's configuration folder under these variables: `CLAUDE_CONFIG_DIR`, else `.claude` in the home. May be relative when
 * the variable is. In NFC, as the CLI has it, so that one folder has one name.
 *
 * @param home - @defaultValue the home of the host's user
 * @throws {@link InvalidOptionError} it is needed, and there is none.
 */
export function configFolder(env: Readonly<Record<string, unknown>>, home?: string): string {
  const chosen = env.CLAUDE_CONFIG_DIR;
  const isChosen = typeof chosen === 'string' && chosen !== '';
  const folder = isChosen ? chosen : join(home ?? homeDirectory(), '.claude');
  return folder.normalize('NFC');
}
