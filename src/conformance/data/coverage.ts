import type { ConformanceData } from './data-types.js';
import { requireData } from './require-data.js';

/**
 * Where the data is at odds with itself: a `host` requirement that no scenario shows, a scenario that names a
 * requirement which does not exist, an id or name that is used twice.
 */
export function coverageProblems(data: ConformanceData): readonly string[] {
  requireData('coverageProblems', data);
  const { requirements, scenarios } = data;
  const ids = requirements.map(({ id }) => id);
  const known = new Set(ids);
  const shown = new Set(scenarios.flatMap((scenario) => scenario.requirements));
  return [
    ...twice(ids).map((id) => `requirement ${id} is there twice`),
    ...twice(scenarios.map(({ name }) => name)).map((name) => `scenario ${name} is there twice`),
    ...scenarios.flatMap(({ name, requirements: named }) =>
      named
        .filter((id) => !known.has(id))
        .map((id) => `${name} names ${id}, which is no requirement`),
    ),
    ...requirements
      .filter(({ id, party }) => party === 'host' && !shown.has(id))
      .map(({ id }) => `no scenario shows ${id}`),
  ];
}

function twice(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
