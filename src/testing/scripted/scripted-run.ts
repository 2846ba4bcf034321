import type { JsonObject } from '../../util/json.js';
import type { Verdict } from '../scenario/scenario-types.js';

/** What one process of a scripted CLI saw. */
export interface ScriptedRun {
  /** Counts the processes of this scripted CLI, from 1. */
  readonly spawn: number;
  /** `undefined` in process. */
  readonly pid: number | undefined;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What came on stdin, in order; lines that are no JSON object are not among them. */
  readonly frames: readonly JsonObject[];
  readonly signals: readonly string[];
  /** The application ended the input. */
  readonly sawEndOfInput: boolean;
  /** `undefined` while it runs, and after a signal. */
  readonly exitCode: number | undefined;
  /** `undefined` while it runs, and when it was killed. */
  readonly verdict: Verdict | undefined;
}
