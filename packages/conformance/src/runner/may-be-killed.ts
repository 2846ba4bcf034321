import type { Scenario } from 'claudewire/testing';

/** The driver's SDK has no way to close but to kill the CLI. */
const KILLS = 'close:kills';

/** Requirements about the end of stdin and of the process: there a kill is the failure. */
const ABOUT_THE_END = new Set(['L1-05', 'L2-03', 'L7-08', 'L7-09', 'L7-16', 'L7-33']);

/**
 * Whether a CLI that was killed in the scenario is no failure. An SDK that kills the CLI as soon as it has the result would
 * fail every scenario for that alone; what the scenario is about would stay unknown.
 */
export function mayBeKilled({ header }: Scenario, features: readonly string[]): boolean {
  return features.includes(KILLS) && !(header.requirements ?? []).some((id) => ABOUT_THE_END.has(id));
}
