import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readChildOutput } from './chunk-reader.js';
import { toLaunchError } from './launch-error.js';
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
}

/**
 * A transport over a child process, spawned in `open` (synchronously). The child has pipes for stdin, stdout and stderr
 * and stays in the host's process group, so that Ctrl-C reaches it. No shell is involved. The host gets no signal
 * listener and its environment does not change. A start that fails is reported through `onEnd` as a
 * `CLIConnectionError`.
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
  let child: ChildProcessWithoutNullStreams;
  try {
    const place = cwd === undefined ? {} : { cwd };
    child = spawn(file, args, { env, ...place, stdio: ['pipe', 'pipe', 'pipe'], shell: false, windowsHide: true });
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
    readStdout: (sink) => readChildOutput(child.stdout, sink),
    kill: (signal) => child.kill(signal),
    onGone: ({ onExit }) => child.once('exit', onExit),
  };
}
