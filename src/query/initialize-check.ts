import type { QueryController } from '../control/query-controller.js';
import { ControlRequestError, ControlRequestTimeoutError } from '../errors.js';
import { versionBeside } from '../transport/cli-release.js';
import { toSpawnCommand } from '../transport/command.js';
import { aboutVersion } from '../util/cli-versions.js';
import type { JsonObject } from '../util/json.js';
import type { LaunchPlan, LaunchPolicy } from './launch/launch-plan.js';

/**
 * Waits for the answer to `initialize` and checks what the options need of it.
 * @param onOver - Called when that is done, with the error when the run has to end for it.
 * @throws why the answer is missing, or not good.
 */
export async function confirmHandshake(
  controller: Pick<QueryController, 'initialized' | 'isUp'>,
  plan: LaunchPlan,
  onOver: (fatal: Error | undefined) => void,
): Promise<void> {
  try {
    const answer = await controller.initialized;
    const missing = missingConfirmation(answer, plan.policy.initializeMustConfirm);
    if (missing !== undefined) throw missing;
    onOver(undefined);
  } catch (error) {
    if (isControlTimeout(error) || error instanceof ControlRequestError) addVersion(error, plan);
    // A CLI that runs a turn is up: only who asks for its answer, which is long overdue, misses it.
    const isMissed = plan.policy.pipelinePrompt && controller.isUp && isControlTimeout(error);
    onOver(!isMissed && isFatalForHandshake(error, plan.policy) ? error : undefined);
    throw error;
  }
}

/**
 * Whether the answer to `initialize` confirms what the options rely on (TS-085 to TS-087). A CLI too old to know a
 * field leaves it out, and a message written to it would run unguarded.
 * @returns what is missing, or `undefined`.
 */
export function missingConfirmation(
  answer: JsonObject,
  mustConfirm: LaunchPolicy['initializeMustConfirm'],
): ControlRequestError | undefined {
  for (const what of mustConfirm) {
    const problem = CHECKS[what](answer);
    if (problem !== undefined) {
      return new ControlRequestError(problem, { subtype: 'initialize', requestId: '', details: { mustConfirm: what } });
    }
  }
  return undefined;
}

/**
 * Whether a failed handshake ends the run. An error answer alone does not end a `query()` (TS-112): the CLI may still
 * run the turn.
 */
function isFatalForHandshake(
  error: unknown,
  { onInitializeError, initializeMustConfirm }: LaunchPolicy,
): error is Error {
  return (
    error instanceof Error &&
    (isControlTimeout(error) || onInitializeError === 'fail' || initializeMustConfirm.length > 0)
  );
}

/** Says in the error what is known of the release. Only the caller knows what its own transport or spawner started. */
function addVersion(error: Error, { command, env, cwd, means, reliance }: LaunchPlan): void {
  if (means.transport !== undefined || means.spawnClaudeCodeProcess !== undefined) return;
  const { file, args } = toSpawnCommand(command, { env, cwd });
  const release = reliance.release ?? versionBeside(args.at(-1) ?? file);
  if (release !== 'newest') error.message = `${error.message} ${aboutVersion(release)}`.trim();
}

function isControlTimeout(error: unknown): error is ControlRequestTimeoutError {
  return error instanceof ControlRequestTimeoutError;
}

const CHECKS: Record<LaunchPolicy['initializeMustConfirm'][number], (answer: JsonObject) => string | undefined> = {
  hookOnFailure: (answer) =>
    answer.hook_on_failure_supported === true
      ? hooksApplied(answer)
      : 'This Claude Code does not confirm hooks with `onFailure` (no `hook_on_failure_supported` in its answer to `initialize`), so no message was sent. Update the CLI, or leave `onFailure` out.',
  hooksApplied,
  mcpServers: (answer) =>
    'mcp_servers_applied' in answer
      ? undefined
      : 'This Claude Code does not confirm `mcpServersDelivery: "initialize"` (no `mcp_servers_applied` in its answer to `initialize`), so no message was sent. Update the CLI, or leave the option out.',
};

function hooksApplied(answer: JsonObject): string | undefined {
  return answer.hooks_applied === false
    ? 'This session was running already and did not take over the hooks (`hooks_applied: false` in its answer to `initialize`), so one with `onFailure` would never run, and no message was sent. Start a new session.'
    : undefined;
}
