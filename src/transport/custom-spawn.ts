import type { Readable, Writable } from 'node:stream';
import { CLIConnectionError, InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { codeOf } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';
import { omitUndefined } from '../util/json.js';
import { readStream } from './chunk-reader.js';
import { toLaunchError } from './launch-error.js';
import {
  type ProcessEndListeners,
  type ProcessRules,
  ProcessTransport,
  type RunningProcess,
} from './process-transport.js';
import type { FrameTransport } from './transport.js';

/** What `spawnClaudeCodeProcess` is asked to start. */
export interface SpawnOptions {
  command: string;
  args: string[];
  /** `undefined` when the option was not given; the key is always there. */
  cwd?: string;
  /** The child's whole environment. */
  env: { [name: string]: string | undefined };
  /** Aborted just after `kill('SIGTERM')`, when the process did not end by itself. */
  signal: AbortSignal;
}

/** A process that the application started, perhaps on another machine. A `ChildProcess` with pipes fits. */
export interface SpawnedProcess {
  stdin: Writable;
  stdout: Readable;
  /** If present, it is drained, and errors show its end. */
  readonly stderr?: Readable | null;
  readonly killed: boolean;
  /** `null` while it runs. */
  readonly exitCode: number | null;
  /** The signal that ended it. */
  readonly signalCode?: NodeJS.Signals | null;
  kill(signal: NodeJS.Signals): boolean;
  on(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  once(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  once(event: 'error', listener: (error: Error) => void): void;
  off(event: 'exit', listener: (code: number | null, signal: NodeJS.Signals | null) => void): void;
  off(event: 'error', listener: (error: Error) => void): void;
}

/** From SIGTERM to SIGKILL, for a process that reported an error and still runs. */
const KILL_AFTER_MS = 5_000;

/** The option `spawnClaudeCodeProcess`. Called once, synchronously. `query()` throws what it throws. */
export type SpawnClaudeCodeProcess = (options: SpawnOptions) => SpawnedProcess;

export interface CustomSpawnSpec extends ProcessRules {
  readonly spawn: SpawnClaudeCodeProcess;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/**
 * A transport over a process that `spawnClaudeCodeProcess` starts, in `open`. Nothing is checked beforehand.
 * @returns `open` throws what the hook throws, and `InvalidOptionError` when it returns no process.
 */
export function createCustomSpawnTransport(
  spec: CustomSpawnSpec,
): FrameTransport & { readonly pid: number | undefined } {
  return new ProcessTransport({ ...spec, start: () => startCustom(spec) });
}

function startCustom(spec: CustomSpawnSpec): RunningProcess {
  const { spawn, command, args, cwd, env } = spec;
  const controller = new AbortController();
  const request = { command, args: [...args], cwd, env: { ...env }, signal: controller.signal };
  // The official type does not allow `undefined`, but the official SDK passes it.
  const child: unknown = spawn(request as SpawnOptions);
  if (!isSpawnedProcess(child)) {
    abandon(child);
    throw new InvalidOptionError(
      'spawnClaudeCodeProcess',
      `\`spawnClaudeCodeProcess\` must return a process with piped stdin and stdout, and a stream or nothing as stderr, got ${describeValue(child)}`,
    );
  }
  let lookAgain = (): boolean => false;
  return {
    pid: pidOf(child),
    stdin: child.stdin,
    stderr: child.stderr ?? undefined,
    readStdout: (sink) =>
      readStream(child.stdout, {
        ...sink,
        onEnd: (error) => {
          sink.onEnd(error);
          setImmediate(() => lookAgain());
        },
      }),
    kill: (signal) => {
      if (lookAgain()) return false;
      const wasSent = killContained(child, signal);
      // After the signal: an application that turns the abort into a kill must not overtake it.
      controller.abort();
      return wasSent;
    },
    onGone: (listeners) => {
      lookAgain = watchEnd(child, listeners, { spec, abort: controller.signal });
    },
  };
}

/** @returns looks whether the process has an exit code or a signal, of which no event told. True: it has. */
function watchEnd(
  child: SpawnedProcess,
  { onExit, onFailure }: ProcessEndListeners,
  context: { readonly spec: CustomSpawnSpec; readonly abort: AbortSignal },
): () => boolean {
  let isGone = false;
  const leave = (report: () => void): void => {
    if (isGone) return;
    isGone = true;
    child.off('exit', onExitEvent);
    report();
  };
  const onExitEvent = (code: number | null, signal: NodeJS.Signals | null): void => {
    leave(() => onExit(code ?? (signal == null ? (child.exitCode ?? null) : null), signal ?? null));
  };
  child.on('exit', onExitEvent);
  // Never removed: an `error` event without a listener would end the host.
  child.on('error', (error) => {
    // Node reports the abort this way. The exit follows.
    if (context.abort.aborted) return;
    leave(() => {
      endBroken(child);
      onFailure(toFailure(error, context.spec));
    });
  });
  const look = (): boolean => {
    if (!hasEnded(child)) return false;
    onExitEvent(child.exitCode ?? null, child.signalCode ?? null);
    return true;
  };
  if (hasEnded(child)) setImmediate(look);
  return look;
}

/** A process without these fields is one that runs: its `exit` event tells. */
function hasEnded({ exitCode, signalCode }: SpawnedProcess): boolean {
  return (exitCode ?? signalCode ?? null) !== null;
}

/** The session has ended and no longer watches the process, which must not outlive it. */
function endBroken(child: SpawnedProcess): void {
  if (hasEnded(child)) return;
  const timer = setTimeout(() => killContained(child, 'SIGKILL'), KILL_AFTER_MS).unref();
  callContained(child, 'once', 'exit', () => clearTimeout(timer));
  killContained(child, 'SIGTERM');
}

function toFailure(error: Error, { command, cwd }: CustomSpawnSpec): CLIConnectionError {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'EACCES') return toLaunchError(error, { file: command, cwd });
  const options = omitUndefined({ errorClass: 'process_error' as const, cause: error, code });
  return new CLIConnectionError(`Failed to spawn Claude Code process: ${errorText(error)}`, options);
}

/** `kill` is code of the application, and may throw. */
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

function isSpawnedProcess(value: unknown): value is SpawnedProcess {
  try {
    const { stdin, stdout, stderr } = Object(value) as Record<string, unknown>;
    return (
      has(value, 'kill', 'on', 'once', 'off') &&
      has(stdin, 'on', 'write', 'end', 'destroy') &&
      has(stdout, 'on', 'pause', 'resume', 'destroy') &&
      (stderr == null || has(stderr, 'on', 'destroy'))
    );
  } catch {
    // A getter threw.
    return false;
  }
}

function has(value: unknown, ...methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Ends an unusable process, also one that a promise brings later (an `async` hook). Contains all errors. */
function abandon(value: unknown): void {
  // An `error` event without a listener would end the host.
  callContained(value, 'on', 'error', () => {});
  callContained(value, 'kill', 'SIGTERM');
  callContained(value, 'then', abandon, () => {});
}

function callContained(value: unknown, method: string, ...args: readonly unknown[]): void {
  try {
    const found: unknown = Reflect.get(Object(value), method);
    if (typeof found === 'function') Reflect.apply(found, value, args);
  } catch {
    // The caller throws an error that says what is wrong with the value.
  }
}
