/**
 * Takes pictures of the page of the reports, for one SDK and for ten, from results that were really had: those of
 * `npm run conformance` (`.build/conformance/report.json`) and of the ports. Needs chromium. By hand.
 *
 *   node packages/conformance/scripts/report-pictures.mjs [REPORT.json]
 *
 * Writes docs/report-one.png and docs/report-ten.png of the package; the pages stay in `.build/pictures`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { execaSync } from 'execa';
import { buildTools } from './build-tools.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, '.build', 'pictures');
const docs = join(folder, 'docs');
const PORTS = ['claude-agent-sdk-rs', 'claude-codes', 'cc-sdk', 'python-before'];
const ONE = 'python';
const SIZES = { one: [1100, 900], ten: [1280, 900] };

mkdirSync(out, { recursive: true });
mkdirSync(docs, { recursive: true });
const { dist } = buildTools(out);
const suite = await import(pathToFileURL(join(dist, 'index.js')).href);
const data = suite.loadData(folder);
const requirementsOf = new Map(data.scenarios.map(({ name, requirements }) => [name, requirements]));

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const own = read(resolve(process.argv[2] ?? join(root, '.build', 'conformance', 'report.json'))).drivers.map(ofReport);
const all = [...own, ...PORTS.map((port) => ofPort(read(join(folder, 'ports', `${port}.json`))))];
picture(
  'one',
  own.filter(({ name }) => name === ONE),
);
picture('ten', all);

function ofReport({ name, sdk, version, language, features, date, ms, scenarios }) {
  return {
    name,
    hello: { event: 'hello', protocol: 1, driver: name, sdk, version, language, features },
    results: scenarios,
    ms,
    date,
  };
}

/** The results of a port have the cause of a failure and not its details. */
function ofPort({ port, sdk, version, language, date, scenarios }) {
  const results = Object.entries(scenarios)
    .filter(([scenario]) => requirementsOf.has(scenario))
    .map(([scenario, { level, status, cause }]) => ({
      ...{ scenario, level, status, ms: 0, requirements: requirementsOf.get(scenario) },
      ...(cause === undefined ? {} : { reason: cause }),
      ...(status === 'unsupported' && cause?.startsWith('needs ') ? { missing: cause.slice(6).split(', ') } : {}),
    }));
  const hello = { event: 'hello', protocol: 1, driver: port, sdk, version, language, features: [] };
  return { name: port, hello, results, ms: 0, date: `${date}T00:00:00.000Z` };
}

function picture(name, suites) {
  const page = join(out, `${name}.html`);
  const png = join(docs, `report-${name}.png`);
  writeFileSync(page, suite.htmlReport(suites, data));
  const profile = join(out, 'profile');
  const [width, height] = SIZES[name];
  execaSync(
    'chromium',
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', `--user-data-dir=${profile}`],
      ...[`--window-size=${width},${height}`, `--screenshot=${png}`, pathToFileURL(page).href],
    ],
    { timeout: 60_000 },
  );
  console.log(`${suites.length} SDK${suites.length === 1 ? '' : 's'}: ${png}`);
}
