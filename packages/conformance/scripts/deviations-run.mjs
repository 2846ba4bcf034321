/**
 * Runs the deviations of a job: the part of `scripts/deviations.mjs` that runs without a network.
 *
 *   node deviations-run.mjs JOB.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const load = (file) => import(pathToFileURL(file).href);
const { messagesApi } = await load(join(job.sdk, 'testing', 'index.js'));
const { readDeviations } = await load(join(job.dist, 'deviations', 'deviation.js'));
const { runDeviations } = await load(join(job.dist, 'deviations', 'run-deviations.js'));

const runs = await runDeviations({
  levels: readDeviations(job.folder),
  cli: job.cli,
  // Some runs end early, as is meant.
  startApi: (turns) => messagesApi({ turns, strict: false }),
  timeoutFactor: job.timeoutFactor,
  isWanted: (_level, { name, ids }) =>
    job.filter.length === 0 || job.filter.some((text) => name.includes(text) || ids.some((id) => id.startsWith(text))),
  onOutcome({ name, ids }, { outcome, saw }, control) {
    console.log(`  ${ids.join(' ')} ${name}: ${outcome}`);
    if (!job.verbose) return;
    for (const fact of control) console.log(`      . ${fact}`);
    for (const line of saw) console.log(`      ${line}`);
  },
});
writeFileSync(job.out, `${JSON.stringify(runs)}\n`);
