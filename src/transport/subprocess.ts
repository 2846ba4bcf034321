import { execa } from 'execa';
import { readChildOutput } from './chunk-reader.js';
import { toLaunchError } from './launch-error.js';
import { FailedStart, startWatched } from './lost-child.js';
import { ProcessTransport } from './process-transport.js';
import type { RunningProcess } from './running-process.js';
import type { FrameTransport } from './transport.js';

/** What to run, and how to treat it. */
export interface SubprocessSpec {
  readonly file: string;
  readonly args: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** `undefined`: the host's. */
  readonly cwd?: string | undefined;
  /** Bytes of one line of stdout. `Infinity`: as much as a string can hold. */
  readonly maxBufferBytes: number;
  /** Milliseconds between the end of stdout and SIGTERM for a process that lives on. `Infinity`: no limit. */
  readonly exitGraceMs: number;
  /** Per chunk of stderr, decoded. A throw is contained and reported. */
  readonly stderr?: ((text: string) => void) | undefined;
  /** Once, when the process is gone or was never there. A throw is contained and reported. */
  readonly onExitCleanup?: (() => void) | undefined;
}

/**
 * A transport over a child process, spawned in `open` (synchronously). The child has pipes for
 * stdin, stdout and stderr and stays in the host's process group, so that Ctrl-C reaches it; no
 * shell is ever involved. No signal listener is put on the host and its environment is not touched.
 *
 * A start that fails is reported through `onEnd` as a `CLIConnectionError`.
 */
export function createSubprocessTransport(
  spec: SubprocessSpec,
): FrameTransport & { readonly pid: number | undefined } {
  return new ProcessTransport({
    start: () => spawnChild(spec),
    maxBufferBytes: spec.maxBufferBytes,
    exitGraceMs: spec.exitGraceMs,
    stderr: spec.stderr,
    onExitCleanup: spec.onExitCleanup,
  });
}

/** A transport for a peer that could not be started: `onEnd` gets the error after `open` has returned. */
export function createFailedTransport(error: Error, onExitCleanup?: () => void): FrameTransport {
  return new ProcessTransport({
    start: () => error,
    maxBufferBytes: 0,
    exitGraceMs: 0,
    onExitCleanup,
  });
}

function spawnChild(spec: SubprocessSpec): RunningProcess | Error | Promise<Error> {
  const child = startWatched(() => spawn(spec));
  if (child instanceof FailedStart) return child.reason.then((cause) => toLaunchError(cause, spec));
  // An `error` event that nobody listens to would end the host; a failed start is read from the promise.
  child.on('error', () => {});
  if (child.pid === undefined) return child.then(({ cause }) => toLaunchError(cause, spec));
  return {
    pid: child.pid,
    stdin: child.stdin,
    stderr: child.stderr,
    readStdout: (sink) => readChildOutput(child.stdout, sink),
    kill: (signal) => child.kill(signal),
    onGone: ({ onExit }) => child.once('exit', onExit),
  };
}

function spawn({ file, args, env, cwd }: SubprocessSpec) {
  return execa(file, args, {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    extendEnv: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    // The streams are read here, the ladder of signals is walked here, and a failed exit is an answer.
    buffer: false,
    reject: false,
    cleanup: false,
    forceKillAfterDelay: false,
    detached: false,
    shell: false,
    windowsHide: true,
  });
}
