import type { JsonObject } from '../../util/json.js';
import type { CliStep, SpawnStep } from './cli-steps.js';

export type * from './cli-steps.js';

/**
 * A script of what a CLI says and expects to hear, and of what a driver
 * does. @see docs/scenarios.md in the repository
 */
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
   * Answers to control requests that no step expects, by subtype, over the built-in ones.
   * `null`: that subtype is never answered.
   */
  readonly answers?: Readonly<Record<string, JsonObject | null>>;
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
 * `any`: an `in` step takes the first frame that matches, among those no step has taken.
 * `exact`: it takes the next one, which must match.
 * `interleaved`: the next one of its stream. Streams: `user`, `control_request`, `control_response`, all others.
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
  'start',
  'send',
  'end_input',
  'call',
  'pause',
  'resume',
  'break',
  'close',
  'abort',
  'cue',
  'sessions',
] as const;
/** `finish` is not among them: the runner sends it by itself. */
export type DriveCommandName = (typeof DRIVE_COMMANDS)[number];

/** Waits for the reply of the command with this name. */
export interface ReplyStep {
  readonly reply: string;
  /** What the result must match. */
  readonly result?: unknown;
  /** The command must fail, with an error that matches. Without it, it must not fail. */
  readonly failure?: JsonObject;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

export const OBSERVED_KINDS = ['message', 'callback', 'cancelled', 'stderr', 'end', 'error'] as const;
/** What a driver reports. */
export type ObservedKind = (typeof OBSERVED_KINDS)[number];
export type ObservedPattern = JsonObject & { readonly what: ObservedKind };

/** Waits for the next event that matches, after the one matched last of the same kind and run. */
export interface ObserveStep {
  readonly observe: ObservedPattern;
  /** @defaultValue 'main' */
  readonly run?: string;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
}

/** So many events must match, in all. Judged when the scenario is over. */
export interface CountStep {
  readonly count: ObservedPattern;
  readonly is: number;
  /** @defaultValue 'main' */
  readonly run?: string;
}

/** Waits until a player has passed the `mark` step of this name. */
export interface ReachedStep {
  readonly reached: string;
  /** The mark must not be passed for as long as `timeoutMs` says, which has to be given. */
  readonly not?: true;
  /** Milliseconds. `0`: no limit. @defaultValue the header's `stepTimeoutMs` */
  readonly timeoutMs?: number;
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
   * `running`: the play had nothing left to do but to wait, and was never heard of again; a process that
   * was killed with SIGKILL leaves this one.
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
