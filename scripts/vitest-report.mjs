import { readFileSync } from 'node:fs';

/**
 * Counts what a vitest run with `--reporter=json` reported.
 *
 * @param {string} file the JSON report
 * @param {number} status vitest's exit code
 * @returns {{ passed: number, failed: number, skipped: number }} A failure that no test carries (a crash, an
 * unhandled rejection, a missing report, no test at all) counts as one.
 */
export function countReport(file, status) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    count.passed = report.numPassedTests;
    count.skipped = report.numPendingTests + report.numTodoTests;
    count.failed = report.numFailedTests + report.testResults.filter(didNotStart).length;
  } catch (error) {
    console.error(`no report: ${error.message}`);
  }
  if (count.failed === 0 && (status !== 0 || count.passed === 0)) count.failed = 1;
  return count;
}

/** A file that failed before any of its tests did. */
function didNotStart({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}
