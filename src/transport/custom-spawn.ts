import type { Readable, Writable } from 'node:stream';
import { CLIConnectionError, InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { readStream } from './chunk-reader.js';
import { toLaunchError } from './launch-error.js';
import { ProcessTransport } from './process-transport.js';
import type { ProcessEndListeners, RunningProcess } from './running-process.js';
import type { FrameTransport } from './transport.js';

/** What `spawnClaudeCodeProcess` is asked to start. */
export interface SpawnOptions {
  readonly command: string;
  readonly args: string[];
  /** `undefined` when the option was not given. */
  readonly cwd: string | undefined;
  /** The child's whole environment. */
  readonly env: { [name: string]: string | undefined };
  /** Aborted when the process was asked to end and did not, just after `kill('SIGTERM')`. */
  readonly signal: AbortSignal;
}

/** A process started by somebody else, perhaps on another machine. A `ChildProcess` with pipes is one. */
export interface SpawnedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Drained, and shown in errors, when there is one. */
  readonly stderr?: Readable | null;
  readonly killed: boolean;
  /** `null` while it runs. */
  readonly exitCode: number | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: 'error', listener: (error: Error) => void): void;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

/** The `spawnClaudeCodeProcess` option. Called once, synchronously. What it throws leaves `query()`. */
export type SpawnClaudeCodeProcess = (options: SpawnOptions) => SpawnedProcess;

export interface CustomSpawnSpec {
  readonly spawn: SpawnClaudeCodeProcess;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly maxBufferBytes: number;
  readonly exitGraceMs: number;
  readonly stderr?: ((text: string) => void) | undefined;
  readonly onExitCleanup?: (() => void) | undefined;
}

/**
 * A transport over a process that `spawnClaudeCodeProcess` starts, in `open`. Nothing is checked
 * beforehand.
 *
 * @returns `open` throws what the hook throws, and `InvalidOptionError` when it returns no process.
 */
export function createCustomSpawnTransport(
  spec: CustomSpawnSpec,
): FrameTransport & { readonly pid: number | undefined } {
  return new ProcessTransport({
    start: () => startCustom(spec),
    maxBufferBytes: spec.maxBufferBytes,
    exitGraceMs: spec.exitGraceMs,
    stderr: spec.stderr,
    onExitCleanup: spec.onExitCleanup,
  });
}

function startCustom(spec: CustomSpawnSpec): RunningProcess {
  const { spawn, command, args, cwd, env } = spec;
  const controller = new AbortController();
  const child = spawn({
    command,
    args: [...args],
    cwd,
    env: { ...env },
    signal: controller.signal,
  });
  assertSpawnedProcess(child);
  return {
    pid: pidOf(child),
    stdin: child.stdin,
    stderr: child.stderr ?? undefined,
    readStdout: (sink) => readStream(child.stdout, sink),
    kill: (signal) => {
      const wasSent = killContained(child, signal);
      // After the signal: who forwards the abort as a kill of his own must not overtake ours.
      controller.abort();
      return wasSent;
    },
    onGone: (listeners) => watch(child, listeners, { spec, abort: controller.signal }),
  };
}

function watch(
  child: SpawnedProcess,
  { onExit, onFailure }: ProcessEndListeners,
  context: { readonly spec: CustomSpawnSpec; readonly abort: AbortSignal },
): void {
  let isGone = false;
  const leave = (report: () => void): void => {
    if (isGone) return;
    isGone = true;
    child.off('exit', onExitEvent);
    report();
  };
  const onExitEvent = (code: number | null, signal: NodeJS.Signals | null): void => {
    leave(() => onExit(code ?? (signal == null ? child.exitCode : null), signal ?? null));
  };
  child.on('exit', onExitEvent);
  // Stays on to the end: an `error` event that nobody listens to would end the host.
  child.on('error', (error) => {
    // Node reports our own abort this way; the exit follows.
    if (context.abort.aborted) return;
    leave(() => {
      if (child.exitCode === null) killContained(child, 'SIGTERM');
      onFailure(toFailure(error, context.spec));
    });
  });
  if (child.exitCode !== null) setImmediate(() => onExitEvent(child.exitCode, null));
}

function toFailure(error: Error, { command, cwd }: CustomSpawnSpec): CLIConnectionError {
  const code: unknown = Reflect.get(error, 'code');
  if (code === 'ENOENT' || code === 'EACCES') return toLaunchError(error, { file: command, cwd });
  return new CLIConnectionError(`Failed to spawn Claude Code process: ${error.message}`, {
    errorClass: 'process_error',
    cause: error,
    ...(typeof code === 'string' ? { code } : {}),
  });
}

/** The hook's `kill` is the user's code. */
function killContained(child: SpawnedProcess, signal: NodeJS.Signals): boolean {
  try {
    return child.kill(signal);
  } catch {
    return false;
  }
}

function pidOf(child: SpawnedProcess): number | undefined {
  const pid: unknown = Reflect.get(child, 'pid');
  return typeof pid === 'number' ? pid : undefined;
}

function assertSpawnedProcess(value: unknown): asserts value is SpawnedProcess {
  const isProcess =
    typeof value === 'object' &&
    value !== null &&
    ['stdin', 'stdout'].every((name) => isStream(Reflect.get(value, name))) &&
    ['kill', 'on', 'once', 'off'].every((name) => typeof Reflect.get(value, name) === 'function');
  if (isProcess) return;
  throw new InvalidOptionError(
    'spawnClaudeCodeProcess',
    `\`spawnClaudeCodeProcess\` must return a process with piped stdin and stdout, got ${describeValue(value)}`,
  );
}

function isStream(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'on' in value;
}
