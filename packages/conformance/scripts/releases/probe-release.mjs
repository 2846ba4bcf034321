/**
 * Runs every probe with one CLI: the part of `scripts/releases.mjs` that needs no network.
 *
 *   node probe-release.mjs JOB.json
 *
 * The job names the built suite, the CLI, the probes that are wanted, and the file that gets the words.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSure } from './choose.mjs';
import { EVALUATE } from './evaluate.mjs';
import { GUARDS } from './guards.mjs';
import { NEWER } from './newer.mjs';
import { OPTIONS } from './options.mjs';
import { controlRequests } from './requests.mjs';
import { Stage } from './stage.mjs';

const AT_ONCE = 8;
const job = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const load = (...path) => import(pathToFileURL(join(...path)).href);
const { messagesApi } = await load(job.sdk, 'testing', 'index.js');
const { privateEnvironment } = await load(job.dist, 'drift/private-environment.js');
const adapter = () => load(job.sdk, 'adapter', 'index.js');
mkdirSync(job.root, { recursive: true });

const found = {};
const isWanted = (name) => job.probes === undefined || job.probes.includes(name);
const waiting = [
  ...Object.entries({ ...GUARDS, ...EVALUATE, ...NEWER, ...OPTIONS, requests: controlRequests }).filter(([name]) =>
    isWanted(name),
  ),
];
async function attempt(name, probe) {
  const stage = new Stage({ cli: job.cli, root: job.root, messagesApi, privateEnvironment, adapter });
  try {
    const words = await probe(stage);
    return typeof words === 'string' ? { [name]: words } : words;
  } finally {
    stage.remove();
  }
}

const next = async () => {
  for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
    const [name, probe] = entry;
    try {
      const words = await attempt(name, probe);
      found[name] = isSure(words) ? words : await attempt(name, probe);
    } catch (error) {
      console.log(`  ${name}: ${error.stack}`);
    }
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, next));
rmSync(job.root, { recursive: true, force: true, maxRetries: 5 });
writeFileSync(job.out, JSON.stringify(found));
process.exit(0);
