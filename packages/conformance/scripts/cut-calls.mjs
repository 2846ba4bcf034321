/**
 * Finds out what releases of the CLI write about tool calls that were cut, denied or never started:
 * `packages/conformance/wire/cut-calls.json`, which tests read, and the page `docs/evidence/cut-calls.md`.
 *
 *   npm run cut-calls -- --cli 2.1.330=PATH [--cli V=PATH]...   with CLIs that are installed
 *   npm run cut-calls -- --version 2.1.330 [--version V]...     installs each
 *   npm run cut-calls -- --page                                 the page alone
 *
 * Runs in a network namespace that has nothing but loopback, with a scripted Messages API and no key; two minutes a release.
 * What was kept of other releases stays.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findNamespace } from '../../../scripts/namespace.mjs';
import { exitCodeOf } from '../../../scripts/run.mjs';
import { buildTools } from './build-tools.mjs';
import { CASES } from './cut-calls/cases.mjs';
import { cutCallsPage } from './cut-calls/page.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = join(root, 'packages', 'conformance', 'wire', 'cut-calls.json');
const LIMIT_MS = 900_000;

const list = { type: 'string', multiple: true, default: [] };
const { values } = parseArgs({ options: { cli: list, version: list, page: { type: 'boolean', default: false } } });

const place = mkdtempSync(join(tmpdir(), 'cw-cut-calls-'));
try {
  const clis = values.cli.map((text) => text.split('='));
  if (values.version.length > 0) clis.push(...(await installed(values.version)));
  for (const [version, path] of clis) await runRelease(version, path);
} finally {
  rmSync(place, { recursive: true, force: true });
}
const data = read();
const { toolCallOutcomes } = await import(pathToFileURL(join(root, 'sdk.mjs')).href);
writeFileSync(join(root, 'docs', 'evidence', 'cut-calls.md'), cutCallsPage(data, toolCallOutcomes));

async function installed(versions) {
  const out = join(root, '.build', 'releases');
  const { dist } = buildTools(out);
  const { installRelease } = await import(pathToFileURL(join(dist, 'drift', 'install-release.js')).href);
  const cache = join(out, 'cache');
  mkdirSync(cache, { recursive: true });
  const found = [];
  for (const version of versions) found.push([version, (await installRelease('cli', version, cache)).path]);
  return found;
}

async function runRelease(version, path) {
  const answer = join(place, `${version}.json`);
  const probe = fileURLToPath(new URL('cut-calls/probe.mjs', import.meta.url));
  const [command, ...args] = [...findNamespace(), process.execPath, probe, path, answer];
  const env = { PATH: process.env.PATH, HOME: place, TMPDIR: place, LANG: 'C.UTF-8' };
  const code = await exitCodeOf(command, args, { cwd: root, env, timeout: LIMIT_MS });
  if (code !== 0) throw new Error(`the runs of ${version} ended with ${code}`);
  const found = JSON.parse(readFileSync(answer, 'utf8'));
  for (const [name, { problem }] of Object.entries(found)) if (problem) console.log(`${version}, ${name}: ${problem}`);
  keep(version, found);
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { releases: {}, cases: {} };
  }
}

/** Releases that write the same share one record. A line for each. */
function keep(version, found) {
  const { releases, cases } = read();
  releases[version] = new Date().toISOString().slice(0, 10);
  for (const [name, { problem, ...record }] of Object.entries(found)) {
    const known = cases[name]?.records ?? [];
    const others = known
      .map((each) => ({ ...each, releases: each.releases.filter((other) => other !== version) }))
      .filter((each) => each.releases.length > 0);
    const same = others.find(({ releases: _, ...other }) => JSON.stringify(other) === JSON.stringify(record));
    if (problem === undefined && same !== undefined) same.releases = sorted([...same.releases, version]);
    else if (problem === undefined) others.push({ releases: [version], ...record });
    cases[name] = { records: others };
  }
  const dates = Object.fromEntries(sorted(Object.keys(releases)).map((each) => [each, releases[each]]));
  const lines = CASES.flatMap(({ name, truth }) => {
    const records = cases[name]?.records ?? [];
    if (records.length === 0) return [];
    const rows = records.map((record) => `      ${JSON.stringify(record)}`).join(',\n');
    return `    ${JSON.stringify(name)}: { "truth": ${JSON.stringify(truth)}, "records": [\n${rows}\n    ] }`;
  });
  writeFileSync(file, `{\n  "releases": ${JSON.stringify(dates)},\n  "cases": {\n${lines.join(',\n')}\n  }\n}\n`);
}

function sorted(versions) {
  const order = (version) => version.split('.').reduce((sum, part) => sum * 1e4 + Number(part), 0);
  return [...versions].sort((a, b) => order(a) - order(b));
}
