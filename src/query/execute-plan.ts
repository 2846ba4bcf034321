import type { DiagnosticListener } from '../diagnostics.js';
import { CLIConnectionError, ClaudeSDKError } from '../errors.js';
import { type ResolvedCommand, resolveCommand, toSpawnCommand } from '../transport/command.js';
import { createCustomSpawnTransport } from '../transport/custom-spawn.js';
import { type PrivateFiles, writePrivateFiles } from '../transport/private-files.js';
import { adaptTransport } from '../transport/pull-adapter.js';
import { createFailedTransport, createSubprocessTransport } from '../transport/subprocess.js';
import type { FrameTransport } from '../transport/transport.js';
import { errorText } from '../util/error-text.js';
import type { LaunchPlan } from './launch/launch-plan.js';

/** What the transport reports to, beside its receiver. */
interface PlanListeners {
  readonly onDiagnostic: DiagnosticListener;
  /** Once, when the process is gone or was never there. */
  readonly onGone?: () => void;
}

/**
 * Turns a plan into a transport, not yet opened: finds the executable and writes the private files. Never throws: what
 * cannot be started becomes a transport that reports it as its end.
 */
export function executePlan(plan: LaunchPlan, listeners: PlanListeners): FrameTransport {
  const { means } = plan;
  if (means.transport !== undefined) return adaptTransport(means.transport);
  const { onDiagnostic, onGone = () => {} } = listeners;
  const { maxBufferBytes, exitGraceMs } = plan.policy.limits;
  const common = { args: plan.args, env: plan.env, cwd: plan.cwd, maxBufferBytes, exitGraceMs, stderr: means.stderr };
  if (means.spawnClaudeCodeProcess !== undefined) {
    const { file, args } = toSpawnCommand(plan.command, { env: plan.env, cwd: plan.cwd });
    return createCustomSpawnTransport({
      ...common,
      spawn: means.spawnClaudeCodeProcess,
      command: file,
      args: [...args, ...plan.args],
      onExitCleanup: onGone,
    });
  }
  let command: ResolvedCommand;
  let files: PrivateFiles | undefined;
  try {
    command = resolveCommand(plan.command, { env: plan.env, cwd: plan.cwd });
    files = plan.files.length === 0 ? undefined : writePrivateFiles(plan.files);
  } catch (error) {
    return createFailedTransport(toStartError(error), onGone);
  }
  return createSubprocessTransport({
    ...common,
    env: command.env === undefined ? plan.env : { ...plan.env, ...command.env },
    file: command.file,
    ownProcessGroup: plan.ownProcessGroup,
    args: [...command.args, ...withPaths(plan, files)],
    onExitCleanup: () => {
      removeFiles(files, onDiagnostic);
      onGone();
    },
  });
}

/** The arguments, with each private file's path in its place. */
function withPaths(plan: LaunchPlan, files: PrivateFiles | undefined): readonly string[] {
  const args = [...plan.args];
  plan.files.forEach(({ argIndex }, index) => {
    args[argIndex] = files?.paths[index] ?? '';
  });
  return args;
}

function removeFiles(files: PrivateFiles | undefined, onDiagnostic: DiagnosticListener): void {
  try {
    files?.remove();
  } catch (error) {
    onDiagnostic({ code: 'cleanup_failed', message: `A private file could not be removed: ${errorText(error)}` });
  }
}

function toStartError(error: unknown): Error {
  if (error instanceof ClaudeSDKError) return error;
  return new CLIConnectionError(`Failed to start Claude Code: ${errorText(error)}`, {
    errorClass: 'executable_launch_failed',
    cause: error,
  });
}
