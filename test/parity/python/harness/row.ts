import type { Allowed } from './whole.js';

/**
 * What a row of the Python checklist is, as data. A row (`PY-001`) is one observable behaviour; its looks show it in
 * both SDKs. A program is run once on each side, however many looks use it.
 */

/** `before` is the older of the two releases of the Python SDK, `official` the official TypeScript SDK. */
export type Side = 'python' | 'before' | 'ours' | 'official';

/** Data that can be compared: what JSON can say. A key without a value is no key. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Why a difference is meant: ours is safer, Python's is one of its defects, or the two official SDKs disagree and ours
 * is the TypeScript one's (which is what this package replaces).
 */
export type Reason = 'safety' | 'python-defect' | 'official-ts';

/** One difference that is meant. One that is listed and not there fails, as does one that is there and not listed. */
export interface Difference {
  /** Path of what differs, as in `Look.at`; what is below it may differ too. */
  readonly at: string;
  readonly reason: Reason;
  /** The defect (`D1`), the row of the TypeScript checklist (`TS-062`), or the entry of docs/evidence/differences.md (`D-62`). */
  readonly cites: string;
  /** One sentence: what ours does instead, and why. */
  readonly why: string;
  /** What ours shows there, as a pattern, where no pattern of the look says it: it could be anything else. */
  readonly shows?: Json;
}

export function differs(reason: Reason, cites: string, at: string, why: string, shows?: Json): Difference {
  return { at, reason, cites, why, ...(shows === undefined ? {} : { shows }) };
}

/** One look at what both sides did in one program. */
export interface Look<Program> {
  /** Says what is looked at, when the row's own sentence is not enough. */
  readonly name?: string;
  readonly program: Program;
  /**
   * Paths of the observation that are compared: keys and list places with `/` between them (`flags/--tools`,
   * `frames/0`). Only what both have not, or both have alike, is equal. Default: nothing is compared (only patterns).
   */
  readonly at?: readonly string[];
  /**
   * What both sides must show (see `pattern.ts`: objects by the keys that are named, `'$any'`, `'$absent'`,
   * `'/…/'` as a regular expression). It ties the comparison to the row: two sides that both do nothing are not equal.
   */
  readonly both?: Json;
  /** The same for one side: where they differ, each must show its own behaviour. */
  readonly python?: Json;
  readonly ours?: Json;
  readonly differs?: readonly Difference[];
  /** Where the older release shows something else: these take the place of the fields of the same names. */
  readonly before?: Pick<Look<Program>, 'at' | 'both' | 'python' | 'ours' | 'differs'>;
}

/** A row that has no meaning outside Python, or nothing that a program can show. */
export interface NotApplicable {
  readonly id: string;
  readonly what: string;
  readonly notApplicable: string;
}

export interface ShownRow<Program> {
  readonly id: string;
  /** The behaviour, in one sentence. */
  readonly what: string;
  readonly looks: readonly Look<Program>[];
  /** The older release has nothing of the kind: it is not run. */
  readonly isNew?: true;
}

/** `equal` when no look lists a difference, else `different`. */
export type Row<Program> = NotApplicable | ShownRow<Program>;

export type RowVerdict = 'equal' | 'different' | 'not-applicable';

/** What one side showed at the paths of a look, short enough to print. */
export interface LookEvidence {
  readonly name: string;
  /** The program's name. */
  readonly program: string;
  readonly python: Json;
  readonly ours: Json;
  /** The differences that are meant, with what was seen there. */
  readonly differences: readonly (Difference & {
    readonly python: Json;
    readonly ours: Json;
    /** The official TypeScript SDK showed the same as ours; missing where it cannot run the program. */
    readonly isOfficial?: boolean;
  })[];
}

/** What a run says about one row. Goes into `.build/parity-python.json`. */
export interface RowEvidence {
  readonly id: string;
  readonly what: string;
  readonly verdict: RowVerdict;
  /** `process`: both SDKs were run beside a scripted CLI. `pure`: the same call was made in both. */
  readonly kind: 'process' | 'pure' | 'none';
  /** For `not-applicable`. */
  readonly notApplicable?: string;
  readonly looks: readonly LookEvidence[];
  /** None: the row is as it says. Otherwise it fails. */
  readonly problems: readonly string[];
  /** The same with the older release; missing where that has nothing of the kind. */
  readonly before?: { readonly verdict: RowVerdict; readonly looks: readonly LookEvidence[] };
  /** Compared places where the two releases do not show the same. */
  readonly moved: readonly Moved[];
}

export interface Moved {
  /** The compared path. */
  readonly at: string;
  /** The first place below it that is not the same, with what was seen there, and how many more there are. */
  readonly first: string;
  readonly others: number;
  readonly before: Json;
  readonly python: Json;
}

/** The whole run: `.build/parity-python.json`. */
export interface Evidence {
  readonly versions: {
    readonly python: string;
    readonly claudeAgentSdk: string;
    /** The older release. */
    readonly before: string;
    /** The official TypeScript SDK. */
    readonly official: string;
    readonly mcp: string;
    readonly claudewire: string;
    readonly node: string;
  };
  readonly rows: readonly RowEvidence[];
  /** The whole observations of the process programs, compared. */
  readonly whole: {
    readonly programs: number;
    readonly allowed: readonly Allowed[];
    /** Kinds of places where the observations of the two releases differ. */
    readonly moved: readonly Allowed[];
    readonly problems: readonly string[];
  };
}
