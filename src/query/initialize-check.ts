import { ControlRequestError, ControlRequestTimeoutError } from '../errors.js';
import type { JsonObject } from '../util/json.js';
import type { LaunchPolicy } from './launch/plan.js';

/**
 * Whether the answer to `initialize` confirms what the options rely on (TS-085 to TS-087). A CLI too old
 * to know a field leaves it out, and a message written to it would run unguarded.
 *
 * @returns what is missing, or `undefined`.
 */
export function missingConfirmation(
  answer: JsonObject,
  mustConfirm: LaunchPolicy['initializeMustConfirm'],
): ControlRequestError | undefined {
  for (const what of mustConfirm) {
    const problem = CHECKS[what](answer);
    if (problem !== undefined) {
      return new ControlRequestError(problem, {
        subtype: 'initialize',
        requestId: '',
        details: { mustConfirm: what },
      });
    }
  }
  return undefined;
}

/**
 * Whether a failed handshake ends the run. An error answer alone does not end a `query()` (TS-112): the CLI
 * may still run the turn.
 */
export function isFatalForHandshake(
  error: unknown,
  { onInitializeError, initializeMustConfirm }: LaunchPolicy,
): error is Error {
  return (
    error instanceof Error &&
    (isTimeout(error) || onInitializeError === 'fail' || initializeMustConfirm.length > 0)
  );
}

export function isTimeout(error: unknown): error is ControlRequestTimeoutError {
  return error instanceof ControlRequestTimeoutError;
}

const CHECKS: Record<
  LaunchPolicy['initializeMustConfirm'][number],
  (answer: JsonObject) => string | undefined
> = {
  hookOnFailure: (answer) =>
    answer.hook_on_failure_supported === true && answer.hooks_applied !== false
      ? undefined
      : 'This Claude Code does not confirm hooks with `onFailure` (no `hook_on_failure_supported` in its answer to `initialize`), so no message was sent. Update the CLI, or leave `onFailure` out.',
  mcpServers: (answer) =>
    'mcp_servers_applied' in answer
      ? undefined
      : 'This Claude Code does not confirm `mcpServersDelivery: "initialize"` (no `mcp_servers_applied` in its answer to `initialize`), so no message was sent. Update the CLI, or leave the option out.',
};
