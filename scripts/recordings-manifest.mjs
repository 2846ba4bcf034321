// Counts what the recordings hold: node scripts/recordings-manifest.mjs [--check]
//
// Writes test/fixtures/recordings/manifest.json; with --check it only compares, and exits 1 when the
// file is stale. Shares no code with src on purpose: the tests hold src against these counts.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../test/fixtures/recordings/', import.meta.url));
const MANIFEST = `${FOLDER}manifest.json`;

/** `type`, and after a slash whatever refines it: the frame's own subtype, or that of its envelope. */
function nameOf(frame) {
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) return 'raw';
  const subtype = frame.subtype ?? frame.request?.subtype ?? frame.response?.subtype;
  const type = frame.type ?? 'no type';
  return subtype === undefined ? type : `${type}/${subtype}`;
}

function sorted(counts) {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describe(file) {
  const bytes = readFileSync(FOLDER + file);
  const lines = bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const counts = { lines: {}, out: {}, in: {} };
  // By process number: the exit code, or the name of the signal.
  const exits = {};
  for (const { dir, data, proc = 1 } of lines) {
    counts.lines[dir] = (counts.lines[dir] ?? 0) + 1;
    if (dir === 'out' || dir === 'in') {
      const name = nameOf(data);
      counts[dir][name] = (counts[dir][name] ?? 0) + 1;
    }
    if (data.event === 'exit') exits[proc] = data.signal ?? data.code;
  }
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    cli_version: lines[0].data.cli_version,
    lines: sorted(counts.lines),
    out: sorted(counts.out),
    in: sorted(counts.in),
    exits,
  };
}

const files = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.jsonl'))
  .sort();
const recordings = Object.fromEntries(files.map((file) => [file.replace('.jsonl', ''), describe(file)]));
const text = `${JSON.stringify({ recordings }, null, 1)}\n`;

if (process.argv.includes('--check')) {
  let current = '';
  try {
    current = readFileSync(MANIFEST, 'utf8');
  } catch {
    // No manifest yet: stale.
  }
  if (current !== text) {
    console.error('manifest.json is stale: run node scripts/recordings-manifest.mjs');
    process.exit(1);
  }
  console.log(`manifest.json is up to date: ${files.length} recordings`);
} else {
  writeFileSync(MANIFEST, text);
  console.log(`manifest.json: ${files.length} recordings`);
}
