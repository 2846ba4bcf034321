import type { JsonObject } from '../../util/json.js';

/** What a CLI writes and expects to read, and what a driver does. @see docs/reference/scenarios.md in the repository */
export interface Scenario {
  readonly header: ScenarioHeader;
  /** Both lanes, in the order of the file. */
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
   * Answers to control requests that no step expects, by subtype, over the built-in ones. `null`: that subtype is never
   * answered.
   */
  readonly answers?: Readonly<Record<string, JsonObject | null>>;
  /** Control requests that neither a step nor `answers` expects fail the play. @defaultValue false */
  readonly answersOnly?: true;
  /** Milliseconds a step that waits does so unless it says otherwise. `0`: no limit. @defaultValue 10_000 */
  readonly stepTimeoutMs?: number;
  /** Milliseconds for the whole play. `0`: no limit. @defaultValue 60_000 */
  readonly deadlineMs?: number;
  /** In which order frames may come. @defaultValue 'any' */
  readonly order?: OrderRule;
  /** Whether frames that no step took fail the play. @defaultValue 'allow' for order 'any', else 'fail' */
  readonly unclaimed?: 'allow' | 'fail';
  /** `L0` (framing) to `L8` (limits). */
  readonly level?: Level;
  /** Ids of the requirements it shows. */
  readonly requirements?: readonly string[];
  /** What a driver must have to run it. */
  readonly features?: readonly string[];
  /** Where the behaviour is written down or was seen: `TS-101`, `PY-77`, `recording:hello`, `trap:3`. */
  readonly source?: readonly string[];
  /** First CLI version it holds for. */
  readonly since?: string;
  /** Last CLI version it holds for. */
  readonly until?: string;
  /** Of steps given in code: what each is called in messages. */
  readonly places?: readonly string[];
  /** Files that are there before anything is started. Played by the runner alone. */
  readonly files?: readonly ScenarioFile[];
}

/** A file of `lines` (an object becomes a line of JSON) or of `text`. Strings may hold variables. */
export interface ScenarioFile {
  /** The driver's home directory, or the directory the session runs in. */
  readonly at: 'home' | 'cwd';
  /** Relative; it stays inside. */
  readonly path: string;
  readonly lines?: readonly (string | JsonObject)[];
  readonly text?: string;
}

export const LEVELS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'] as const;
export type Level = (typeof LEVELS)[number];

export const ORDER_RULES = ['any', 'interleaved', 'exact'] as const;
/**
 * `any`: an `in` step takes the first frame that matches, among those no step has taken. `exact`: it takes the next
 * one, which must match. `interleaved`: the next one of its stream. Streams: `user`, `control_request`,
 * `control_response`, all others.
 */
export type OrderRule = (typeof ORDER_RULES)[number];

export type Step = CliStep | DriverStep;

/** A step and its line (its position, from 1, when it was given in code). */
export interface PlacedStep<S extends Step = Step> {
  readonly step: S;
  readonly line: number;
}

/** What one process plays. */
export interface CliSection {
  /** `undefined` where the scenario has no `spawn` step: then every process plays this one section. */
  readonly spawn: PlacedStep<SpawnStep> | undefined;
  readonly steps: readonly PlacedStep<Exclude<CliStep, SpawnStep>>[];
}

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
 * Opens the section of the next process: the steps from here to the next `spawn` are what it plays. Checked before
 * anything is read or written.
 */
export interface SpawnStep {
  readonly spawn: SpawnExpectation;
}

