import { createHash } from 'node:crypto';
import { type ConformanceData, requireData } from '../data/conformance-data.js';
import { requireSuites, type SuiteResult } from '../runner/results.js';
import { escapeMarkup } from './escape-markup.js';
import { failures } from './page/failures.js';
import { grid } from './page/grid.js';
import { line } from './page/parts.js';
import { requirements } from './page/requirements.js';
import { SCRIPT } from './page/script.js';
import { STYLE } from './page/style.js';
import { shareOf } from './shares.js';

/**
 * One page without any other file. Its first screen says it all: SDKs, levels, shares, and the first cause of failure of
 * each. Then the failures by cause, then everything else, folded. Nothing but its own style and script may run.
 */
export function htmlReport(suites: readonly SuiteResult[], data: ConformanceData): string {
  requireSuites('htmlReport', suites);
  requireData('htmlReport', data);
  const policy = `default-src 'none'; style-src '${hash(STYLE)}'; script-src '${hash(SCRIPT)}'; base-uri 'none'; form-action 'none'`;
  const title = titleOf(suites);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">',
    `<title>${title}</title><style>${STYLE}</style></head><body>`,
    `<h1>${title}</h1>`,
    `<p class="dim">${facts(suites, data)}</p>`,
    incomplete(suites),
    grid(suites, data),
    FILTER,
    `<h2 id="failures">Failures</h2>\n${failures(suites, data)}`,
    `<h2 id="requirements">Requirements</h2>\n${requirements(suites, data)}`,
    `<script>${SCRIPT}</script></body></html>\n`,
  ].join('\n');
}

const FILTER =
  '<div class="filter" hidden><input id="filter" type="search" placeholder="Filter: a scenario, L3, L3-04, a word" ' +
  'aria-label="Filter failures and requirements"><span id="shown" class="dim small num" role="status"></span></div>';

function titleOf([first, ...others]: readonly SuiteResult[]): string {
  if (first === undefined) return 'Conformance';
  if (others.length > 0) return `Conformance of ${others.length + 1} SDKs`;
  const { name, hello } = first;
  return `Conformance of ${line(hello === undefined ? name : `${hello.sdk === 'none' ? name : hello.sdk} ${hello.version}`)}`;
}

function facts(suites: readonly SuiteResult[], { version, cliVersion }: ConformanceData): string {
  const [first] = suites;
  const { passed, failed } = shareOf(suites.flatMap(({ results }) => results));
  const only = suites.length === 1 ? first : undefined;
  return [
    ...(only === undefined
      ? []
      : [`driver ${line(only.name)}`, ...(only.hello === undefined ? [] : [line(only.hello.language)])]),
    ...(first?.date === undefined ? [] : [`${escapeMarkup(first.date.slice(0, 16).replace('T', ' '))} UTC`]),
    `data ${escapeMarkup(version)}`,
    ...(cliVersion === undefined ? [] : [`Claude Code ${escapeMarkup(cliVersion)}`]),
    `${passed} passed`,
    failed === 0 ? 'none failed' : `<a class="bad" href="#failures">${failed} failed</a>`,
  ].join(' · ');
}

function incomplete(suites: readonly SuiteResult[]): string {
  const cut = suites.filter(({ notRun }) => notRun !== undefined);
  if (cut.length === 0) return '';
  const reasons = [...new Set(cut.map(({ notRun }) => line(notRun?.reason ?? '')))].join('; ');
  const count = cut.reduce((sum, { notRun }) => sum + (notRun?.scenarios ?? 0), 0);
  const which = suites.length === 1 ? '' : ` in ${cut.length} of ${suites.length} runs`;
  return `<div class="banner"><b>Incomplete.</b> ${count} ${count === 1 ? 'scenario was' : 'scenarios were'} not run${which}: ${reasons}.</div>`;
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
