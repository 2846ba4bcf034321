import type { ConformanceData, ScenarioEntry } from '../../data/conformance-data.js';
import { failureText, type ScenarioResult, type SuiteResult } from '../../runner/results.js';
import { type Cause, causesOf } from '../causes.js';
import { escapeMarkup } from '../escape-markup.js';
import { line, plural, text } from './parts.js';

const RECORDINGS = 'test/fixtures/recordings';

/** What each driver failed, by cause; then, folded, what it cannot be asked for and what it passed. */
export function failures(suites: readonly SuiteResult[], data: ConformanceData): string {
  const entries = new Map(data.scenarios.map((entry) => [entry.name, entry]));
  return suites.map((suite, index) => driver(suite, index, entries, suites.length > 1)).join('\n');
}

function driver(suite: SuiteResult, index: number, entries: Entries, isNamed: boolean): string {
  const { name, hello, results, fault, notRun } = suite;
  const about = hello === undefined ? '' : ` <span class="dim">${line(`${hello.sdk} ${hello.version}`)}</span>`;
  const heading = isNamed ? `<h3 id="s${index}">${line(name)}${about}</h3>` : '';
  const causes = causesOf(results);
  const groups = fault === undefined ? causes.map((cause, at) => group(cause, `s${index}-c${at}`, name, entries)) : [];
  const why =
    fault === undefined
      ? ''
      : `<div class="banner" id="s${index}-c0"><b>The driver could not be used.</b><pre>${text(fault)}</pre></div>`;
  const cut =
    notRun === undefined
      ? ''
      : `<p class="bad">${plural(notRun.scenarios, 'scenario')} not run: ${line(notRun.reason)}.</p>`;
  const none =
    results.some(({ status }) => status === 'passed') && causes.length === 0 ? '<p class="ok">No failure.</p>' : '';
  return `<section>${heading}${why}${cut}${none}\n${groups.join('\n')}\n${folded(results)}</section>`;
}

type Entries = ReadonlyMap<string, ScenarioEntry>;

function group({ text: reason, results }: Cause, id: string, driver: string, entries: Entries): string {
  const isOne = results.length === 1;
  const [first] = results;
  const tail = isOne ? ` <span class="dim small">${escapeMarkup(first.scenario)}</span>` : '';
  return (
    `<details class="group" id="${id}" data-group="open"><summary><span class="count num">${results.length}</span>` +
    `<span class="said">${line(reason)}</span>${tail}</summary><div class="in">\n` +
    `${results.map((result) => failure(result, driver, entries, isOne)).join('\n')}\n</div></details>`
  );
}

function failure(result: ScenarioResult, driver: string, entries: Entries, isOne: boolean): string {
  const { scenario, level, requirements, reason, kept, status, ms } = result;
  const entry = entries.get(scenario);
  const find = escapeMarkup(
    [driver, scenario, level, ...requirements, status, reason, entry?.about].join(' ').toLowerCase().slice(0, 2_000),
  );
  const links = requirements.map((id) => `<a href="#r-${escapeMarkup(id)}">${escapeMarkup(id)}</a>`).join('');
  const facts: readonly [string, string][] = [
    ['requirements', `<span class="tags">${links}</span>`],
    ...fact('scenario', entry === undefined ? undefined : `scenarios/${entry.level}/${scenario}.jsonl`),
    ...fact('recording', entry?.recording === undefined ? undefined : `${RECORDINGS}/${entry.recording}.ndjson`),
    ...fact('kept', kept),
    ['again', `<code>claudewire-conformance run --driver … --filter ${escapeMarkup(scenario)} --keep</code>`],
  ];
  const body =
    `${entry === undefined || entry.about === '' ? '' : `<p>${text(entry.about)}.</p>`}<pre>${text(failureText(result))}</pre>` +
    `<dl class="small">${facts.map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('')}</dl>`;
  if (isOne) return `<div data-find="${find}">${body}</div>`;
  return (
    `<details data-find="${find}"><summary><code>${escapeMarkup(scenario)}</code> ` +
    `<span class="dim small">${escapeMarkup(requirements.join(', '))} · ${ms} ms</span></summary><div class="in">${body}</div></details>`
  );
}

function fact(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, `<code>${text(value)}</code>`]];
}

function folded(results: readonly ScenarioResult[]): string {
  const of = (status: ScenarioResult['status']) => results.filter((result) => result.status === status);
  const [unsupported, passed] = [of('unsupported'), of('passed')];
  const lacks = new Map<string, string[]>();
  for (const { scenario, missing = ['?'] } of unsupported) {
    for (const what of missing) lacks.set(what, [...(lacks.get(what) ?? []), scenario]);
  }
  const rows = [...lacks]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(
      ([what, names]) =>
        `<dt>${line(what)} <b class="num">${names.length}</b></dt><dd class="dim">${names.map(escapeMarkup).join(', ')}</dd>`,
    );
  const tags = passed.map(({ scenario }) => `<span class="tag">${escapeMarkup(scenario)}</span>`).join('');
  return (
    (rows.length === 0
      ? ''
      : `<details><summary class="dim">${unsupported.length} unsupported, for these reasons</summary><dl class="in small">${rows.join('')}</dl></details>`) +
    (passed.length === 0
      ? ''
      : `<details><summary class="dim">${passed.length} passed</summary><div class="in dim">${tags}</div></details>`)
  );
}
