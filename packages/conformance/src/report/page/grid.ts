import type { Level } from 'claudewire/testing';
import type { ConformanceData } from '../../data/conformance-data.js';
import type { DriverHello } from '../../driver/driver-protocol.js';
import type { SuiteResult } from '../../runner/results.js';
import { escapeMarkup } from '../escape-markup.js';
import { percent, shareOf } from '../shares.js';
import { bar, firstCauseLink, line } from './parts.js';

/** The first screen: how much of each level passed, and the first cause of what did not. */
export function grid(suites: readonly SuiteResult[], data: ConformanceData): string {
  const ran = new Set(suites.flatMap(({ results }) => results.map(({ level }) => level)));
  const levels = [...data.levels].filter(([level]) => ran.has(level));
  const [only, ...others] = suites;
  const table = only !== undefined && others.length === 0 ? oneDriver(only, levels) : manyDrivers(suites, levels);
  return `${table}\n${LEGEND}`;
}

type Levels = readonly (readonly [Level, string])[];

/** Levels down: there is room for their titles, and for a cause each. */
function oneDriver(suite: SuiteResult, levels: Levels): string {
  const row = (name: string, title: string, results: SuiteResult['results']): string => {
    const share = shareOf(results);
    const { passed, failed, unsupported } = share;
    const stat = (value: number | string, kind: string): string => `<td class="stat num ${kind}">${value}</td>`;
    return (
      `<tr${name === 'All' ? ' class="all"' : ''}><th scope="row">${name} <span class="dim">${escapeMarkup(title)}</span></th><td class="wide">${bar(share)}</td>` +
      stat(`<b>${percent(share)}</b>`, 'share') +
      stat(passed, '') +
      stat(failed, failed > 0 ? 'bad' : 'dim') +
      stat(unsupported, 'dim') +
      `<td class="cause">${name === 'All' ? '' : firstCauseLink(0, suite, results)}</td></tr>`
    );
  };
  const rows = levels.map(([level, title]) =>
    row(
      level,
      title,
      suite.results.filter((result) => result.level === level),
    ),
  );
  const head = ['level', '', 'share', 'passed', 'failed', 'unsupported', 'first cause of failure'];
  return `<table class="grid one"><thead><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead><tbody>\n${row('All', '', suite.results)}\n${rows.join('\n')}\n</tbody></table>`;
}

/** Drivers down, levels across. */
function manyDrivers(suites: readonly SuiteResult[], levels: Levels): string {
  const head = levels.map(
    ([level, title]) => `<th title="${escapeMarkup(title)}">${level}<span class="dim">${shortTitle(title)}</span></th>`,
  );
  const rows = suites.map((suite, index) => {
    const { name, hello, results, notRun } = suite;
    const about =
      hello === undefined ? 'never started' : [sdkOf(hello), hello.version, hello.language].join(' ').trim();
    const cells = levels.map(([level]) =>
      cell(
        level,
        results.filter((result) => result.level === level),
      ),
    );
    const incomplete = notRun === undefined ? '' : '<span class="bad small">incomplete</span>';
    return (
      `<tr><th scope="row"><a href="#s${index}">${line(name)}</a><span class="dim small">${line(about)}</span>${incomplete}</th>` +
      `${cell('all', results)}${cells.join('')}<td class="cause"><span class="clamp">${firstCauseLink(index, suite, results)}</span></td></tr>`
    );
  });
  return `<div class="scroll"><table class="grid many"><thead><tr><th>SDK</th><th>all</th>${head.join('')}<th>first cause of failure</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

function cell(label: string, results: SuiteResult['results']): string {
  const share = shareOf(results);
  const { failed, all } = share;
  const below = failed > 0 ? `<span class="small bad">${failed} failed</span>` : '';
  const content = all === 0 ? '<span class="dim">–</span>' : `<b>${percent(share)}</b>${bar(share)}${below}`;
  return `<td class="cell num" data-l="${escapeMarkup(label)}">${content}</td>`;
}

/** A driver that speaks the protocol by itself has none. */
function sdkOf({ sdk }: DriverHello): string {
  return sdk === 'none' ? '' : sdk;
}

/** `Streaming and multi-turn` is too wide for a column. */
function shortTitle(title: string): string {
  return escapeMarkup(title.split(/ and | /, 1).join());
}

const swatch = (kind: string, label: string): string =>
  `<span><svg viewBox="0 0 10 10"><rect class="${kind}" width="10" height="10"/></svg>${label}</span>`;

const LEGEND = `<p class="legend small dim">${swatch('p', 'passed')}${swatch('f', 'failed')}${swatch('u', 'unsupported: the driver lacks a feature')}<span>The share is of all three. Other ways of doing a thing, and limits that an SDK need not have, are left out.</span></p>`;
