import type { JsonObject } from '../../util/json.js';
import type { CliStep, SpawnStep } from './cli-steps.js';
import type { DriverStep } from './driver-steps.js';

export type * from './cli-steps.js';
export type * from './driver-steps.js';
export type * from './verdict.js';

/** A script of what a CLI says and expects to hear, and of what a driver does. @see docs/scenarios.md in the repository */
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

/** A step and the line it stands on (its position, from 1, when it was given in code). */
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
