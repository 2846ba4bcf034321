import { isFailure, type ScenarioResult, type SuiteResult } from '../../runner/results.js';
import { causesOf } from '../causes.js';
import { escapeMarkup } from '../escape-markup.js';
import type { Share } from '../shares.js';

/** Longer texts are in the JSON report. */
const MAX_TEXT = 20_000;
const MAX_LINE = 220;

/** Text of any length, escaped. */
export function text(value: string): string {
  const cut = value.length <= MAX_TEXT ? value : `${value.slice(0, MAX_TEXT)}… (${value.length} characters)`;
  return escapeMarkup(cut);
}

/** Text that must fit into a line or two, escaped. */
export function line(value: string): string {
  return escapeMarkup(value.length <= MAX_LINE ? value : `${value.slice(0, MAX_LINE)}…`);
}

/** Passed, failed and unsupported as parts of one bar. Attributes, as the page allows no inline style. */
export function bar(share: Share): string {
  const { passed, failed, unsupported, all } = share;
  let x = 0;
  const parts = (
    [
      ['p', passed],
      ['f', failed],
      ['u', unsupported],
    ] as const
  ).map(([kind, count]) => {
    const width = all === 0 ? 0 : (count / all) * 100;
    const part = `<rect class="${kind}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="10"/>`;
    x += width;
    return width === 0 ? '' : part;
  });
  const label = `${passed} passed, ${failed} failed, ${unsupported} unsupported`;
  return `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title>${parts.join('')}</svg>`;
}

/** Where the failures of a driver for one reason are. */
export function causeId(suite: number, text: string, { results }: SuiteResult): string {
  return `s${suite}-c${causesOf(results).findIndex((cause) => cause.text === text)}`;
}

/** The most frequent cause among some results of a driver, as a link to all of it. */
export function firstCauseLink(index: number, suite: SuiteResult, among: readonly ScenarioResult[]): string {
  const failed = among.filter(isFailure).length;
  if (failed === 0) return '';
  const [cause] = causesOf(among);
  if (cause === undefined) return '';
  const { length } = cause.results;
  const share = length === failed ? (failed === 1 ? '' : `all ${failed}: `) : `${length} of ${failed}: `;
  return `${share}<a class="said" href="#${causeId(index, cause.text, suite)}">${line(cause.text)}</a>`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
