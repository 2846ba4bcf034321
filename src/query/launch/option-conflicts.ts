import { InvalidOptionError } from '../../errors.js';
import type { GivenOptions } from './validate-options.js';

/**
 * Options that contradict each other.
 *
 * @throws InvalidOptionError the first contradiction.
 */
export function assertNoConflicts(o: GivenOptions): void {
  if (o.fallbackModel && o.fallbackModel === o.model) {
    throw new InvalidOptionError(
      'fallbackModel',
      'Fallback model cannot be the same as the main model: give `fallbackModel` another one than `model`.',
    );
  }
  if (o.canUseTool !== undefined && o.permissionPromptToolName) {
    throw new InvalidOptionError(
      'permissionPromptToolName',
      'canUseTool callback cannot be used with permissionPromptToolName: use one or the other.',
    );
  }
  if (o.supportedDialogKinds?.length && o.onUserDialog === undefined) {
    throw new InvalidOptionError(
      'supportedDialogKinds',
      'supportedDialogKinds needs the onUserDialog callback: nobody could show those dialogs.',
    );
  }
  if (o.transport !== undefined && o.spawnClaudeCodeProcess !== undefined) {
    throw new InvalidOptionError(
      'transport',
      'transport cannot be used with spawnClaudeCodeProcess: nothing is started when there is a transport.',
    );
  }
  if (o.sessionStore !== undefined) assertStoreFits(o, o.sessionStore);
}

/** What cannot be kept in a store, or taken from this one. */
function assertStoreFits(o: GivenOptions, store: NonNullable<GivenOptions['sessionStore']>): void {
  if (o.persistSession === false) {
    throw new InvalidOptionError(
      'sessionStore',
      'sessionStore cannot be used with persistSession: false: the CLI mirrors what it wrote to its own files.',
      {
        hint: 'For no lasting local copy, set CLAUDE_CONFIG_DIR in `env` to a new private folder and remove it after the run.',
      },
    );
  }
  if (o.enableFileCheckpointing === true) {
    throw new InvalidOptionError(
      'sessionStore',
      'enableFileCheckpointing is not yet supported with sessionStore: the copies of files are not mirrored, so `rewindFiles()` would fail after a resume.',
    );
  }
  if (o.continue === true && !o.resume && o.transport === undefined && !store.listSessions) {
    throw new InvalidOptionError(
      'continue',
      'Options.continue with sessionStore requires store.listSessions to be implemented: nothing else tells which session is the newest.',
      { hint: 'Implement `listSessions`, or give the id of the session as `resume`.' },
    );
  }
}
