import { isClaudeSDKError } from '../../errors.js';
import type { Outcome } from '../../parser/outcome-types.js';
import type { TallyEnd } from '../../parser/run-summary.js';
import { errorText } from '../../util/error-text.js';
import type { OperationError, OperationStop } from './contexts.js';

/** How an operation ended: with an error, or by somebody's decision. `undefined`: it reached its end. */
export type Ending = OperationError | OperationStop | undefined;

/** @param cause - What the loop over the run throws. */
export function endingOf({ kind, message }: Outcome, cause?: unknown): Ending {
  if (kind === 'completed' || kind === 'deferred') return undefined;
  if (kind === 'hook_stopped') return kind;
  if (kind === 'interrupted' && !isAbort(cause)) return kind;
  return cause === undefined ? { kind, message } : { kind, message, cause };
}

/** How everything ends that is cut because the host ends the run; `undefined`: the run ends otherwise. */
export function endingOfHost({ error, isClosed, isAbandoned, because }: TallyEnd): Ending {
  if (because !== undefined) return { kind: because, message: 'The program ended the run' };
  if (isClosed) return isAbandoned === true ? 'abandoned' : 'closed';
  return isAbort(error) ? { kind: 'interrupted', message: errorText(error), cause: error } : undefined;
}

function isAbort(error: unknown): boolean {
  return isClaudeSDKError(error) && error.errorClass === 'aborted';
}
