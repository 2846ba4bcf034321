import { type ConformanceData, type Requirement, requireData } from '../data/conformance-data.js';
import { requireSuites, type ScenarioResult, type SuiteResult } from '../runner/results.js';
import { isMust, requirementStatus } from './requirement-status.js';

const STYLE =
  'body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}' +
  'table{border-collapse:collapse;width:100%}td,th{border:1px solid #8884;padding:.3rem .6rem;text-align:left;vertical-align:top}' +
  'th{position:sticky;top:0;background:Canvas}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}' +
  '.passed{background:#2a92}.failed{background:#d332;font-weight:600}.should{background:#d902}.unsupported,.untested{opacity:.6}' +
  ':root{color-scheme:light dark}';

/** One page without any other file: the matrix of requirements and drivers, each failure with its first difference. */
export function htmlReport(suites: readonly SuiteResult[], data: ConformanceData): string {
  requireSuites('htmlReport', suites);
  requireData('htmlReport', data);
  const columns = suites
    .map(({ name, hello }) => `<th>${escapeMarkup(name)}<br><small>${escapeMarkup(hello?.version ?? '')}</small></th>`)
    .join('');
  const levels = [...data.levels].map(([level, title]) => {
    const rows = data.requirements
      .filter((requirement) => requirement.level === level && requirement.party === 'host')
      .map((requirement) => row(requirement, suites))
      .join('\n');
    const head = `<tr><th>${level}</th><th>${escapeMarkup(title)}</th>${columns}</tr>`;
    return `<h2 id="${level}">${level} ${escapeMarkup(title)}</h2>\n<table>\n${head}\n${rows}\n</table>`;
  });
  return (
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>Conformance</title><style>${STYLE}</style></head><body>\n<h1>Conformance</h1>\n` +
    `<p>Data ${escapeMarkup(data.version)}. ${suites.map(summary).join(' ')} A SHOULD that failed is marked should.</p>\n${levels.join('\n')}\n</body></html>\n`
  );
}

function summary({ name, results }: SuiteResult): string {
  const passed = results.filter(({ status }) => status === 'passed').length;
  return `${escapeMarkup(name)}: ${passed} of ${results.length} scenarios passed.`;
}

function row(requirement: Requirement, suites: readonly SuiteResult[]): string {
  const { id, text } = requirement;
  const cells = suites.map((suite) => {
    const found = requirementStatus(suite, id);
    const status = found === 'failed' && !isMust(requirement) ? 'should' : found;
    const scenarios = suite.results.filter(({ requirements }) => requirements.includes(id));
    return `<td class="${status}">${status}${scenarios.map(detail).join('')}</td>`;
  });
  return `<tr id="${escapeMarkup(id)}"><td>${escapeMarkup(id)}</td><td>${escapeMarkup(text)}</td>${cells.join('')}</tr>`;
}

function detail({ scenario, status, details, reason }: ScenarioResult): string {
  const name = escapeMarkup(scenario);
  if (status === 'passed') return `<br><small>${name}</small>`;
  return `<details><summary>${name}: ${status.replace('_', ' ')}</summary><pre>${escapeMarkup(details ?? reason ?? '')}</pre></details>`;
}

/**
 * JUnit XML: a suite for each driver, a case for each scenario;
 * `unsupported` is `skipped`, a driver's fault an `error`.
 */
export function junitReport(suites: readonly SuiteResult[]): string {
  requireSuites('junitReport', suites);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.map(suiteXml).join('')}</testsuites>\n`;
}

function suiteXml({ name, results, ms }: SuiteResult): string {
  const count = (status: ScenarioResult['status']): number =>
    results.filter((result) => result.status === status).length;
  return (
    `  <testsuite name="${escapeMarkup(name)}" tests="${results.length}" failures="${count('failed')}" ` +
    `errors="${count('driver_error')}" skipped="${count('unsupported')}" time="${seconds(ms)}">\n` +
    `${results.map((result) => caseXml(name, result)).join('')}  </testsuite>\n`
  );
}

function caseXml(suite: string, { scenario, level, status, ms, reason, details }: ScenarioResult): string {
  const head = `    <testcase classname="${escapeMarkup(`${suite}.${level ?? 'all'}`)}" name="${escapeMarkup(scenario)}" time="${seconds(ms)}"`;
  if (status === 'passed') return `${head}/>\n`;
  const message = escapeMarkup(reason ?? status);
  if (status === 'unsupported') return `${head}><skipped message="${message}"/></testcase>\n`;
  const tag = status === 'failed' ? 'failure' : 'error';
  return `${head}><${tag} message="${message}">${escapeMarkup(details ?? '')}</${tag}></testcase>\n`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for XML and HTML, in elements and attributes. Characters that XML 1.0 cannot hold become U+FFFD. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu, (found) =>
      '\t\n\r'.includes(found) || (found >= '\u007f' && found <= '\u009f') ? found : '\ufffd',
    )
    .replaceAll(/[&<>"]/g, (found) => ENTITIES[found] ?? found);
}
