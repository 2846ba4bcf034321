import type { DiagnosticListener } from '../diagnostics.js';
import { CLIConnectionError, ClaudeSDKError } from '../errors.js';
import { askRelease, versionBeside } from '../transport/cli-release.js';
import { executableOf, type ResolvedCommand, resolveCommand, toSpawnCommand } from '../transport/command.js';
import { createCustomSpawnTransport } from '../transport/custom-spawn.js';
import { DeferredTransport } from '../transport/deferred-transport.js';
import { type PrivateFiles, writePrivateFiles } from '../transport/private-files.js';
import { adaptTransport } from '../transport/pull-adapter.js';
import { createFailedTransport, createSubprocessTransport } from '../transport/subprocess.js';
import type { FrameTransport } from '../transport/transport.js';
import { errorText } from '../util/error-text.js';
import { absolutePath } from '../util/host-places.js';
import { onAbort } from '../util/on-abort.js';
import { firstOf } from '../util/race.js';
import type { LaunchPlan } from './launch/launch-plan.js';
import { adaptFrames } from './releases/adapted-transport.js';
import { type Adapted, adaptTo, refuseByFiles } from './releases/gate.js';
import { usesNewFlags } from './releases/lacking.js';

/** What the transport reports to, beside its receiver. */
interface PlanListeners {
  readonly onDiagnostic: DiagnosticListener;
  /** Once, when the process is gone or was never there. */
  readonly onGone?: () => void;
}

/**
 * Turns a plan into a transport, not yet opened: finds the executable and its release, and writes the private files.
 * Never throws for these: what cannot be started becomes a transport that reports it as its end. Where the executable
 * has to be asked for its release, the transport is a `DeferredTransport`.
 */
export function executePlan(plan: LaunchPlan, listeners: PlanListeners): FrameTransport {
  const { means, reliance, env, cwd } = plan;
  if (means.transport !== undefined) {
    const { transport } = means;
    return startAt(reliance.release, plan, listeners, () => adaptTransport(transport));
  }
  if (means.spawnClaudeCodeProcess !== undefined) {
    const { spawnClaudeCodeProcess: spawn } = means;
    const { file, args } = toSpawnCommand(plan.command, { env, cwd });
    return startAt(reliance.release, plan, listeners, (adapted) =>
      createCustomSpawnTransport({
        ...rulesOf(plan),
        spawn,
        command: file,
        args: [...args, ...adapted.args],
        onExitCleanup: listeners.onGone ?? (() => {}),
      }),
    );
  }
  let command: ResolvedCommand;
  try {
    command = resolveCommand(plan.command, { env, cwd });
  } catch (error) {
    return createFailedTransport(toStartError(error), listeners.onGone);
  }
  const start = (release: string | undefined, placed: LaunchPlan): FrameTransport =>
    startAt(
      release,
      placed,
      listeners,
      ({ args, files }) => startProcess(command, { ...placed, args, files }, listeners),
      refuseByFiles,
    );
  const path = executableOf(command, { env, cwd });
  const release = reliance.release ?? versionBeside(path);
  if (release !== undefined || !(reliance.mayAsk || usesNewFlags(plan))) return start(release, plan);
  // The host may have gone to another directory when the answer comes.
  const placed = { ...plan, cwd: absoluteNow(cwd) };
  return new DeferredTransport(async (signal) => {
    const told = await firstOf<string | undefined>(
      () => askRelease(path, command, { env, cwd: placed.cwd, signal }),
      (end) => onAbort(signal, () => end.reject(signal.reason)),
    );
    if (told === undefined) listeners.onDiagnostic({ code: 'cli_release_unknown', message: unknownText(path) });
    return start(told, placed);
  });
}

/** `undefined`: the working directory of the host does not exist, which the start will report. */
function absoluteNow(cwd: string | undefined): string | undefined {
  try {
    return absolutePath('cwd', cwd ?? '.');
  } catch {
    return cwd;
  }
}

function unknownText(path: string): string {
  return `${path} does not tell its release when it is asked with --version, so it counts as the newest. Set the option \`claudeCodeVersion\` if it is another one.`;
}

/**
 * @param make - Gets the plan's arguments as this release understands them.
 * @param check - Throws the error of a run that cannot be started here.
 */
function startAt(
  release: string | undefined,
  plan: LaunchPlan,
  { onDiagnostic, onGone }: PlanListeners,
  make: (adapted: Adapted) => FrameTransport,
  check?: (release: string | undefined, plan: LaunchPlan) => void,
): FrameTransport {
  let adapted: Adapted;
  try {
    check?.(release, plan);
    adapted = adaptTo(release, plan, onDiagnostic);
  } catch (error) {
    return createFailedTransport(toStartError(error), onGone);
  }
  return adaptFrames(make(adapted), adapted, onDiagnostic);
}

function rulesOf({ env, cwd, means, policy }: LaunchPlan) {
  const { maxBufferBytes, exitGraceMs } = policy.limits;
  return { env, cwd, maxBufferBytes, exitGraceMs, stderr: means.stderr };
}

function startProcess(command: ResolvedCommand, plan: LaunchPlan, listeners: PlanListeners): FrameTransport {
  const { onDiagnostic, onGone = () => {} } = listeners;
  let files: PrivateFiles | undefined;
  try {
    files = plan.files.length === 0 ? undefined : writePrivateFiles(plan.files);
  } catch (error) {
    return createFailedTransport(toStartError(error), onGone);
  }
  return createSubprocessTransport({
    ...rulesOf(plan),
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
