/**
 * Makes `docs/evidence/parity-python.md` from the evidence of the parity stage.
 *
 *   node scripts/parity-python-doc.mjs [--check] [--evidence FILE]
 *
 * FILE (`.build/parity-python.json`) is what `scripts/parity-python.mjs` wrote. `--check` writes nothing and exits with 1 when the
 * page is another one; the stage does the same.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
export const PAGE = join(root, 'docs', 'evidence', 'parity-python.md');

/** Parts of the checklist, by the number of their last row. */
const SECTIONS = [
  [102, 'Transport'],
  [160, 'Control requests'],
  [198, 'In-process MCP'],
  [214, 'Hooks'],
  [231, 'Permissions'],
  [256, 'Parser'],
  [275, 'Client'],
  [321, 'Sessions and stores'],
  [337, 'Errors'],
  [367, 'What the newer release has, and time-outs'],
  [Number.POSITIVE_INFINITY, 'Defects of the Python SDK'],
];
const REASONS = {
  safety: 'safety',
  'python-defect': 'defect of the Python SDK',
  'official-ts': 'as the TypeScript SDK',
  view: 'another view of what is listed or compared',
  own: 'our own class, text or name',
};
/** Whether the TypeScript SDK showed it too, where it could run the program. */
const SEEN = { true: ' (seen)', false: ' (in part)' };
const SHOWN_CHARS = 90;

/** The page. Nothing in it depends on the machine: the same evidence is the same text. */
export function pageOf({ versions, rows, whole }) {
  const count = (verdict) => rows.filter((row) => row.verdict === verdict).length;
  const countBefore = (verdict) => rows.filter((row) => verdictBefore(row) === verdict).length;
  const listed = rows.flatMap(differencesOf);
  const because = (reason) => listed.filter((one) => one.reason === reason).length;
  const resting = (...reasons) =>
    rows.filter((row) => {
      const own = differencesOf(row);
      return own.length > 0 && own.every(({ reason }) => reasons.includes(reason));
    }).length;
  const third = rows.filter((row) => differencesOf(row).some(({ reason }) => reason === 'official-ts')).length;
  const parts = SECTIONS.map(([, name], at) => [name, rows.filter(({ id }) => sectionOf(id) === at)]).filter(
    ([, own]) => own.length > 0,
  );
  const { claudeAgentSdk: newest, before } = versions;
  const moved = rows.flatMap(({ id, moved: places }) => places.map((place) => ({ id, ...place })));
  return `# Parity with the Python SDK

What this package does beside the official Python SDK, row by row. The page is made from a run of both
(\`npm run parity:python\`): every row is a program that is run with two releases of \`claude-agent-sdk\`, ${newest} and
${before} (\`mcp\` ${versions.mcp}), and with this package ${versions.claudewire}, and what they show is compared. Where it does not
say which, ${newest} is meant, which bundles the same CLI as the TypeScript SDK that is compared.

A row is **equal**, **different** where that is meant, or **not applicable** where it is a matter of the Python language
or no program can show it; **new** is what ${before} does not have. A difference is meant for one of two reasons: it is safer
here, or it is a defect of the Python SDK that is not copied. ${resting('safety', 'python-defect')} of the ${count('different')} rows that differ rest on these two alone. The other ${third} rest, wholly or in
part, on a third reason: **the two official SDKs disagree, and this package, a drop-in for the TypeScript one, does what that one
does**. *Cites* names the defect (D1 to D17, at the end of the page), the row of the TypeScript checklist (TS-…), of this page
(PY-…) or the entry of [differences](differences.md) (D-…) it rests on.

What is checked, and fails in CI otherwise:

- The paths a row names are the same in both, or listed as different and seen to be so; each side shows what the row says.
- A program that runs both SDKs beside a scripted CLI starts a process, plays its script to the end and misses no step, unless
  the row says otherwise of that side.
- The whole observations of the ${whole.programs} such programs are compared too (argv, environment, frames, answers, messages, callbacks,
  errors, exit). What differs and no row of the program lists must be on [the list at the end](#differences-outside-the-rows).
  \`pure\` rows are compared at the paths they name only, and so are environment variables other than \`CLAUDE*\` and \`PWD\`.
- All of that with each release, and between the releases: what moved is said by the row, or is on
  [a list of its own](#what-moved-outside-the-rows).
- This page is what the run shows.

| rows | ${newest} | ${before} |
| --- | ---: | ---: |
| equal | ${count('equal')} | ${countBefore('equal')} |
| different, as listed | ${count('different')} | ${countBefore('different')} |
| not applicable | ${count('not-applicable')} | ${countBefore('not-applicable')} |
| new | | ${countBefore('new')} |
| all | ${rows.length} | ${rows.length} |

Of the ${listed.length} places that differ, ${because('official-ts')} are as in the TypeScript SDK, ${because('python-defect')} are defects of the Python SDK, and
${because('safety')} are for safety. The TypeScript SDK ${versions.official} runs the programs that are a \`query()\` too: *seen* means that it showed
there what this package shows, *in part* that it showed something of its own: another text of an error, a call refused because its zod shapes want
arguments, an answer without a body where this package sends an empty one. Of the ${because('official-ts')}, ${listed.filter((one) => one.isOfficial === true).length}
are seen and ${listed.filter((one) => one.isOfficial === false).length} in part; the rest are calls, or programs of the client, which it does not have.

*Shown by* says how: \`process\` runs both SDKs beside a scripted CLI, \`pure\` makes the same calls in both.

## What moved between ${before} and ${newest}

Rows that ${before} does not have: ${
    rows
      .filter((row) => verdictBefore(row) === 'new')
      .map(({ id }) => id)
      .join(', ') || 'none'
  }. Of the others, these places
moved, ${moved.filter(({ id }) => verdictOf(rows.find((row) => row.id === id)) === 'equal').length} of ${moved.length} to what this package does:

| row | place | ${before} | ${newest} | behaviour now |
| --- | --- | --- | --- | --- |
${moved.map(({ id, at, first, others, before: was, python }) => `| ${id} | \`${first}\`${others === 0 ? '' : ` and ${others} more`} | ${code(was, at)} | ${code(python, at)} | ${cell(rows.find((row) => row.id === id).what)} |`).join('\n')}

