/**
 * Writes docs/evidence/adapter-rows.md from what the tests of the last run showed: each row of the adapter's checklist
 * (`test/adapter/rows/rows.json`) with the passing tests that cite it at the end of their titles (`… (AD-137)`, `… (AD-137, AD-138)`).
 *
 *   node scripts/adapter-rows.mjs [--check] [--run]
 *
 * Reads the reports that `npm test`, `npm run test:processes` and `npm run test:live` leave in `.build/reports/`; `--run` first
 * runs the adapter's own tests instead of relying on the first two. `--check` compares with the page instead of writing it.
 *
 * A row fails when a level it names has no passing test, or when a test that cites it failed or was skipped. Level U is proved by a test
 * in `test/adapter/` or over a process, F by one in `test/adapter/process/`, L by one in `test/live/`. Rows that
 * were changed have their reason in `test/adapter/rows/changed.json`.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed. ALLOW_NO_LIVE=1 accepts a missing live report.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const PAGE = join(root, 'docs', 'evidence', 'adapter-rows.md');
const REPORTS = join(root, '.build', 'reports');
/** vitest puts quotes around a text that it takes from a table. */
const CITED = / \((AD-\d{3}(?:, AD-\d{3})*)\)(?=['"]?$)/;

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, run: { type: 'boolean', default: false } },
});

const rows = readJson('test/adapter/rows/rows.json');
const changed = readJson('test/adapter/rows/changed.json');
const known = new Set(rows.map(({ id }) => id));
const problems = [];
/** What cites a row, by its id: `{ level, file, title, status }`. */
const proofs = new Map(rows.map(({ id }) => [id, []]));

if (values.run) runAdapterTests();
collect('test.json', 'test/adapter/', true);
collect('processes.json', 'test/adapter/', true);
const hasLive = collect('live.json', 'test/live/', process.env.ALLOW_NO_LIVE !== '1');
const failed = rows.filter((row) => !isProved(row));
finish();

/** Runs the tests of `test/adapter`, as the two stages do. */
function runAdapterTests() {
  for (const stage of [[], ['--processes']]) {
    const script = join(root, 'scripts', 'test.mjs');
    spawnSync(process.execPath, [script, ...stage, 'test/adapter'], { cwd: root, stdio: 'inherit' });
  }
}

/** @returns {boolean} whether the report was there */
function collect(name, folder, isNeeded) {
  const path = join(REPORTS, name);
  if (!existsSync(path)) {
    if (isNeeded) problems.push(`no report ${relative(root, path)}: run the tests first`);
    return false;
  }
  for (const { name: absolute, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const file = relative(root, absolute).replaceAll('\\', '/');
    if (!file.startsWith(folder)) continue;
    for (const { ancestorTitles, title, status } of assertionResults) {
      for (const id of citedBy([...ancestorTitles, title])) {
        if (known.has(id)) proofs.get(id).push({ level: levelOf(file), file, title, status });
        else problems.push(`${file}: "${title}" cites ${id}, which is no row`);
      }
    }
  }
  return true;
}

function citedBy(titles) {
  return new Set(titles.flatMap((title) => CITED.exec(title)?.[1].split(', ') ?? []));
}

function levelOf(file) {
  if (file.startsWith('test/live/')) return 'L';
  return file.startsWith('test/adapter/process/') ? 'F' : 'U';
}

function isProved({ id, level }) {
  const found = proofs.get(id);
  const bad = found.filter(({ status }) => status !== 'passed');
  for (const { file, title, status } of bad) problems.push(`${id}: ${status}: ${file}: ${title}`);
  const missing = levelsOf(id, level).filter((each) => !found.some((proof) => proves(proof, each)));
  for (const each of missing) problems.push(`${id}: no test at level ${each}`);
  return bad.length === 0 && missing.length === 0;
}

function levelsOf(id, level) {
  const wanted = changed[id]?.level ?? level;
  return hasLive || process.env.ALLOW_NO_LIVE !== '1' ? wanted : wanted.filter((each) => each !== 'L');
}

function proves({ level, status }, wanted) {
  return status === 'passed' && (level === wanted || (wanted === 'U' && level === 'F'));
}

function finish() {
  for (const problem of problems) console.log(problem);
  const page = render();
  if (!values.check) {
    writeFileSync(PAGE, page);
  } else if (!hasLive && process.env.ALLOW_NO_LIVE === '1') {
    console.log('no live report: the page is not compared');
  } else if (readFileSync(PAGE, 'utf8') !== page) {
    problems.push('differs');
    console.log('docs/evidence/adapter-rows.md differs from the results: node scripts/adapter-rows.mjs');
  }
  const failures = failed.length + problems.filter((text) => !text.startsWith('AD-')).length;
  console.log(`${rows.length - failed.length} passed, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

function render() {
  const live = rows.filter(({ level }) => level.includes('L')).length;
  const groups = new Map();
  for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []), row]);
  return [
    '# The rows of the adapter layer',
    '',
    'Written by `scripts/adapter-rows.mjs` from the results of the tests; not by hand. Every row says what is given, what happens and what',
    'must follow, and is followed by the tests that prove it. Level U: a unit test. F: over a real process that speaks the protocol. L: the',
    `real CLI, with a scripted API on loopback (${live} rows). \`npm run adapter:rows -- --check\` compares this page with the last run.`,
    '',
    `${rows.length - failed.length} of ${rows.length} rows are proved at every level they name.`,
    '',
    ...changedPart(),
    ...[...groups].flatMap(([group, members]) => [`## ${group}`, '', ...members.flatMap(rowPart)]),
  ].join('\n');
}

function changedPart() {
  const ids = Object.keys(changed).sort();
  if (ids.length === 0) return ['No row was changed or dropped.', ''];
  return ['Changed or dropped rows:', '', ...ids.map((id) => `- ${id}: ${changed[id].reason}`), ''];
}

function rowPart({ id, level, given, when, then }) {
  const tests = proofs
    .get(id)
    .filter(({ status }) => status === 'passed')
    .map(({ level: at, file, title }) => `  - ${at} \`${file}\`: ${asText(title.replace(CITED, ''))}`);
  return [
    `- **${id}** (${level.join(', ')}) ${asText(given)}; ${asText(when)}: ${asText(then)}`,
    ...[...new Set(tests)].sort(),
    '',
  ];
}

/** Titles and rows may hold what Markdown or a link checker would read. */
function asText(text) {
  return text.replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;')).replace(/\]\(/g, '] (');
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
