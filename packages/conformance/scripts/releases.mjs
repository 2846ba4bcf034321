/**
 * Makes the table of releases again: `packages/conformance/wire/releases.json`, of which the page is made.
 *
 *   npm run releases -- [--version V]... [--probes A,B] [--to newest] [--bisect A,B] [--limit N] [--built] [--work DIR]
 *
 * Installs one release of the CLI after the other, runs its probes in a network namespace that has nothing but loopback, and
 * removes it. Every result is kept at once, so that a run that was stopped continues where it was; what is there is not run
 * again. `--to newest` asks npm for the list of releases first. Without `--version` the releases are chosen: every probe of
 * what protects on a release in nine at least, all probes on those of `wire/versions.json`, then the middle of each two
 * neighbours that differ, until they follow one another. `--bisect` names the probes to do that for (default: what protects;
 * `all`). `--built` takes the tools as the last run built them. Needs npm, bubblewrap and socat, no key; a minute a release and more where all probes are run.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { findNamespace } from '../../../scripts/namespace.mjs';
import { exitCodeOf, outputOf } from '../../../scripts/run.mjs';
import { buildTools } from './build-tools.mjs';
import { chooseReleases, isSure, nextMiddles } from './releases/choose.mjs';
import { EVALUATE } from './releases/evaluate.mjs';
import { GUARDS } from './releases/guards.mjs';
import { NEWER } from './releases/newer.mjs';
import { OPTIONS } from './releases/options.mjs';
import { releasesPage } from './releases/page.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = join(folder, 'wire', 'releases.json');
const RELEASE_LIMIT_MS = 1_200_000;

const list = { type: 'string', multiple: true };
const { values } = parseArgs({
  options: {
    version: list,
    probes: { type: 'string' },
    bisect: { type: 'string', default: 'guards' },
    to: { type: 'string' },
    limit: { type: 'string', default: 'Infinity' },
    built: { type: 'boolean', default: false },
    work: { type: 'string', default: join(root, '.build', 'releases') },
  },
});
const out = resolve(values.work);
const guards = Object.keys(GUARDS);
const all = [...guards, ...[EVALUATE, NEWER, OPTIONS].flatMap(Object.keys), 'requests'];
const names = (text) => (text === 'all' ? all : text === 'guards' ? guards : text.split(',').filter(Boolean));

let data = read();
if (values.to === 'newest') save({ ...data, published: publishedReleases() });
await runAll();
save(read());

async function runAll() {
  const built = { dist: join(out, 'dist'), sdk: join(out, 'node_modules', 'claudewire', 'dist') };
  const { dist, sdk } = values.built ? built : buildTools(out);
  const { installRelease } = await import(pathToFileURL(join(dist, 'drift', 'install-release.js')).href);
  const namespace = findNamespace();
  let left = Number(values.limit);
  const run = async (version, probes) => {
    data = read();
    const missing = probes.filter((probe) => !isSure(data.runs[version]?.words[probe]));
    if (missing.length === 0 || left <= 0 || !claims(version)) return false;
    left -= 1;
    await runRelease(version, missing, { dist, sdk, installRelease, namespace });
    return true;
  };
  const { versions } = data.published;
  const full = JSON.parse(readFileSync(join(folder, 'wire', 'versions.json'), 'utf8')).map(({ cli }) => cli);
  const probes = values.probes === undefined ? undefined : names(values.probes);
  if (values.version !== undefined) {
    for (const version of values.version) await run(version, probes ?? all);
    return;
  }
  for (const version of chooseReleases(versions, full)) await run(version, probes ?? guards);
  await bisect(versions, run, guards);
  for (const version of [...full, versions.at(-1)]) await run(version, probes ?? all);
  await bisect(versions, run, names(values.bisect));
}

async function bisect(versions, run, probes) {
  // One that cannot be installed, or gives no word, would be tried for ever.
  const tried = new Set();
  for (;;) {
    data = read();
    const next = nextMiddles(versions, data.runs, probes).find(([version]) => !tried.has(version));
    if (next === undefined) return;
    // Another run has it.
    if (!(await run(...next))) tried.add(next[0]);
    if (next[1].some((probe) => !isSure(data.runs[next[0]]?.words[probe]))) tried.add(next[0]);
  }
}

async function runRelease(version, probes, { dist, sdk, installRelease, namespace }) {
  const began = Date.now();
  const cache = join(out, 'cache');
  const job = join(out, `${version}.job.json`);
  const answer = join(out, `${version}.words.json`);
  mkdirSync(out, { recursive: true });
  try {
    const { path } = await installRelease('cli', version, cache);
    writeFileSync(
      job,
      JSON.stringify({ cli: path, dist, sdk, probes, root: join(out, `probes-${version}`), out: answer }),
    );
    const words = [...namespace, process.execPath, join(folder, 'scripts', 'releases', 'probe-release.mjs'), job];
    const env = { PATH: process.env.PATH, HOME: out, TMPDIR: process.env.TMPDIR, LANG: 'C.UTF-8' };
    const code = await exitCodeOf(words[0], words.slice(1), { cwd: out, env, timeout: RELEASE_LIMIT_MS });
    if (code !== 0) console.log(`${version}: ended with ${code}`);
    const found = existsSync(answer) ? JSON.parse(readFileSync(answer, 'utf8')) : {};
    // Another run may have written meanwhile.
    const { runs, ...others } = read();
    const all = { ...runs[version]?.words, ...found };
    save({ ...others, runs: { ...runs, [version]: { date: today(), words: all } } });
    console.log(
      `${version}: ${Object.keys(found).length} of ${probes.length} probes, ${Math.round((Date.now() - began) / 1000)} s`,
    );
  } catch (error) {
    console.log(`${version}: ${error.message}`);
  } finally {
    for (const each of [job, answer, claimOf(version)]) rmSync(each, { recursive: true, force: true });
    rmSync(join(cache, 'cli', version), { recursive: true, force: true });
  }
}

function claimOf(version) {
  return join(out, `${version}.claim`);
}

/** Two runs at once do not take the same release. One that was killed leaves its claim in `.build/releases`. */
function claims(version) {
  try {
    mkdirSync(claimOf(version));
    return true;
  } catch {
    return false;
  }
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function publishedReleases() {
  const answer = JSON.parse(outputOf('npm', ['view', '@anthropic-ai/claude-code', 'versions', '--json'], root));
  const versions = answer.filter((version) => /^\d+\.\d+\.\d+$/.test(version) && Number(version.split('.')[0]) >= 2);
  const order = (version) => version.split('.').reduce((sum, part) => sum * 1e4 + Number(part), 0);
  return { date: today(), versions: versions.sort((a, b) => order(a) - order(b)) };
}

function read() {
  return existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { published: { date: '', versions: [] }, runs: {} };
}

/** A line for each release. */
function save(changed) {
  data = changed;
  const { published, runs } = data;
  const at = (version) => published.versions.indexOf(version);
  const lines = Object.keys(runs)
    .sort((a, b) => at(a) - at(b))
    .map((version) => `    ${JSON.stringify(version)}: ${JSON.stringify(runs[version])}`);
  const text = `{\n  "published": ${JSON.stringify(published)},\n  "runs": {\n${lines.join(',\n')}\n  }\n}\n`;
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  writeFileSync(join(root, 'docs', 'reference', 'releases.md'), releasesPage(data, guards));
}
