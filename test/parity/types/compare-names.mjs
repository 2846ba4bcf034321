import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile } from './check-files.mjs';
import { compile } from './compile.mjs';
import { exportedNames } from './official-names.mjs';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const FILES = {
  '.': 'sdk.d.ts',
  './core': 'core.d.ts',
  './sdk-tools': 'sdk-tools.d.ts',
  './browser': 'browser-sdk.d.ts',
  './bridge': 'bridge.d.ts',
  './extract': 'extractFromBunfs.d.ts',
};

/** Asks about every name of every entry, and reports each. */
export function compareNames({ suite, tsc, report, only, showAll }) {
  const { args, exceptions, oneWay } = readJson(suite, 'exceptions.json');
  const { checks, files } = checksOf({ suite, report, only, args });
  reportOneWay(checks, oneWay, report);
  const { errors } = compile({ suite, tsc }, 'names', files, { skipLibCheck: true });
  const table = {};
  for (const check of checks) {
    const { unexpected, excepted } = judge(check, problemsOf(check, errors), exceptions);
    table[check.entry] ??= { names: 0, questions: 0, excepted: 0, failed: 0 };
    const row = table[check.entry];
    row.names += 1;
    row.questions += Object.keys(check.questions).length;
    row.excepted += excepted;
    if (unexpected.length > 0) row.failed += 1;
    const lines = unexpected.map(({ question, text }) => `${question}: ${only.length > 0 ? text : firstLines(text)}`);
    report(`${check.entry} ${check.name}`, unexpected.length === 0 ? undefined : lines.join('\n'));
    if (showAll) console.log(`  ${check.entry} ${check.name}: ${check.direction}`);
  }
  for (const { file, line, text } of errors.filter((error) => !files.has(error.file))) {
    report(`${file}:${line}`, text);
  }
  if (only.length === 0) reportExceptions(exceptions, report);
  console.table(table);
}

/** One check file for each name of each entry. */
function checksOf({ suite, report, only, args }) {
  const files = new Map();
  const checks = [];
  /** Of the root, whose types `/core` has too. */
  const classes = new Set();
  for (const [entry, file] of Object.entries(FILES)) {
    const kinds = exportedNames(join(suite, 'node_modules', OFFICIAL, file));
    const directions = directionsOf(entry, suite, kinds);
    for (const [name, kind] of kinds) {
      if (kind === 'class') classes.add(name);
      else if (kind === 'type' && classes.has(name)) kinds.set(name, 'class-type');
    }
    reportNames({ entry, kinds, directions, report });
    for (const [name, kind] of kinds) {
      const direction = directions[name];
      if (direction === undefined || (only.length > 0 && !only.includes(name))) continue;
      // Two names may differ only in case, and some file systems do not.
      const path = `${entry.slice(2) || 'root'}/${kind}-${name}.ts`;
      const { text, questions } = checkFile({
        name,
        kind,
        direction,
        args: args[name],
        official: OFFICIAL + entry.slice(1),
        ours: `claudewire${entry.slice(1)}`,
      });
      files.set(path, text);
      checks.push({ entry, name, kind, path, questions, direction });
    }
  }
  return { checks, files };
}

/** What went wrong and is not listed; an exception that holds by now is wrong as well. */
function judge({ name, questions }, problems, exceptions) {
  const asked = new Set(Object.values(questions));
  const allowed = exceptions.filter((each) => each.name === name && asked.has(each.question));
  const isAllowed = ({ question }) => allowed.some((each) => each.question === question);
  const stale = allowed.filter(({ question }) => !problems.some((problem) => problem.question === question));
  return {
    unexpected: [
      ...problems.filter((problem) => !isAllowed(problem)),
      ...stale.map(({ question }) => ({ question, text: 'listed as an exception, but it holds' })),
    ],
    excepted: problems.filter(isAllowed).length,
  };
}

/** `/core` is the root with fewer values. */
function directionsOf(entry, suite, kinds) {
  const all = readJson(suite, 'names.json');
  if (entry !== './core') return all[entry];
  return Object.fromEntries(Object.entries(all['.']).filter(([name]) => kinds.has(name)));
}

/** A release with other names needs a decision here. */
function reportNames({ entry, kinds, directions, report }) {
  const added = [...kinds.keys()].filter((name) => directions[name] === undefined);
  const removed = Object.keys(directions).filter((name) => !kinds.has(name));
  const failure = [
    ...added.map((name) => `${name} is exported and not in names.json`),
    ...removed.map((name) => `${name} is in names.json and not exported`),
  ].join('\n');
  report(`${entry}: the list of names`, failure === '' ? undefined : failure);
}

/** A type is compared both ways unless somebody wrote down why not; a function is called and a constant is read. */
function reportOneWay(checks, oneWay, report) {
  for (const { entry, name, kind, direction } of checks) {
    if (direction === 'both' || (kind === 'value' && direction === 'out')) continue;
    const isListed = oneWay.some((each) => each.direction === direction && each.names.includes(name));
    if (!isListed) report(`${entry} ${name}`, `"${direction}" has no reason in exceptions.json`);
  }
}

const MAX_EXCEPTIONS = 14;

function reportExceptions(exceptions, report) {
  const bad = exceptions.filter(({ reason }) => typeof reason !== 'string' || reason.length < 20);
  report(
    'exceptions',
    bad.length > 0
      ? `without a reason: ${bad.map(({ name }) => name).join(', ')}`
      : exceptions.length > MAX_EXCEPTIONS
        ? `${exceptions.length} of them, more than ${MAX_EXCEPTIONS}`
        : undefined,
  );
  for (const { name, question, reason } of exceptions) {
    console.log(`  exception: ${name} (${question}): ${reason}`);
  }
}

/** No such module, no such export, in the compiler's ways to say so. */
const NOT_FOUND = new Set(['TS2307', 'TS2694', 'TS2724', 'TS2339']);

function problemsOf({ path, questions }, errors) {
  return errors
    .filter(({ file }) => file === path)
    .map(({ line, code, text }) => ({ question: NOT_FOUND.has(code) ? 'missing' : questions[line], text }))
    .filter(
      ({ question }, index, all) =>
        question !== 'missing' || all.findIndex((other) => other.question === 'missing') === index,
    );
}

function firstLines(text) {
  const lines = text.split('\n');
  return lines.length <= 4 ? text : [...lines.slice(0, 1), ...lines.slice(-3)].join('\n');
}

function readJson(suite, name) {
  return JSON.parse(readFileSync(join(suite, name), 'utf8'));
}
