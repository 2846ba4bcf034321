import type { AreaResult, PlacedDifference } from './compare-programs.js';
import { type ComparedProgram, type Comparison, neverStarted, outcomeOf } from './comparison.js';

const SHOWN = 160;
const LINES_OF_ERROR = 6;
const DIFFERENCES_PAGE = 'docs/evidence/differences.md';

/** The comparison for a person. */
export function comparisonText(comparison: Comparison): string {
  const { left, right, title, areas } = comparison;
  const lines = [`${called(left)} and ${called(right)}: ${title}`, ''];
  for (const side of [left, right]) lines.push(...troubles(side, comparison));
  for (const area of areas) lines.push(...areaLines(area, comparison));
  lines.push('', conclusion(comparison));
  return `${lines.join('\n')}\n`;
}

/** The comparison as one JSON object, with all differences. */
export function comparisonJson(comparison: Comparison): string {
  const { left, right, title, areas, hider } = comparison;
  const side = ({ runner, observation, isLate, problems }: ComparedProgram) => ({
    file: runner.file,
    runtime: runner.runtime,
    starts: observation.processes.length,
    timedOut: isLate,
    problems: problems.map((each) => hider.text(each)),
    error: hider.hide(observation.error, []),
  });
  const plain = (found: PlacedDifference) => {
    const shown = shownOf(found, comparison);
    const { known, process } = found;
    return {
      place: found.path.map((each) => hider.text(each)),
      ...(process === undefined ? {} : { process }),
      // JSON has no `undefined`: a side without the key has nothing there.
      left: shown.left,
      right: shown.right,
      ...(known === undefined ? {} : { known: { id: known.id, why: known.why } }),
    };
  };
  const report = {
    outcome: outcomeOf(comparison),
    played: title,
    left: side(left),
    right: side(right),
    areas: Object.fromEntries(
      areas.map(({ area, differences, byDesign }) => [
        area,
        { differences: differences.map(plain), byDesign: byDesign.map(plain) },
      ]),
    ),
  };
  return `${JSON.stringify(report)}\n`;
}

const called = ({ runner }: ComparedProgram): string => `${runner.name} (${runner.runtime})`;

/** What keeps a program from being compared to the end. */
function troubles(side: ComparedProgram, { hider }: Comparison): readonly string[] {
  const { runner, observation, isLate, problems } = side;
  const lines: string[] = [];
  if (neverStarted(side)) {
    lines.push(`${runner.name} never started the CLI.`, ...errorLines(side).map((line) => hider.text(line)));
    lines.push('  If it should have, hand it the player:', ...pathOption(side).map((line) => `    ${line}`));
  }
  if (isLate) lines.push(`${runner.name} ${observation.error.end}, and was ended.`);
  for (const problem of problems) lines.push(`${runner.name} left the scenario: ${indented(hider.text(problem))}`);
  return lines.length === 0 ? [] : [...lines, ''];
}

function errorLines({ observation: { error } }: ComparedProgram): readonly string[] {
  const { class: name, text, end, 'last line of stderr': last } = error;
  const said = name === undefined ? last : `${name}: ${text}`;
  return [`  It ended with ${end}${said === undefined ? '' : `: ${clipped(String(said))}`}`];
}

function pathOption({ runner: { language } }: ComparedProgram): readonly string[] {
  if (language === 'python') return ['cli_path=os.environ.get("CLAUDEWIRE_COMPARE_CLI")'];
  return [
    'pathToClaudeCodeExecutable: process.env.CLAUDEWIRE_COMPARE_CLI',
    '(`env` replaces the environment: begin it with ...process.env)',
  ];
}

function areaLines({ area, differences, byDesign }: AreaResult, comparison: Comparison): readonly string[] {
  const [first] = differences;
  const lines = [`${area}: ${summary(area, differences.length, comparison)}`];
  if (first !== undefined) lines.push(...differenceLines(first, area, comparison));
  const reasons = new Map<string, string[]>();
  for (const { known, path } of byDesign) {
    if (known === undefined) continue;
    const reason = `${known.why} (${known.id})`;
    reasons.set(reason, [...new Set([...(reasons.get(reason) ?? []), placeOf(path)])]);
  }
  for (const [reason, places] of reasons) lines.push(`  by design: ${places.join(', ')}: ${reason}`);
  return lines;
}

