import type { JsonObject } from '../../util/json.js';

/** A script of one CLI process: what it says, what it expects to hear. @see docs/scenarios.md in the repository */
export interface Scenario {
  readonly header: ScenarioHeader;
  readonly steps: readonly PlacedStep[];
  /** Where it was read from; `undefined` for steps given in code. */
  readonly file: string | undefined;
}

/** First line of a scenario file. Further fields are provenance and are kept as they are. */
export interface ScenarioHeader {
  /** Name, in kebab-case. */
  readonly scenario: string;
  readonly version: 1;
  /** One sentence for a person. */
  readonly about?: string;
  /** What `--version` prints before ` (Claude Code)`. @defaultValue '2.1.330' */
  readonly cliVersion?: string;
  /**
   * Answers to control requests that no step expects, by subtype, over the built-in ones.
   * `null`: that subtype is never answered.
   */
  readonly answers?: Readonly<Record<string, JsonObject | null>>;
  /** Milliseconds an `in` or `wait` step waits unless it says otherwise. `0`: no limit. @defaultValue 10_000 */
  readonly stepTimeoutMs?: number;
  /** Milliseconds for the whole play. `0`: no limit. @defaultValue 60_000 */
  readonly deadlineMs?: number;
}

/** A step and the line it stands on (its position, from 1, when it was given in code). */
export interface PlacedStep {
  readonly step: Step;
  readonly line: number;
}

export type Step =
  | OutStep
  | InStep
  | RawStep
  | BytesStep
  | StderrStep
  | DelayStep
  | WaitStep
  | IgnoreStep
  | StdinStep
  | StdoutStep
  | ExitStep
  | KillStep
  | RepeatStep;

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

/** Waits for a frame that has at least these fields, and captures variables from it. */
export interface InStep {
  readonly in: JsonObject;
  /** Answers the expected control request with success and this payload. */
  readonly answer?: JsonObject;
  /** Answers the expected control request with an error and this text. */
  readonly error?: string;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
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
  readonly kill: 'SIGTERM' | 'SIGKILL' | 'SIGSEGV' | 'SIGABRT';
}

/** Plays the steps several times. Variables captured inside do not leave one round. */
export interface RepeatStep {
  readonly repeat: number;
  /** Name of the variable that holds the round, from 0. @defaultValue 'i' */
  readonly as?: string;
  readonly steps: readonly Step[];
}

/** What came of one play; written as JSON where the launcher says. */
export interface Verdict {
  readonly scenario: string;
  /** Every step was played and every expectation met. */
  readonly passed: boolean;
  readonly end: 'finished' | 'mismatch' | 'deadline' | 'signal' | 'error';
  readonly exitCode: number;
  readonly stepsPlayed: number;
  readonly stepsTotal: number;
  readonly failure?: VerdictFailure;
  /** Frames that no step took, in order. Control requests that were answered by themselves are not among them. */
  readonly unclaimed: readonly unknown[];
}

export interface VerdictFailure {
  readonly message: string;
  /** Line of the step in its file, or its position in the list. */
  readonly line?: number;
  readonly expected?: unknown;
  /** The last frames that came, oldest first (20 at most). */
  readonly got: readonly unknown[];
}
