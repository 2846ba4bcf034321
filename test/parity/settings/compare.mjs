#!/usr/bin/env node
/**
 * Asks both packages the same about settings and prints where they differ.
 *
 *   node test/parity/settings/compare.mjs OFFICIAL OURS [--managed] [--all]
 *
 * OFFICIAL and OURS are the entry files. `--managed` also writes managed settings files where this machine has them: only
 * as a user who may, in a container or with a private mount there. Everything else happens in a temporary folder.
 * Last line: `N same, N differ`. Exit 1 when a difference is not in `differences.mjs`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import * as cases from './cases.mjs';
import { isExpected } from './differences.mjs';

const MANAGED = '/etc/claude-code';
const [official, ours, ...flags] = process.argv.slice(2);
const base = mkdtempSync(join(tmpdir(), 'claudewire-settings-'));
const home = join(base, 'home');
const project = join(base, 'project');
process.env.HOME = home;
delete process.env.CLAUDE_CONFIG_DIR;
const packages = await Promise.all([official, ours].map((path) => import(pathToFileURL(resolve(path)).href)));
const counts = { same: 0, expected: 0, differ: 0 };

function compare(name, answers) {
  const [theirs, mine] = answers.map((each) => JSON.parse(JSON.stringify(each)));
  if (isDeepStrictEqual(theirs, mine)) counts.same += 1;
  else if (isExpected(name, theirs, mine)) counts.expected += 1;
  else {
    counts.differ += 1;
    if (counts.differ <= 40 || flags.includes('--all')) {
      console.log(`${name}\n  official ${JSON.stringify(theirs)}\n  ours     ${JSON.stringify(mine)}`);
    }
  }
}

function write(path, content) {
  if (content === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
}

async function ask({ resolveSettings }, options) {
  try {
    const { leftOut: _, ...result } = await resolveSettings({ cwd: project, ...options });
    return result;
  } catch (error) {
    return { rejected: error instanceof Error };
  }
}

const FILES = {
  user: join(home, '.claude', 'settings.json'),
  project: join(project, '.claude', 'settings.json'),
  local: join(project, '.claude', 'settings.local.json'),
};
mkdirSync(project, { recursive: true });
let written = [];

async function runCase({ name, managed, dropIns = {}, options, ...files }) {
  for (const path of written) rmSync(path);
  written = Object.keys(FILES).flatMap((source) => {
    if (files[source] === undefined) return [];
    write(FILES[source], files[source]);
    return [FILES[source]];
  });
  if (flags.includes('--managed')) {
    rmSync(MANAGED, { recursive: true, force: true });
    write(join(MANAGED, 'managed-settings.json'), managed);
    for (const [file, content] of Object.entries(dropIns)) {
      write(join(MANAGED, 'managed-settings.d', file), content);
    }
  }
  const answers = [];
  for (const each of packages) answers.push(await ask(each, options));
  compare(name, answers);
}

try {
  const managed = flags.includes('--managed') ? cases.MANAGED_CASES : [];
  for (const each of [
    ...cases.FILE_CASES,
    ...cases.RULE_CASES,
    ...cases.SERVER_CASES,
    ...cases.CALLER_CASES,
    ...managed,
    ...cases.KEY_CASES,
  ]) {
    await runCase(each);
  }
  for (const entry of cases.DENIED) {
    const answers = [];
    for (const { matchDeniedModels } of packages) {
      const { denied, warnings } = await matchDeniedModels(cases.MODELS, [entry]);
      answers.push({ denied: cases.MODELS.filter((_, index) => denied[index]), warnings: warnings.length });
    }
    compare(`deniedModels ${JSON.stringify(entry)}`, answers);
  }
  for (const each of cases.FILTER_CASES) {
    compare(
      `filter ${JSON.stringify(each)}`,
      packages.map(({ filterEscalatingDefaultMode }) => filterEscalatingDefaultMode(structuredClone(each))),
    );
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
console.log(`${counts.same} same, ${counts.expected} differ as documented, ${counts.differ} differ`);
process.exitCode = counts.differ === 0 ? 0 : 1;
