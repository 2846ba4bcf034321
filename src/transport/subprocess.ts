import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readChildOutput } from './chunk-reader.js';
import { toLaunchError } from './launch-error.js';
import { HAS_PROCESS_GROUPS, killGroup } from './process-group.js';
import { type ProcessRules, ProcessTransport, type RunningProcess } from './process-transport.js';
import type { FrameTransport } from './transport.js';

/** What to run, and how to treat it. */
export interface SubprocessSpec extends ProcessRules {
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `undefined`: the host's. */
  readonly cwd?: string | undefined;
  /** The child leads a process group and session of its own. No effect on Windows, which has neither. */
  readonly ownProcessGroup?: boolean | undefined;
}

/**
 * A transport over a child process, spawned in `open` (synchronously). The child has pipes for stdin, stdout and stderr
 * and, unless the spec says otherwise, stays in the host's process group, so that Ctrl-C reaches it. No shell is
 * involved. The host gets no signal listener and its environment does not change. A start that fails is reported through
 * `onEnd` as a `CLIConnectionError`.
 */
export function createSubprocessTransport(spec: SubprocessSpec): FrameTransport & { readonly pid: number | undefined } {
  return new ProcessTransport({ ...spec, start: () => startChild(spec) });
}

/** A transport for a peer that could not be started: `onEnd` gets the error after `open` has returned. */
export function createFailedTransport(error: Error, onExitCleanup?: () => void): FrameTransport {
  return new ProcessTransport({ start: () => error, maxBufferBytes: 0, exitGraceMs: 0, onExitCleanup });
}

function startChild(spec: SubprocessSpec): RunningProcess | Error | Promise<Error> {
  const { file, args, env, cwd } = spec;
  const detached = spec.ownProcessGroup === true && HAS_PROCESS_GROUPS;
  let child: ChildProcessWithoutNullStreams;
  try {
    const place = cwd === undefined ? {} : { cwd };
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    child = spawn(file, args, { env, ...place, stdio, shell: false, windowsHide: true, detached });
  } catch (error) {
    return toLaunchError(error, spec);
  }
  // Without a pid the start failed. Node then emits `error` in the next tick; the streams may be missing (EMFILE).
  if (child.pid === undefined) {
    return new Promise((resolve) => {
      child.once('error', (error) => resolve(toLaunchError(error, spec)));
    });
  }
  // Node emits `error` when a signal cannot be sent. Without a listener that would end the host.
  child.on('error', () => {});
  return {
    pid: child.pid,
    stdin: child.stdin,
    stderr: child.stderr,
    leadsGroup: detached,
    readStdout: (sink) => readChildOutput(child.stdout, sink),
    // SIGTERM is for the CLI alone, which then ends its tools. SIGKILL leaves that to nobody, so it is for the group.
    kill: (signal) => (detached && signal === 'SIGKILL' ? killGroup(child) : child.kill(signal)),
    onGone: ({ onExit }) => {
      child.once('exit', (exitCode, signal) => {
        // A CLI that a signal ended could not end its own children.
        if (detached && signal !== null) killGroup(child);
        onExit(exitCode, signal);
      });
    },
  };
}
