import type { Level } from '../../testing/scenario/scenario-types.js';

/**
 * `passed`: everything came as the scenario says. `failed`: the SDK did something else. `unsupported`: the SDK or
 * its driver has no way to do it. `driver_error`: the driver broke the protocol; nothing is known about the SDK.
 */
export type ScenarioStatus = 'passed' | 'failed' | 'unsupported' | 'driver_error';

/** What came of one scenario with one driver. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly level?: Level;
  readonly requirements: readonly string[];
  readonly status: ScenarioStatus;
  readonly ms: number;
  /** Of what is not `passed`: one line. */
  readonly reason?: string;
  /** Of what is `unsupported`: the features that the driver lacks, or what it answered. */
  readonly missing?: readonly string[];
  /** The first difference: expected, got, where, what came before. Several lines. */
  readonly details?: string;
  /** The folder of the run, where it was kept. */
  readonly kept?: string;
}

/** The scenario is not met: ends the run of it with this difference. */
export class ScenarioFailure extends Error {
  override name = 'ScenarioFailure';
  /** Further lines: what was expected, what came. */
  readonly details: string;

  constructor(message: string, details: readonly string[] = []) {
    super(message);
    this.details = details.map((line) => `\n  ${line}`).join('');
  }
}

/** The driver has no way to do a command. */
export class CommandUnsupported extends Error {
  override name = 'CommandUnsupported';
  /** What the driver answered. */
  readonly why: string;

  constructor(label: string, why: string) {
    super(`${label}: ${why}`);
    this.why = why;
  }
}