function summary(area: AreaResult['area'], count: number, { left, right }: Comparison): string {
  if (count > 0) return count === 1 ? '1 difference' : `${count} differences, the first one:`;
  const isOfProcess = area !== 'messages' && area !== 'errors';
  return isOfProcess && [left, right].some(neverStarted) ? 'not compared' : 'same';
}

function differenceLines(found: PlacedDifference, area: AreaResult['area'], comparison: Comparison): readonly string[] {
  const { left, right, hider } = comparison;
  const shown = shownOf(found, comparison);
  const width = Math.max(left.runner.name.length, right.runner.name.length);
  const isOneOfSeveral = Math.max(left.observation.processes.length, right.observation.processes.length) > 1;
  const process = found.process !== undefined && isOneOfSeveral ? ` (start ${found.process} of the CLI)` : '';
  const start = firstOtherCharacter(shown.left, shown.right);
  const place = area === 'messages' ? lineOf(found.path) : placeOf(found.path);
  return [
    `  ${hider.text(place)}${process}`,
    `    ${left.runner.name.padEnd(width)}  ${show(shown.left, start)}`,
    `    ${right.runner.name.padEnd(width)}  ${show(shown.right, start)}`,
    ...(found.known === undefined ? [] : [`    ${found.known.why} (${found.known.id})`]),
  ];
}

interface Shown {
  readonly left: unknown;
  readonly right: unknown;
}

function shownOf({ path, left, right }: PlacedDifference, { hider }: Comparison): Shown {
  const hide = (value: unknown): unknown => hider.hide(value, path);
  return { left: hide(left), right: hide(right) };
}

function placeOf(path: readonly string[]): string {
  return path.join(' > ');
}

function lineOf([line, ...rest]: readonly string[]): string {
  return [`line ${line} of stdout`, ...rest].join(' > ');
}

/** Where two long texts begin to differ, with some of what is before. */
function firstOtherCharacter(left: unknown, right: unknown): number {
  if (typeof left !== 'string' || typeof right !== 'string') return 0;
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return Math.max(0, at - SHOWN / 4);
}

/** On one line, with control characters escaped: a program may write anything. */
function show(value: unknown, start: number): string {
  if (value === undefined) return 'nothing';
  if (typeof value !== 'string') return clipped(escapedText(JSON.stringify(value)));
  const from = value.length <= SHOWN ? 0 : start;
  return `${from > 0 ? '…' : ''}${clipped(escapedText(JSON.stringify(value.slice(from, from + 2 * SHOWN))))}`;
}

/** `JSON.stringify` leaves DEL, the C1 controls and marks of direction as they are. */
function escapedText(text: string): string {
  return text.replace(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function clipped(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}

function indented(text: string): string {
  const lines = text.split('\n');
  const more = lines.length > LINES_OF_ERROR ? ['  …'] : [];
  return [...lines.slice(0, LINES_OF_ERROR).map((line) => clipped(escapedText(line))), ...more].join('\n  ');
}

function conclusion(comparison: Comparison): string {
  const { left, right, areas } = comparison;
  const designed = areas.some(({ byDesign }) => byDesign.length > 0);
  const see = designed ? ` What differs by design is explained in ${DIFFERENCES_PAGE}.` : '';
  const outcome = outcomeOf(comparison);
  if (outcome === 'different') {
    const where = areas.filter(({ differences }) => differences.length > 0).map(({ area }) => area);
    return `different: ${where.join(', ')}.${see}`;
  }
  if (outcome === 'same') return `same.${see}`;
  return [left, right].every(neverStarted)
    ? 'not compared: neither program started the CLI.'
    : `not compared to the end, and no difference until there.${see}`;
}
