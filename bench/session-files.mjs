/**
 * Session files: listing many sessions, and reading one large transcript, beside a plain-Node floor.
 *
 *   node bench/session-files.mjs [--dist DIR] [--official DIR] [--sessions N] [--mb N]
 *
 * `--dist` is a build (`dist`); `--official` a folder with `@anthropic-ai/claude-agent-sdk` installed. 10,000 sessions of 3 KB and one
 * transcript of 500 MB are written to a temporary folder. Each figure is the best of five in a process of its own: wall time,
 * CPU time of all threads, and by how much the process grew at its peak.
 */
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: 'dist' },
    official: { type: 'string' },
    sessions: { type: 'string', default: '10000' },
    mb: { type: 'string', default: '500' },
    one: { type: 'string' },
  },
});
const LARGE = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const uuid = (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const ASK = {
  'list all': { many: true, ask: (sdk) => sdk.listSessions() },
  'list page of 50': { many: true, ask: (sdk) => sdk.listSessions({ limit: 50 }) },
  'info of the large one': { ask: (sdk) => sdk.getSessionInfo(LARGE) },
  'page of its messages': { ask: (sdk) => sdk.getSessionMessages(LARGE, { limit: 50, offset: 1000 }) },
  'all of its messages': { ask: (sdk) => sdk.getSessionMessages(LARGE) },
};

/** What cannot be left out: the same files opened, their edges read, or every line read and parsed. */
const FLOOR = {
  'list all': () => eachFile((path) => readEdges(path)),
  'list page of 50': () => eachFile((path) => fs.statSync(path)),
  'info of the large one': () => readEdges(largePath()),
  'page of its messages': () => readLines(false),
  'all of its messages': () => readLines(true),
};

if (values.one === undefined) runAll();
else await runOne(JSON.parse(values.one));

function runAll() {
  const base = fs.mkdtempSync(join(tmpdir(), 'bench-session-files-'));
  process.on('exit', () => fs.rmSync(base, { recursive: true, force: true }));
  const folders = { many: join(base, 'many'), large: join(base, 'large') };
  writeMany(folders.many);
  writeLarge(folders.large);
  const entries = {
    claudewire: pathToFileURL(resolve(values.dist, 'index.js')).href,
    ...(values.official !== undefined && {
      official: pathToFileURL(resolve(values.official, 'node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs')).href,
    }),
  };
  for (const [name, { many }] of Object.entries(ASK)) {
    const env = { ...process.env, CLAUDE_CONFIG_DIR: many === true ? folders.many : folders.large };
    for (const contender of ['raw', ...Object.keys(entries)]) {
      const one = JSON.stringify({ name, entry: entries[contender] });
      const { stdout, status, stderr } = spawnSync(
        process.execPath,
        ['--max-old-space-size=8192', fileURLToPath(import.meta.url), '--one', one],
        { encoding: 'utf8', env },
      );
      if (status !== 0) throw new Error(`${name}, ${contender}: ${stderr}`);
      console.log(`${name.padEnd(24)}${contender.padEnd(12)}${stdout.trim()}`);
    }
  }
}

async function runOne({ name, entry }) {
  const sdk = entry === undefined ? undefined : await import(entry);
  const ask = sdk === undefined ? FLOOR[name] : () => ASK[name].ask(sdk);
  const before = process.memoryUsage().rss;
  const runs = [];
  for (let run = 0; run < 5; run++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const answer = await ask();
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    if (answer === undefined || answer.length === 0) throw new Error('no answer');
    runs.push({ ms, cpuMs: (user + system) / 1000 });
  }
  const best = (key) => Math.min(...runs.map((run) => run[key])).toFixed(1);
  const grown = (process.resourceUsage().maxRSS * 1024 - before) / 1e6;
  console.log(`${best('ms')} ms, CPU ${best('cpuMs')} ms, grew ${grown.toFixed(0)} MB`);
}

function linesOf(count, idOf) {
  return Array.from({ length: count }, (_, index) => lineOf(index, idOf)).join('');
}

function lineOf(n, sessionId) {
  const isUser = n % 2 === 0;
  const isResult = n % 5 === 4;
  const text = isResult ? `${'x'.repeat(8000)}\n"quoted" é` : 'some text of a turn '.repeat(20);
  const role = isUser ? 'user' : 'assistant';
  return `${JSON.stringify({
    parentUuid: n === 0 ? null : uuid(n - 1),
    isSidechain: false,
    type: role,
    message: { role, ...(isUser ? {} : { id: `msg_${n}` }), content: [{ type: 'text', text }] },
    uuid: uuid(n),
    timestamp: new Date(1.7e12 + n * 1000).toISOString(),
    cwd: '/work-dir',
    sessionId,
    version: '2.1.330',
    gitBranch: 'main',
    ...(isResult ? { toolUseResult: { stdout: text } } : {}),
  })}\n`;
}

function folderIn(config) {
  const folder = join(config, 'projects', '-work-dir');
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

function writeMany(config) {
  const folder = folderIn(config);
  for (let n = 0; n < Number(values.sessions); n++) {
    fs.writeFileSync(join(folder, `${uuid(n)}.jsonl`), linesOf(4, uuid(n)));
  }
}

function writeLarge(config) {
  const descriptor = fs.openSync(join(folderIn(config), `${LARGE}.jsonl`), 'w');
  let batch = '';
  for (let n = 0, bytes = 0; bytes < Number(values.mb) * 1e6; n++) {
    batch += lineOf(n, LARGE);
    if (batch.length < 4e6) continue;
    bytes += fs.writeSync(descriptor, batch);
    batch = '';
  }
  fs.writeSync(descriptor, batch);
  fs.closeSync(descriptor);
}

function largePath() {
  return join(folderIn(process.env.CLAUDE_CONFIG_DIR), `${LARGE}.jsonl`);
}

function eachFile(read) {
  const folder = folderIn(process.env.CLAUDE_CONFIG_DIR);
  return fs.readdirSync(folder).map((name) => read(join(folder, name)));
}

function readEdges(path) {
  const buffer = Buffer.allocUnsafe(65_536);
  const descriptor = fs.openSync(path);
  const { size } = fs.fstatSync(descriptor);
  fs.readSync(descriptor, buffer, 0, 65_536, 0);
  if (size > 65_536) fs.readSync(descriptor, buffer, 0, 65_536, size - 65_536);
  fs.closeSync(descriptor);
  return [size];
}

/** Every line parsed in turn; all of them kept, or none. */
function readLines(isKept) {
  const chunk = Buffer.allocUnsafe(1 << 20);
  const descriptor = fs.openSync(largePath());
  const kept = [];
  let rest = Buffer.alloc(0);
  for (let length = 1; length > 0; ) {
    length = fs.readSync(descriptor, chunk, 0, chunk.length, null);
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      const entry = JSON.parse(bytes.toString('utf8', start, end));
      kept[isKept ? kept.length : 0] = entry.message;
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
  fs.closeSync(descriptor);
  return kept;
}