${parts.map(([name, own]) => sectionText(name, own, before)).join('\n')}
## Differences outside the rows

Kinds of places where whole observations differ and no row of the program says so. One that is on the list and not seen fails, but for
those that depend on who is first. \`#\` is any place of a list, \`*\` any key; what is below a path is covered too.

| place | programs | reason, cites | why |
| --- | --- | --- | --- |
${whole.allowed.map((one) => allowedText(one, before, newest)).join('\n')}

## What moved outside the rows

The same between the two releases of the Python SDK.

| place | programs | reason, cites | why |
| --- | --- | --- | --- |
${whole.moved.map((one) => allowedText(one, before, newest)).join('\n')}

Previous: [differences](differences.md). Next: [architecture](../architecture.md)
`;
}

/** What a row is with the older release. */
function verdictBefore({ verdict, before }) {
  if (verdict === 'not-applicable') return verdict;
  return before?.verdict ?? 'new';
}

function allowedText({ at, in: names, reason, cites, why, only }, before, newest) {
  const places = at.map((path) => (path === '' ? 'everything' : `\`${path}\``)).join(', ');
  const release = only === undefined ? '' : `, with ${only === 'before' ? before : newest}`;
  const programs = `${names === undefined ? 'all' : names.join('; ')}${release}`;
  return `| ${places} | ${cell(programs)} | ${REASONS[reason]}, ${cites} | ${cell(why)} |`;
}

function sectionOf(id) {
  const number = Number(/^PY-(\d+)$/.exec(id)?.[1] ?? Number.POSITIVE_INFINITY);
  return SECTIONS.findIndex(([last]) => number <= last);
}