export interface SpawnExpectation {
  /**
   * By flag: a string or number is its value, `true` a flag without a value, a list the values of a repeated flag or of
   * one comma-separated value, an object the value read as JSON. `"$absent"`: not given. Other names and spellings that
   * are the same to the CLI fit too.
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

/** A step that waits. */
export interface Timed {
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** Waits for a frame that has at least these fields, and captures variables from it. */
export interface InStep extends Expectation, Timed {}

/** Waits until all of these have come, in any order, whatever the header's `order` says. */
export interface InAnyStep extends Timed {
  /** A frame goes to the first one left that it matches. */
  readonly inAny: readonly Expectation[];
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

/** Notes that the play got here: a `reached` step of the driver lane may wait for it. */
export interface MarkStep {
  readonly mark: string;
}

/** Waits until an `open` step of the driver lane opens this gate. A gate that is open stays open. */
export interface GateStep extends Timed {
  readonly gate: string;
}

/** A step of the driver lane: done by the conformance runner, skipped by the player. */
export type DriverStep = DriveStep | ReplyStep | ObserveStep | CountStep | ReachedStep | OpenStep;

/** Sends a command to the driver and goes on at once. */
export interface DriveStep {
  readonly drive: DriveCommand;
  /** Names the command for a `reply` step. */
  readonly as?: string;
}

/** One command of the driver protocol, without its `id`. */
export type DriveCommand = JsonObject & {
  readonly command: DriveCommandName;
  /** The session that is meant. @defaultValue 'main' */
  readonly run?: string;
};

export const DRIVE_COMMANDS = [
  ...['start', 'send', 'end_input', 'call'],
  ...['pause', 'resume', 'break', 'close', 'abort', 'cue', 'sessions'],
] as const;
/** `finish` is not among them: the runner sends it by itself. */
export type DriveCommandName = (typeof DRIVE_COMMANDS)[number];

/** Waits for the reply of the command with this name. */
export interface ReplyStep extends Timed {
  readonly reply: string;
  /** What the result must match. */
  readonly result?: unknown;
  /** The command must fail, with an error that matches. Without it, it must not fail. */
  readonly failure?: JsonObject;
  /** It only has to be answered. @defaultValue false */
  readonly mayFail?: true;
}

export const OBSERVED_KINDS = ['message', 'callback', 'cancelled', 'stderr', 'end', 'error', 'over'] as const;
/** What a driver reports. `over` stands for `end` or `error`: the run ended in one way or the other. */
export type ObservedKind = (typeof OBSERVED_KINDS)[number];
export type ObservedPattern = JsonObject & { readonly what: ObservedKind };

/** Waits for the next event that matches, after the one matched last of the same kind and run. */
export interface ObserveStep extends Timed {
  readonly observe: ObservedPattern;
  /** @defaultValue 'main' */
  readonly run?: string;
  /** It has to come after the event that was matched last, whatever the kind and run of that. @defaultValue false */
  readonly next?: true;
}

/** So many events must match, in all. Judged when the scenario is over. */
export interface CountStep {
  readonly count: ObservedPattern;
  readonly is: number;
  /** @defaultValue 'main' */
  readonly run?: string;
}

/** Waits until a player has passed the `mark` step of this name. */
export interface ReachedStep extends Timed {
  readonly reached: string;
  /** The mark must not be passed for as long as `timeoutMs` says, which has to be given. */
  readonly not?: true;
}

/** Opens the gate that a `gate` step of the CLI lane waits for. */
export interface OpenStep {
  readonly open: string;
}

/** What came of one play; written as JSON where the launcher says. */
export interface Verdict {
  readonly scenario: string;
  /** Which process of the launcher it was, from 1. */
  readonly spawn: number;
  /** Every step was played, every expectation met, and no frame was left over that the header forbids. */
  readonly passed: boolean;
  /**
   * `running`: the play had nothing left to do but to wait, and was never heard of again; a process that was killed
   * with SIGKILL leaves this one.
   */
  readonly end: 'finished' | 'mismatch' | 'deadline' | 'signal' | 'error' | 'running';
  readonly exitCode: number;
  /** Of the top-level steps of this process. `spawn` is none of them. */
  readonly stepsPlayed: number;
  readonly stepsTotal: number;
  readonly failure?: VerdictFailure;
  /** Frames that no step took, in order. Control requests that were answered by themselves are not among them. */
  readonly unclaimed: readonly unknown[];
}

export interface VerdictFailure {
  readonly message: string;
  /** `file:line`, or `name:position` for steps given in code. */
  readonly where?: string;
  /** Line of the step in its file, or its position in the list. */
  readonly line?: number;
  readonly expected?: unknown;
  /** Stdin ended while the step waited for a frame. */
  readonly inputEnded?: true;
  /** The first place where the nearest frame differs from what was expected. */
  readonly difference?: Difference;
  /** The last frames that came, oldest first (20 at most). Long ones are cut. */
  readonly got: readonly unknown[];
}

/** The first place where a frame is not what a pattern says. */
export interface Difference {
  /** Inside the frame: `request.options[2].name`; empty for the frame itself. */
  readonly path: string;
  /** In words, such as `string "hi"`. */
  readonly expected: string;
  readonly found: string;
}
