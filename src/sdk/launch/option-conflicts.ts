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
}
