import type { SessionCase } from '../../../helpers/session-case/session-case.js';
import type { LaunchCase } from '../../../query/launch/launch-case.js';

/** One thing that both packages are made to do. */
export type ParityCase = SessionParity | LaunchParity;

interface Common {
  /** `TS-001: defaults`: how reports and differences.ts name it. */
  readonly key: string;
  readonly ids: readonly string[];
  /** In the row: the difference that it is about. */
  readonly differs: string | undefined;
  /** Needs a process of its own: what it looks at happens once in a process, or depends on its environment. */
  readonly isFresh: boolean;
  /** Environment of that process, over the usual one. `undefined` leaves a variable out. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

export interface SessionParity extends Common {
  readonly kind: 'session';
  readonly row: SessionCase;
}

export interface LaunchParity extends Common {
  readonly kind: 'launch';
  readonly row: LaunchCase;
}

/** A session row that also says in what process it runs. */
export interface ParityRow extends SessionCase {
  readonly fresh?: boolean;
  readonly hostEnv?: Readonly<Record<string, string | undefined>>;
}

/** What a child tells of a case before it runs any. */
export interface CaseInfo {
  readonly key: string;
  readonly ids: readonly string[];
  readonly differs: string | undefined;
  readonly isFresh: boolean;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** What was seen of a case, as data. Fields hold what must be the same on both sides. */
export type Seen = Readonly<Record<string, unknown>>;

export interface CaseResult {
  readonly key: string;
  readonly seen: Seen;
  /** Where it is not what its row says. */
  readonly rowProblem: string | undefined;
  /** The row says these things, and would not have noticed if they were otherwise. */
  readonly unnoticed: readonly string[];
}
