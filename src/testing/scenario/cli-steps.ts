import type { JsonObject } from '../../util/json.js';

/** A step of the CLI lane: played by the player, in the CLI's place. */
export type CliStep =
  | SpawnStep
  | OutStep
  | InStep
  | InAnyStep
  | RawStep
  | BytesStep
  | StderrStep
  | DelayStep
  | GrandchildStep
  | WaitStep
  | IgnoreStep
  | StdinStep
  | StdoutStep
  | ExitStep
  | KillStep
  | RepeatStep
  | MarkStep
  | GateStep;

/**
 * Opens the section of the next process: the steps from here to the next `spawn` are what it plays.
 * Checked before anything is read or written.
 */
export interface SpawnStep {
  readonly spawn: SpawnExpectation;
}

export interface SpawnExpectation {
  /**
   * By flag: a string or number is its value, `true` a flag without a value, a list the values of a repeated
   * flag or of one comma-separated value, an object the value read as JSON. `"$absent"`: not given.
   */
  readonly argv?: Readonly<Record<string, unknown>>;
  /** Flags that `argv` does not have must not be given. @defaultValue false */
  readonly argvOnly?: true;
  /** By name. `"$absent"`: not set. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Files of the folder `CLAUDE_CONFIG_DIR`, by the end of their path. `.json` is read as JSON, `.jsonl` as a list,
   * everything else as text. `"$absent"`: no file ends so.
   */
  readonly configFiles?: Readonly<Record<string, unknown>>;
  /** Working directory; `"$cwd"` is the one the client was told to use. */
  readonly cwd?: string;
}

/** Where the bytes of one write are cut into several. Each piece reaches the pipe on its own. */
export interface Cuts {
  /** Byte offsets, ascending; or one number: a cut after every so many bytes. */
  readonly cut?: number | readonly number[];
  /** Milliseconds between two pieces. @defaultValue 5 */
  readonly gapMs?: number;
}

/** Writes one frame as a line. Strings may hold variables. */
export interface OutStep extends Cuts {
  readonly out: JsonObject;
}

/** A frame that must come, and what to answer. */
export interface Expectation {
  /** The fields the frame has at least. Captures variables from it. */
  readonly in: JsonObject;
  /** Answers the expected control request with success and this payload. */
  readonly answer?: JsonObject;
  /** Answers the expected control request with an error and this text. */
  readonly error?: string;
}

/** Waits for a frame that has at least these fields, and captures variables from it. */
export interface InStep extends Expectation {
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** Waits until all of these have come, in any order, whatever the header's `order` says. */
export interface InAnyStep {
  /** A frame goes to the first one left that it matches. */
  readonly inAny: readonly Expectation[];
  /** Milliseconds for all of them. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** Writes this text as it is: no newline is added, no variable replaced. */
export interface RawStep extends Cuts {
  readonly raw: string;
}

/** Writes these bytes, given in base64. */
export interface BytesStep extends Cuts {
  readonly bytes: string;
}

/** Writes this text to stderr as it is. */
export interface StderrStep {
  readonly stderr: string;
}

export interface DelayStep {
  readonly delayMs: number;
}

/** Starts a process that holds stdout open for so many milliseconds (30 s at most), also when the player has left. */
export interface GrandchildStep {
  readonly grandchildMs: number;
}

/** Waits for the end of stdin, for a signal, or for ever. A signal that is waited for does not end the player. */
export interface WaitStep {
  readonly wait: WaitTarget;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs`; none for `forever` */
  readonly timeoutMs?: number;
}
export type WaitTarget = 'EOF' | PlayerSignal | 'forever';

/** From here on these do not end the player. */
export interface IgnoreStep {
  readonly ignore: readonly ('EOF' | PlayerSignal)[];
}
export type PlayerSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** Stops reading stdin, goes on with it, or closes it (a writer then sees EPIPE). */
export interface StdinStep {
  readonly stdin: 'pause' | 'resume' | 'close';
}

/** Closes stdout; the process lives on. */
export interface StdoutStep {
  readonly stdout: 'close';
}

/** Ends the process with this code, after what was written has left. */
export interface ExitStep {
  readonly exit: number;
}

/** Ends the process by a signal it sends to itself, after what was written has left. */
export interface KillStep {
  readonly kill: KillSignal;
}
export type KillSignal = 'SIGTERM' | 'SIGKILL' | 'SIGSEGV' | 'SIGABRT';

/** Plays the steps several times. Variables captured inside do not leave one round. */
export interface RepeatStep {
  readonly repeat: number;
  /** Name of the variable that holds the round, from 0. @defaultValue 'i' */
  readonly as?: string;
  /** Of the CLI lane, without `spawn`. */
  readonly steps: readonly Exclude<CliStep, SpawnStep>[];
}

/** Notes that the script got here: a `reached` step of the driver lane may wait for it. */
export interface MarkStep {
  readonly mark: string;
}

/** Waits until an `open` step of the driver lane opens this gate. A gate that is open stays open. */
export interface GateStep {
  readonly gate: string;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}
