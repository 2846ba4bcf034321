import { invalidArgument, requireObject } from '../../errors/invalid-option.js';
import type { ScenarioEntry } from '../data/data-types.js';

export interface Selection {
  /** Each a name, a part of one, a level (`L3`) or a requirement (`L3-04`). Empty: everything. */
  readonly filters?: readonly string[];
  readonly levels?: readonly string[];
}

/** The scenarios that fit one of the filters and one of the levels. */
export function selectScenarios(
  scenarios: readonly ScenarioEntry[],
  selection: Selection,
): readonly ScenarioEntry[] {
  if (!Array.isArray(scenarios)) {
    const cure = 'Pass the `scenarios` of what loadData() gives.';
    throw invalidArgument(
      'scenarios',
      'selectScenarios() takes an array of scenarios',
      scenarios,
      cure,
    );
  }
  const takes = 'selectScenarios() takes an object as its second argument';
  requireObject('selection', takes, selection, 'Pass one such as `{ levels: ["L1"] }`.');
  const { filters = [], levels = [] } = selection;
  return scenarios.filter(
    (entry) =>
      (levels.length === 0 || levels.includes(entry.level)) &&
      (filters.length === 0 || filters.some((filter) => fits(entry, filter))),
  );
}

function fits({ name, level, requirements }: ScenarioEntry, filter: string): boolean {
  return level === filter || requirements.includes(filter) || name.includes(filter);
}
