/**
 * Runs the suite through ports that nobody here wrote, and keeps the results as data. On demand: Rust builds take minutes and
 * hundreds of megabytes.
 *
 *   node packages/conformance/scripts/run-ports.mjs [PORT]... [--filter TEXT]... [--check] [--checks NAME]... [--doc] [--help]
 *
 * Ports: claude-agent-sdk-rs, claude-codes, cc-sdk (crates, pinned in `drivers/rust`), python-before and python (the two
 * releases that the parity rows run on). Without a name: all. Writes `ports/PORT.json`.
 * `--filter` plays a part, and leaves the other results as they were; the data names what was played again.
 * `--check` asks the ports the questions of `port-checks.mjs` on the real CLI instead, without a network but loopback, and
 * writes `ports/checks.json`. `--doc` only writes `docs/evidence/ports.md` from both and from `ports/groups.json`.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { execaSync } from 'execa';
import { findNamespace, platformName } from '../../../scripts/namespace.mjs';
import { ensurePython } from '../../../scripts/python-env.mjs';
import { buildTools } from './build-tools.mjs';
import { CHECKS } from './port-checks.mjs';
import { portsPage } from './ports-doc.mjs';

const BUILD_LIMIT_MS = 600_000;
const CHECK_LIMIT_MS = 900_000;
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('..', import.meta.url));
const data = join(folder, 'ports');
const page = join(root, 'docs', 'evidence', 'ports.md');

const python = (isBefore) => () => [ensurePython({ isBefore }), '-B', join(folder, 'drivers', 'python', 'driver.py')];
const PORTS = {
  'claude-agent-sdk-rs': () => buildCrate('claude-agent-sdk-rs'),
  'claude-codes': () => buildCrate('claude-codes'),
  'cc-sdk': () => buildCrate('cc-sdk'),
  'python-before': python(true),
  python: python(false),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    filter: { type: 'string', multiple: true, default: [] },
    check: { type: 'boolean', default: false },
    checks: { type: 'string', multiple: true, default: Object.keys(CHECKS) },
    doc: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
/** A run beside another builds its own tools. */
const out = join(root, '.build', 'ports', [values.check ? 'check' : 'run', ...positionals].join('-'));
if (values.help) {
  const [about] = /(?<=\/\*\*\n)[\s\S]*?(?= \*\/)/.exec(readFileSync(new URL(import.meta.url), 'utf8'));
  console.log(about.replaceAll(/^ \* ?/gm, ''));
  process.exit(0);
}

if (!values.doc) {
  mkdirSync(out, { recursive: true });
  const tools = buildTools(out);
  for (const port of positionals.length > 0 ? positionals : Object.keys(PORTS)) {
    if (PORTS[port] === undefined) throw new Error(`no port ${port}; there are ${Object.keys(PORTS).join(', ')}`);
    const command = PORTS[port]();
    if (values.check) check(port, command, tools);
    else await run(port, command, tools);
  }
}
writeFileSync(page, portsPage(read));

/** Needs a Rust toolchain. The results of a build are shared by all crates. */
function buildCrate(name) {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, '.build', 'rust');
  console.log(`> cargo build --locked, drivers/rust/${name}`);
  execaSync('cargo', ['build', '--locked', '--quiet'], {
    cwd: join(folder, 'drivers', 'rust', name),
    env: { CARGO_TARGET_DIR: target },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: BUILD_LIMIT_MS,
  });
  return [join(target, 'debug', `claudewire-driver-${name}`)];
}

async function run(port, command, { dist }) {
  const suite = await import(pathToFileURL(join(dist, 'index.js')).href);
  const loaded = suite.loadData(folder);
  const chosen = suite.selectScenarios(loaded.scenarios, { filters: values.filter });
  const result = await suite.runSuite({ data: loaded, scenarios: chosen, name: port, command });
  console.log(`${suite.driverReport(result, loaded).split('\nFAILED')[0]}\n`);
  const isPart = values.filter.length > 0;
  const before = isPart ? read(`${port}.json`) : undefined;
  if (isPart && before === undefined) throw new Error(`--filter: there are no results of ${port} yet`);
  const played = Object.fromEntries(
    result.results.map(({ scenario, level, status, reason }) => [
      scenario,
      { level, status, ...(status === 'passed' ? {} : { cause: causeOf(reason) }) },
    ]),
  );
  write(`${port}.json`, {
    port,
    sdk: result.hello?.sdk,
    version: result.hello?.version,
    language: result.hello?.language,
    date: before?.date ?? today(),
    command: `node packages/conformance/scripts/run-ports.mjs ${port}`,
    ...(isPart ? { playedAgain: { ...before.playedAgain, ...on(today(), Object.keys(played)) } } : {}),
    data: loaded.version,
    cli: cliVersion(),
    scenarios: { ...before?.scenarios, ...played },
  });
}

function on(date, names) {
  return Object.fromEntries(names.map((name) => [name, date]));
}

function check(port, command, { dist, sdk }) {
  const cli = realpathSync(
    join(root, 'test', 'live', 'node_modules', '@anthropic-ai', `claude-code-${platformName()}`, 'claude'),
  );
  const job = join(out, `checks-${port}.json`);
  const seen = join(out, `seen-${port}.json`);
  const schema = join(folder, 'schemas', 'driver.schema.json');
  writeFileSync(job, JSON.stringify({ port, sdk, dist, schema, command, cli, checks: values.checks, out: seen }));
  const [program, ...words] = [...findNamespace(), process.execPath, join(folder, 'scripts', 'port-stage.mjs'), job];
  execaSync(program, words, { stdio: 'inherit', timeout: CHECK_LIMIT_MS });
  const before = read('checks.json') ?? { ports: {} };
  const earlier = before.ports[port]?.seen ?? {};
  before.ports[port] = {
    date: today(),
    cli: cliVersion(),
    command: `node packages/conformance/scripts/run-ports.mjs ${port} --check`,
    seen: { ...earlier, ...JSON.parse(readFileSync(seen, 'utf8')) },
  };
  write('checks.json', before);
}

/** Without the place in the scenario file, which moves, and without what differs from run to run. */
function causeOf(reason = '') {
  return reason.replace(/^\S+\.jsonl:\d+: /, '').slice(0, 300);
}

function read(name) {
  const file = join(data, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function write(name, value) {
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, name), `${JSON.stringify(value, null, 2)}\n`);
}

function cliVersion() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'test', 'live', 'package.json'), 'utf8'));
  return dependencies['claude-code-current'].split('@').at(-1);
}

function today() {
  return new Date().toISOString().slice(0, 10);
}
