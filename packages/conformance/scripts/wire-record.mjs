/**
 * Records one CLI, and every SDK with it: the part of `scripts/wire.mjs` that runs without a network.
 *
 *   node wire-record.mjs JOB.json
 *
 * The job names the built suite, the CLI, the SDKs by column, and the file that gets the record.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const load = (file) => import(pathToFileURL(join(job.dist, file)).href);
const { messagesApi } = await import(pathToFileURL(join(job.sdk, 'testing', 'index.js')).href);
const [{ recordCli }, { readLiveScenarios }, { SDK_SCENARIOS }, { runSdk }] = await Promise.all(
  ['drift/record-cli.js', 'drift/live-scenario.js', 'sdk-table/sdk-scenarios.js', 'sdk-table/run-sdk.js'].map(load),
);

const record = { version: job.version };
if (job.records.includes('cli')) {
  record.cli = await recordCli({
    scenarios: readLiveScenarios(job.live),
    cli: job.cli,
    // Some runs end early, as is meant.
    startApi: (turns) => messagesApi({ turns, strict: false }),
    timeoutFactor: job.timeoutFactor,
    onRun: (name, problem) => problem !== undefined && console.log(`  ${job.version} ${name}: ${problem}`),
  });
}
if (job.records.includes('sdks')) {
  record.cells = {};
  // Every scenario in its place, whichever ends first.
  const places = () => Object.fromEntries(SDK_SCENARIOS.map(({ name }) => [name, undefined]));
  for (const [column, { release }] of Object.entries(job.sdks)) record.cells[column] = { release, scenarios: places() };
  const waiting = Object.entries(job.sdks).flatMap(([column, sdk]) =>
    SDK_SCENARIOS.map((scenario) => ({ column, sdk, scenario })),
  );
  const next = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const { column, sdk, scenario } = each;
      const options = { cli: job.cli, cliVersion: job.version, timeoutFactor: job.timeoutFactor };
      const { problem } = await runSdk({ ...options, sdk, scenario });
      record.cells[column].scenarios[scenario.name] = problem ?? 'passed';
      if (problem !== undefined) console.log(`  ${job.version} ${column} ${sdk.release}, ${scenario.name}: ${problem}`);
    }
  };
  // Programs wait for the CLI most of the time.
  await Promise.all([next(), next(), next()]);
}
writeFileSync(job.out, `${JSON.stringify(record)}\n`);
