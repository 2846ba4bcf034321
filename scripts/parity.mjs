/**
 * Runs the parity stage: the same options, methods, questions and endings through the official SDK and through
 * ours, beside a fake CLI that writes down what it sees, and compares the two.
 *
 *   node scripts/parity.mjs [--official DIR] [--ours FILE] [--only TEXT] [--fields]
 *
 * Installs `test/parity/official` (the only step that needs a registry; DIR names a package that is installed
 * already), builds ours into `.build/parity` (FILE is the `dist/index.js` of a package that is built already), runs the cases, then the
 * comparisons of sessions, settings, entries and words.
 * `--only` runs the cases with that text in their name. `--fields` also prints in what each listed case differs.
 *
 * The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { CannotRun } from './namespace.mjs';
import { installOfficial } from './official-sdk.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = join(root, 'test', 'parity', 'official');
const out = join(root, '.build', 'parity');
/** Comparisons of their own; `entries` and `words` look at package folders, the others at entry files. */
const PARTS = ['sessions', 'settings', 'entries', 'words'];
const PART_LIMIT_MS = 180_000;

const { values } = parseArgs({
  options: {
    official: { type: 'string' },
    ours: { type: 'string' },
    only: { type: 'string' },
    fields: { type: 'boolean' },
  },
});
const count = { passed: 0, failed: 0 };
const scratch = mkdtempSync(join(tmpdir(), 'claudewire-parity-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));

const official = values.official === undefined ? install() : resolve(values.official);
const { version } = JSON.parse(readFileSync(join(official, 'package.json'), 'utf8'));
console.log(`  official: ${version}`);
const officialUrl = pathToFileURL(join(official, 'sdk.mjs')).href;
mkdirSync(out, { recursive: true });
const oursUrl = values.ours === undefined ? buildOurs() : pathToFileURL(resolve(values.ours)).href;
await buildHarness();
await runCases();
if (values.only === undefined) for (const part of PARTS) runPart(part);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

function install() {
  try {
    return installOfficial().folder;
  } catch (error) {
    if (!(error instanceof CannotRun)) throw error;
    return fail(error.message);
  }
}

/** The bundle as it is published, beside a copy of what it needs from its own folder. */
function buildOurs() {
  const dist = join(out, 'claudewire', 'dist');
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'scripts', 'build.mjs'), '--no-types', '--out-dir', dist],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status !== 0) fail('our package could not be built');
  return pathToFileURL(join(dist, 'index.js')).href;
}

/** The cases import our sources; here the package under test takes their place. */
async function buildHarness() {
  const harness = join(home, 'harness');
  const shared = {
    absWorkingDir: root,
    bundle: true,
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  };
  await Promise.all([
    build({
      ...shared,
      entryPoints: { child: join(harness, 'child.ts') },
      outdir: out,
      outExtension: { '.js': '.mjs' },
      plugins: [standIns(harness)],
    }),
    build({ ...shared, entryPoints: { main: join(harness, 'main.ts') }, outdir: out, outExtension: { '.js': '.mjs' } }),
    build({
      ...shared,
      entryPoints: { player: 'packages/cli/src/replay/main.ts' },
      outdir: join(root, '.build'),
      outExtension: { '.js': '.mjs' },
    }),
  ]);
}

function standIns(harness) {
  return {
    name: 'stand-ins',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /(^|\/)src\/index\.js$/ }, () => ({ path: join(harness, 'subject.ts') }));
      onResolve({ filter: /^vitest$/ }, () => ({ path: join(harness, 'vitest-shim.ts') }));
      // Tests find their files from where they lie, and the bundle lies elsewhere.
      onLoad({ filter: /[\\/]test[\\/].*\.ts$/ }, ({ path }) => ({
        loader: 'ts',
        contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      }));
      onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'beside-subject' }));
      onLoad({ filter: /^zod$/, namespace: 'beside-subject' }, () => ({
        resolveDir: harness,
        contents: "import { besideSubject } from './subject.js';\nexport const { z } = await besideSubject('zod');\n",
      }));
    },
  };
}

async function runCases() {
  const began = performance.now();
  const { run } = await import(pathToFileURL(join(out, 'main.mjs')).href);
  const { verdicts, fields, missing } = await run({
    officialUrl,
    oursUrl,
    scratch,
    child: join(out, 'child.mjs'),
    documented: join(root, 'docs', 'evidence', 'differences.md'),
    ...(values.only === undefined ? {} : { only: values.only }),
  });
  for (const { key, differs, problems } of verdicts) {
    const mark = problems.length > 0 ? 'FAIL' : (differs ?? 'same');
    const in_ = values.fields && fields.get(key)?.length > 0 ? `  [${fields.get(key).join(', ')}]` : '';
    console.log(`  ${mark.padEnd(5)} ${key}${in_}`);
    for (const problem of problems) console.log(`        ${problem}`);
    count[problems.length === 0 ? 'passed' : 'failed'] += 1;
  }
  console.log(`  ${seconds(began)}`);
  if (values.only !== undefined) return;
  console.log(missing.length === 0 ? '  every row has a case' : `  FAIL  rows without a case: ${missing.join(', ')}`);
  count[missing.length === 0 ? 'passed' : 'failed'] += 1;
}

/** A comparison gets both packages, and ends with `N passed, N failed` or its own words for that. */
function runPart(name) {
  const path = join(root, 'test', 'parity', name, 'compare.mjs');
  const entries = [fileURLToPath(officialUrl), fileURLToPath(oursUrl)];
  const folders = [official, dirname(dirname(entries[1]))];
  const given = name === 'entries' || name === 'words' ? folders : entries;
  console.log(`> ${path.slice(root.length)}`);
  const began = performance.now();
  const { stdout, stderr, status } = spawnSync(process.execPath, [path, ...given], {
    encoding: 'utf8',
    timeout: PART_LIMIT_MS,
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env.PATH, HOME: scratch, TMPDIR: scratch, LANG: 'C.UTF-8' },
  });
  process.stdout.write(stdout ?? '');
  console.log(`  ${seconds(began)}`);
  const counts = countsIn((stdout ?? '').trimEnd().split('\n').at(-1) ?? '');
  if (counts === undefined || (status !== 0 && counts.failed === 0)) {
    const said = (stderr ?? '').slice(-2000);
    console.log(`  FAIL  it did not come to its end (exit ${status}): ${said}`);
    count.failed += 1;
  }
  count.passed += counts?.passed ?? 0;
  count.failed += counts?.failed ?? 0;
}

function seconds(began) {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}

function countsIn(line) {
  const plain = /^(\d+) passed, (\d+) failed/.exec(line);
  if (plain !== null) return { passed: Number(plain[1]), failed: Number(plain[2]) };
  const compared = /^(\d+) same, (?:(\d+) differ as documented, )?(\d+) differ$/.exec(line);
  if (compared === null) return undefined;
  const [, same, documented = 0, differ] = compared;
  return { passed: Number(same) + Number(documented), failed: Number(differ) };
}

function fail(message) {
  console.error(`parity: ${message}`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
