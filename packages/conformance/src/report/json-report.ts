import { type ConformanceData, requireData } from '../data/conformance-data.js';
import { requireSuites, type SuiteResult } from '../runner/results.js';
import { causesOf } from './causes.js';
import { requirementStatus } from './requirement-status.js';

/** Everything a program may want to know of a run; `format` counts up when a field changes its meaning. */
export function jsonReport(suites: readonly SuiteResult[], data: ConformanceData): string {
  requireSuites('jsonReport', suites);
  requireData('jsonReport', data);
  const report = {
    format: 1,
    date: suites[0]?.date ?? null,
    /** False when a run was cut short: what is here is true, and not all. */
    complete: suites.every(({ notRun }) => notRun === undefined),
    data: { version: data.version, cli: data.cliVersion ?? null },
    drivers: suites.map((suite) => {
      const { name, hello, results, ms, fault, notRun, date } = suite;
      return {
        name,
        sdk: hello?.sdk ?? null,
        version: hello?.version ?? null,
        language: hello?.language ?? null,
        features: hello?.features ?? [],
        date: date ?? null,
        ms,
        ...(fault === undefined ? {} : { fault }),
        ...(notRun === undefined ? {} : { notRun }),
        causes: causesOf(results).map(({ text, status, results: failed }) => ({
          reason: text,
          status,
          scenarios: failed.map(({ scenario }) => scenario),
        })),
        requirements: Object.fromEntries(
          data.requirements.filter(({ party }) => party === 'host').map(({ id }) => [id, requirementStatus(suite, id)]),
        ),
        scenarios: results,
      };
    }),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
