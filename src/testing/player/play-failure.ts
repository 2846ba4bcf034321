import type { Difference, Verdict } from '../scenario/scenario-types.js';

/** The play cannot go on: ends it with exit code 3. */
export class PlayFailure extends Error {
  override name = 'PlayFailure';
  readonly end: Verdict['end'];
  readonly expected: unknown;
  /** How the nearest frame differs. */
  readonly difference: Difference | undefined;

  /** It waited for a frame when stdin ended. */
  inputEnded = false;

  constructor(end: Verdict['end'], message: string, expected?: unknown, difference?: Difference) {
    super(message);
    this.end = end;
    this.expected = expected;
    this.difference = difference;
  }
}
