/**
 * Measures what the recorder adds: the same echoing CLI behind a pipe, and behind the recorder, in turns.
 *
 *   node bench/recorder.mjs [--reps N] [--json]
 *
 * `round trip`: one frame out and back, one after another; `flood`: many frames at once, per frame; `large`: one
 * frame of 16 MiB, out and back. Medians over the repetitions, with what the recorder adds.
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: flags } = parseArgs({
  options: { reps: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } },
});
const text = (bytes) => 'A plain sentence of the model, nothing in it. '.repeat(bytes / 46);
const frame = (bytes) =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: text(bytes) }] } })}\n`;
const CASES = [
  { name: 'round trip, 300 B', line: frame(300), count: 1000, window: 1 },
  { name: 'round trip, 4 KB', line: frame(4096), count: 500, window: 1 },
  { name: 'flood, 300 B', line: frame(300), count: 20_000, window: 512 },
  { name: 'flood, 4 KB', line: frame(4096), count: 5000, window: 128 },
  { name: 'large, 16 MiB', line: frame(16 * 1024 * 1024), count: 1, window: 1 },
];

const folder = mkdtempSync(join(tmpdir(), 'bench-recorder-'));
try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function main() {
  const recorder = await buildRecorder();
  const cli = join(folder, 'cli.mjs');
  writeFileSync(cli, 'process.stdin.pipe(process.stdout);');
  chmodSync(cli, 0o700);
  const ways = {
    direct: () => [cli],
    recorder: (run) => [launcher(recorder, cli, run, true)],
    'recorder --no-scrub': (run) => [launcher(recorder, cli, run, false)],
  };
  const figures = Object.fromEntries(
    CASES.map(({ name }) => [name, Object.fromEntries(Object.keys(ways).map((way) => [way, []]))]),
  );
  for (let rep = 0; rep < Number(flags.reps); rep += 1) {
    for (const { name, ...work } of CASES) {
      for (const [way, command] of Object.entries(ways)) {
        figures[name][way].push(await measure(command(`${name}-${way}-${rep}`), work));
      }
    }
  }
  const rows = CASES.map(({ name }) => {
    const [direct, recorded, plain] = Object.values(figures[name]).map(median);
    return { name, direct, recorded, plain, adds: recorded - direct };
  });
  if (flags.json) console.log(JSON.stringify(rows));
  else {
    console.log('µs per frame          direct    recorder   no scrub       adds');
    for (const { name, direct, recorded, plain, adds } of rows) {
      console.log(name.padEnd(18) + [direct, recorded, plain, adds].map(column).join(''));
    }
  }
}

async function buildRecorder() {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['packages/cli/src/record/main.ts'],
    outfile: join(folder, 'recorder.mjs'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
  });
  return pathToFileURL(join(folder, 'recorder.mjs')).href;
}

function launcher(recorder, cli, run, scrub) {
  const name = run.replace(/\W+/g, '-');
  const path = join(folder, `${name}.mjs`);
  const config = {
    ...{ out: join(folder, `${name}.jsonl`), cli, cliVersion: '1', name, scrub },
    spawns: join(folder, `${name}-spawns`),
  };
  writeFileSync(path, `import { runRecorder } from '${recorder}';\nrunRecorder(${JSON.stringify(config)});\n`);
  return path;
}

/** Microseconds per frame, after a warm-up of one frame. */
function measure(args, { line, count, window }) {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const bytes = Buffer.from(line);
  return new Promise((resolve, reject) => {
    let received = 0;
    let sent = 0;
    let began = 0;
    const total = bytes.length * count;
    child.stdout.on('data', (chunk) => {
      received += chunk.length;
      if (began === 0) {
        if (received < bytes.length) return;
        received = 0;
        began = performance.now();
      }
      while (sent < count && sent * bytes.length - received < window * bytes.length) {
        sent += 1;
        child.stdin.write(bytes);
      }
      if (received === total) {
        resolve(((performance.now() - began) * 1000) / count);
        child.stdin.end();
      }
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) reject(new Error(`exit ${code}`));
    });
    child.stdin.write(bytes);
  });
}

function column(value) {
  return value.toFixed(1).padStart(11);
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}
