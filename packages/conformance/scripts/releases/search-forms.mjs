/**
 * Which forms of settings make one CLI drop a rule that denies, beside which they are given: the part of
 * `scripts/setting-forms.mjs` that needs no network.
 *
 *   node search-forms.mjs JOB.json
 *
 * The job names the built suite, the CLI, the forms, and the file that gets what was found.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bypass } from './guards.mjs';
import { batchesOf } from './setting-forms.mjs';
import { failure, Stage } from './stage.mjs';

const CONTENT = 'CONTENT-OF-THE-FILE';
const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const load = (...path) => import(pathToFileURL(join(...path)).href);
const { messagesApi } = await load(job.sdk, 'testing', 'index.js');
const { privateEnvironment } = await load(job.dist, 'drift/private-environment.js');
mkdirSync(job.root, { recursive: true });

/** `kept`, `dropped`, or why it cannot be said. A file that is read shows that the turn came to its tools. */
async function verdictOn({ permissions, ...others }) {
  const stage = new Stage({ cli: job.cli, root: job.root, messagesApi, privateEnvironment });
  try {
    const [file, written] = [stage.write(join(stage.work, 'file.txt'), CONTENT), join(stage.work, 'written')];
    const settings = { ...others, permissions: { ...permissions, deny: ['Write', ...(permissions?.deny ?? [])] } };
    const seen = await bypass(stage, {
      args: ['--settings', JSON.stringify(settings)],
      calls: [
        ['Read', { file_path: file }],
        ['Write', { file_path: written, content: 'x' }],
      ],
      graceMs: 0,
      limitMs: 30_000,
    });
    if (existsSync(written)) return 'dropped';
    return JSON.stringify(seen.bodies).includes(CONTENT) ? 'kept' : (failure(seen) ?? 'nothing is read');
  } finally {
    stage.remove();
  }
}

const found = { runs: 0, dropped: [], unclear: {} };

async function search(forms) {
  const [batch, ...more] = batchesOf(forms);
  if (more.length > 0) {
    for (const each of [batch, ...more]) await search(each.forms);
    return;
  }
  found.runs += 1;
  let verdict = await verdictOn(batch.settings);
  if (verdict === 'no result') verdict = await verdictOn(batch.settings);
  if (verdict === 'kept') return;
  const half = forms.length >> 1;
  if (half > 0) {
    await search(forms.slice(0, half));
    await search(forms.slice(half));
  } else if (verdict === 'dropped') found.dropped.push(forms[0].name);
  else found.unclear[forms[0].name] = verdict;
  if (job.isLoud && half === 0) console.log(`${found.runs} ${verdict} ${forms[0].name}`);
}

const none = await verdictOn({});
if (none !== 'kept') throw new Error(`the rule alone: ${none}`);
await search(job.forms);
const after = await verdictOn({});
if (after !== 'kept') throw new Error(`the rule alone, at the end: ${after}`);
rmSync(job.root, { recursive: true, force: true, maxRetries: 5 });
writeFileSync(job.out, JSON.stringify(found));
process.exit(0);
