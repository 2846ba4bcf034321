/**
 * Plays every recording over our own driver: the recorded CLI on one side, on the other the commands that make an SDK write
 * what was written then. Both directions are checked.
 *
 *   npm run recordings:play -- [--filter TEXT] [--write]
 *
 * Those that no SDK can write, or ours does not, are in `test/conversion/not-played.json` with the reason. `--write` writes
 * docs/evidence/recordings.md, which is compared otherwise. The last line is `N passed, N failed`: one for each recording
 * that is played as it was, or is not, as the table says, and one for the page.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTools } from './build-tools.mjs';

const { values } = parseArgs({
  options: { filter: { type: 'string', default: '' }, write: { type: 'boolean', default: false } },
});
const folder = fileURLToPath(new URL('..', import.meta.url));
const root = join(folder, '..', '..');
const recordings = join(root, 'test', 'fixtures', 'recordings');
const page = join(root, 'docs', 'evidence', 'recordings.md');
const reasons = JSON.parse(readFileSync(join(folder, 'test', 'conversion', 'not-played.json'), 'utf8'));
const out = join(root, '.build', 'recordings');
mkdirSync(out, { recursive: true });
const { dist, sdk } = buildTools(out);
const suite = await import(pathToFileURL(join(dist, 'index.js')).href);
const testing = await import(pathToFileURL(join(sdk, 'testing', 'index.js')).href);

const names = readdirSync(recordings)
  .filter((file) => file.endsWith('.jsonl') && file.includes(values.filter))
  .map((file) => basename(file, '.jsonl'))
  .sort();
const problems = Object.keys(reasons)
  .filter((name) => !existsSync(join(recordings, `${name}.jsonl`)))
  .map((name) => `${name}: there is no such recording`);
const temp = mkdtempSync(join(tmpdir(), 'cw-recordings-'));
try {
  const scenarios = names.flatMap(scenarioOf);
  const played = await play(scenarios);
  // One that should never see the end of its input may see it when a neighbour ends the driver they share.
  const isUnexpected = ({ name }) => Object.hasOwn(reasons, name) && played.get(name)?.status === 'passed';
  for (const scenario of scenarios.filter(isUnexpected)) {
    for (const [name, result] of await play([scenario])) played.set(name, result);
  }
  for (const name of names) judge(name, played.get(name));
} finally {
  rmSync(temp, { recursive: true, force: true });
}
if (values.filter === '') checkPage();
for (const problem of problems) console.log(`FAILED  ${problem}`);
const all = names.length + (values.filter === '' ? 1 : 0);
console.log(`${all - Math.min(all, problems.length)} passed, ${problems.length} failed`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @returns the results by name */
async function play(scenarios) {
  const { results } = await suite.runSuite({
    ...{ data: suite.loadData(folder), scenarios, name: 'claudewire' },
    command: [process.execPath, join(folder, 'drivers', 'claudewire', 'driver.mjs'), '--sdk', join(sdk, 'index.js')],
  });
  return new Map(results.map((result) => [result.scenario, result]));
}

/** A recording that can be driven, as a scenario of the suite in a file. */
function scenarioOf(name) {
  const text = readFileSync(join(recordings, `${name}.jsonl`), 'utf8');
  const { header, steps, hasDriverLane } = suite.convertForSuite(testing.readRecording(text, name), { trim: true });
  if (!hasDriverLane) {
    if (!Object.hasOwn(reasons, name)) problems.push(`${name}: cannot be driven, and nothing says why`);
    return [];
  }
  const file = join(temp, `${name}.jsonl`);
  writeFileSync(file, testing.formatScenario({ header: { ...header, scenario: name }, steps }));
  const { features = [], cliVersion } = header;
  return [{ name, file, level: 'L1', about: '', requirements: [], features, cliVersion, recording: name }];
}

function judge(name, result) {
  const isPlayed = result?.status === 'passed';
  if (isPlayed && Object.hasOwn(reasons, name))
    problems.push(`${name}: is played, so not-played.json must not name it`);
  if (result === undefined || isPlayed || Object.hasOwn(reasons, name)) return;
  problems.push(`${name}: ${result.status}: ${result.details ?? result.reason}`);
}

function checkPage() {
  const left = names.filter((name) => Object.hasOwn(reasons, name));
  const text = `# Recordings over our own driver

\`npm run recordings:play\` makes a scenario of each recording in \`test/fixtures/recordings\`, with the commands that make an SDK
write what was written then, and plays it against claudewire. What the CLI said, what the SDK answers, and how the process
ends must be as recorded. In \`.ci/run\` it is the stage \`recordings\`.

Of ${names.length} recordings ${names.length - left.length} are played. These are not:

| recording | why not |
|---|---|
${left.map((name) => `| \`${name}\` | ${reasons[name]} |`).join('\n')}
`;
  if (values.write) writeFileSync(page, text);
  else if (!existsSync(page) || readFileSync(page, 'utf8') !== text) {
    problems.push('docs/evidence/recordings.md is not up to date: npm run recordings:play -- --write');
  }
}
