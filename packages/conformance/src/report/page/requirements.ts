import type { ConformanceData, Requirement } from '../../data/conformance-data.js';
import type { SuiteResult } from '../../runner/results.js';
import { escapeMarkup } from '../escape-markup.js';
import { isMust, type RequirementStatus, requirementStatus } from '../requirement-status.js';
import { line } from './parts.js';

/** Every requirement and what came of it, a level each, folded. */
export function requirements(suites: readonly SuiteResult[], data: ConformanceData): string {
  return [...data.levels]
    .map(([level, title]) => {
      const own = data.requirements.filter((each) => each.level === level && each.party === 'host');
      if (own.length === 0) return '';
      const failed = own.filter(({ id }) => suites.some((suite) => requirementStatus(suite, id) === 'failed')).length;
      const note = failed === 0 ? '' : ` <span class="bad small">${failed} failed</span>`;
      const columns = suites.map(({ name }) => `<th>${line(name)}</th>`).join('');
      return (
        `<details data-group="open" id="${level}"><summary>${level} ${escapeMarkup(title)} <span class="dim small">${own.length}</span>${note}</summary>` +
        `<div class="in scroll"><table class="reqs"><thead><tr><th>id</th><th>requirement</th>${columns}</tr></thead><tbody>\n` +
        `${own.map((each) => row(each, suites)).join('\n')}\n</tbody></table></div></details>`
      );
    })
    .join('\n');
}

function row(requirement: Requirement, suites: readonly SuiteResult[]): string {
  const { id, text, source } = requirement;
  const cells = suites.map((suite) => mark(requirementStatus(suite, id), isMust(requirement)));
  const from = source.length === 0 ? '' : `<br><span class="dim small">${escapeMarkup(source.join(', '))}</span>`;
  const find = escapeMarkup(`${id} ${text}`.toLowerCase());
  return `<tr id="r-${escapeMarkup(id)}" data-find="${find}"><td>${escapeMarkup(id)}</td><td class="text">${escapeMarkup(text)}${from}</td>${cells.join('')}</tr>`;
}

const MARKS: Readonly<Record<RequirementStatus, readonly [string, string]>> = {
  passed: ['passed', 'ok'],
  failed: ['failed', 'bad'],
  unsupported: ['n/a', 'dim'],
  untested: ['–', 'dim'],
};

/** A SHOULD that failed is advice. */
function mark(status: RequirementStatus, must: boolean): string {
  const [word, kind] = status === 'failed' && !must ? ['should', 'warn'] : MARKS[status];
  return `<td class="${kind}">${word}</td>`;
}
