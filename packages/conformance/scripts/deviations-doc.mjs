// Writes docs/evidence/deviations.md of `packages/conformance/deviations/`. `--check`: fails instead of writing when it differs.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const PAGE = new URL('../../../docs/evidence/deviations.md', import.meta.url);
const FOLDER = new URL('../deviations/', import.meta.url);
const WORDS = {
  hang: 'hangs',
  exit: 'the CLI ends',
  crash: 'the host crashes',
  left_behind: 'a process is left',
  tool_not_called: 'the tool is not called',
  tool_called: 'the tool is called all the same',
  error: 'an error',
  degraded: 'something is lost',
  ignored: 'no difference',
  host_only: 'its user loses',
  never_seen: 'no occasion',
  not_run: 'not run',
};
const QUOTE = 110;

/** The page. */
export function deviationsPage() {
  const { cli, date, census, outcomes } = json('outcomes.json');
  const files = readdirSync(FOLDER).filter((file) => file !== 'outcomes.json');
  const rows = files.sort().flatMap((file) => rowsOf(json(file), outcomes, census));
  const counts = Object.keys(WORDS).map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]);
  return [
    '# Hosts that deviate',
    '',
    `What happens to a host that does not do what a requirement says: each was run against the real CLI ${cli} on ${date}${later(outcomes)}, beside a host that`,
    'differs in nothing else. `npm run deviations` does it again. A sentence is a MUST when something is lost; where nothing is, it is a SHOULD, a',
    'MAY, or gone. Text that the CLI or the API saw is quoted: `-` was there without the deviation, `+` with it.',
    '',
    `The runs had ${census.lines} lines from the CLI. "No occasion" means that in none of them the CLI did what the requirement is about. "Its`,
    'user loses" is about what only the host can notice, and names a recording in which the CLI gives the occasion.',
    '',
    '| what happened | entries |',
    '| --- | --- |',
    ...counts.map(([outcome, count]) => `| ${WORDS[outcome]} | ${count} |`),
    '',
    '| id | the host | what happened | level |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ ids, does, happened, level }) => `| ${ids.join(', ')} | ${cell(does)} | ${cell(happened)} | ${level} |`,
    ),
    '',
    'The requirements: [requirements](requirements.md). Up: [conformance](../conformance.md).',
    '',
  ].join('\n');
}

export function writeDeviationsPage() {
  writeFileSync(PAGE, deviationsPage());
}

function rowsOf({ groups, hostOnly = [], neverSeen = [], notRun = [] }, outcomes) {
  const row = (outcome, said) => (claim) => ({ ...claim, outcome, ...texts(claim, outcome, said(claim)) });
  const rows = [
    ...groups.flatMap(({ deviations }) =>
      deviations.map((claim) => {
        const { outcome, saw } = outcomes[claim.name] ?? { outcome: 'not_run', saw: [] };
        return row(outcome, () => quoted(outcome, saw))(claim);
      }),
    ),
    ...hostOnly.map(
      row('host_only', ({ loss, shown }) => `${loss} ${shown.map(({ recording }) => `\`${recording}\``)}`),
    ),
    ...neverSeen.map(row('never_seen', () => '')),
    ...notRun.map(row('not_run', ({ reason }) => reason)),
  ];
  return rows.sort((a, b) => (a.ids[0] < b.ids[0] ? -1 : a.ids[0] > b.ids[0] ? 1 : 0));
}

function texts({ before, after, why }, outcome, said) {
  const happened = [WORDS[outcome], said].filter((part) => part !== '').join(': ');
  const level = before === after ? after : `${before} → ${after}`;
  return { happened: why === undefined ? happened : `${happened}. ${why}`, level };
}

/** The line that says most: what came, or else what is missing. */
function quoted(outcome, saw) {
  if (outcome === 'ignored') return '';
  const come = saw.filter((line) => line.startsWith('+'));
  const line = come.find((each) => /error|waited|the API saw|tool/.test(each)) ?? come[0] ?? saw[0] ?? '';
  const short = line.length > QUOTE ? `${line.slice(0, QUOTE)}…` : line;
  return `\`${short.replaceAll('`', "'")}\``;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

function json(file) {
  return JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  if (!process.argv.includes('--check')) writeDeviationsPage();
  else if (readFileSync(PAGE, 'utf8') !== deviationsPage()) {
    console.error(
      'docs/evidence/deviations.md differs from packages/conformance/deviations: npm run deviations -- --page',
    );
    process.exitCode = 1;
  }
}

/** Those that were run by themselves since then. */
function later(outcomes) {
  const dates = Object.values(outcomes).flatMap(({ date }) => (date === undefined ? [] : [date]));
  return dates.length === 0 ? '' : ` (${dates.length} of them later, up to ${dates.toSorted().at(-1)})`;
}
