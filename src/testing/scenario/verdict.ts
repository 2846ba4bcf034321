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