function sectionText(name, rows, before) {
  const table = rows.map((row) => {
    const was = verdictBefore(row);
    const verdict = was === row.verdict ? verdictOf(row) : `${verdictOf(row)} (${before}: ${was})`;
    return `| ${row.id} | ${cell(row.what)} | ${verdict} | ${cell(shownBy(row))} |`;
  });
  const line = (id, one) =>
    `| ${id} | ${code(one.python, one.at)} | ${code(one.ours, one.at)} | ${cell(one.why)} | ${REASONS[one.reason]}${SEEN[one.isOfficial] ?? ''}, ${one.cites} |`;
  const differences = rows.flatMap((row) => {
    const now = differencesOf(row);
    const isKnown = (one) =>
      now.some(({ at, why, python }) => at === one.at && why === one.why && same(python, one.python));
    const then = row.before === undefined ? [] : differencesOf(row.before).filter((one) => !isKnown(one));
    return [...now.map((one) => line(row.id, one)), ...then.map((one) => line(`${row.id}, ${before}`, one))];
  });
  const listed =
    differences.length === 0
      ? ''
      : `\n| row | python | here | why | reason, cites |\n| --- | --- | --- | --- | --- |\n${differences.join('\n')}\n`;
  return `## ${name}

| row | behaviour | verdict | shown by |
| --- | --- | --- | --- |
${table.join('\n')}
${listed}`;
}

const same = (left, right) => JSON.stringify(left) === JSON.stringify(right);

const verdictOf = ({ verdict }) => (verdict === 'not-applicable' ? 'not applicable' : verdict);

function shownBy({ kind, looks, notApplicable }) {
  if (notApplicable !== undefined) return notApplicable;
  const names = [...new Set(looks.map(({ name }) => name))];
  const few = names.slice(0, 3).join('; ');
  return `${kind}: ${few}${names.length > 3 ? `; and ${names.length - 3} more` : ''}`;
}

/** One for each place and reason: a difference that several looks show is one. */
function differencesOf({ looks }) {
  const seen = new Set();
  return looks
    .flatMap(({ differences }) => differences)
    .filter(({ why, cites }) => {
      const key = `${cites} ${why}`;
      return !seen.has(key) && seen.add(key);
    });
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** What is another one in every run. */
const CHANCE = [
  [/(?:\/[\w.-]+)*\/claudewire-[\w-]+/g, '<temp>'],
  [/\breq_(\d+)_[0-9a-f]{8}\b/g, 'req_$1_<hex>'],
  [/\([0-9a-z]{9,12}\) was not answered/g, '(<id>) was not answered'],
];

/** A value for a person, cut. */
function code(value, at) {
  // Ours are random without a form of their own.
  if (at === 'ids' && Array.isArray(value) && !/^req_/.test(value[0])) return 'random ids';
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  const text = CHANCE.reduce((left, [pattern, name]) => left.replace(pattern, name), whole);
  if (text === '(nothing)') return 'nothing';
  // By characters: half a pair is none.
  const characters = [...text];
  const short = characters.length > SHOWN_CHARS ? `${characters.slice(0, SHOWN_CHARS).join('')}…` : text;
  const fence = short.includes('`') ? '``' : '`';
  const pad = fence === '``' || short === '' ? ' ' : '';
  return `${fence}${pad}${cell(short)}${pad}${fence}`;
}

/** Whether the page is what the evidence says. */
export function isUpToDate(evidence) {
  try {
    return readFileSync(PAGE, 'utf8') === pageOf(evidence);
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, evidence: { type: 'string' } },
  });
  const file = values.evidence ?? join(root, '.build', 'parity-python.json');
  const evidence = JSON.parse(readFileSync(file, 'utf8'));
  if (!values.check) writeFileSync(PAGE, pageOf(evidence));
  else if (!isUpToDate(evidence)) {
    console.error('docs/evidence/parity-python.md is not what the evidence shows: node scripts/parity-python-doc.mjs');
    process.exitCode = 1;
  }
}
