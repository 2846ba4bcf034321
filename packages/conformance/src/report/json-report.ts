import { type ConformanceData, requireData } from '../data/conformance-data.js';
import { requireSuites, type SuiteResult } from '../runner/results.js';
import { requirementStatus } from './requirement-status.js';

/** Everything a program may want to know of a run; `format` counts up when a field changes its meaning. */
export function jsonReport(suites: readonly SuiteResult[], data: ConformanceData): string {
  requireSuites('jsonReport', suites);
  requireData('jsonReport', data);
  const report = {
    format: 1,
    data: { version: data.version },
    drivers: suites.map((suite) => {
      const { name, hello, results, ms } = suite;
      return {
        name,
        sdk: hello?.sdk ?? null,
        version: hello?.version ?? null,
        language: hello?.language ?? null,
        ms,
        requirements: Object.fromEntries(
          data.requirements.filter(({ party }) => party === 'host').map(({ id }) => [id, requirementStatus(suite, id)]),
        ),
        scenarios: results,
      };
    }),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
