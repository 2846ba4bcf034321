/**
 * Figures of the session host on a fake CLI, which costs nothing by itself.
 *
 *   npm run bench:server -- [--seconds 600] [--json FILE]
 *
 * - `soak`: 500 conversations on 8 processes, for that many seconds, and at least twice the turns that fill every log.
 *   Heap after a collection, and its slope once the logs are full.
 * - `first event`: from the request to the first message of Claude Code, over HTTP.
 * - `viewers`: 100 of one conversation. `idle viewers`: 1,000, one of each of as many logs in files, for 20 s.
 * - `reconnects`: 1,000, with `Last-Event-ID`.
 * - `killed host`: what another host finds after SIGKILL in a turn, with stores in files.
 *
 * The last line is `N passed, N failed`: nothing lost, doubled or left behind, and no growth. Times are shown, not judged.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' }, json: { type: 'string' } } });
const seconds = Number(values.seconds);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'cw-bench-'));
try {
  for (const [cwd, args] of [
    [root, ['run', '--silent', 'build']],
    [join(root, 'packages', 'server'), ['run', '--silent', 'build']],
  ]) {
    if (spawnSync('npm', args, { cwd, stdio: ['ignore', 2, 2] }).status !== 0) throw new Error(`no build in ${cwd}`);
  }
  const results = {};
  let passed = 0;
  let failed = 0;
  for (const name of [
    'soak',
    'first event',
    'viewers',
    'idle viewers',
    'reconnects',
    'one process each',
    'killed host',
  ]) {
    const part = spawnSync(
      process.execPath,
      ['--expose-gc', join(root, 'packages/server/bench/part.mjs'), name, String(seconds), folder],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 2], env: { ...process.env, TMPDIR: folder } },
    );
    const outcome =
      part.status === 0 ? JSON.parse(part.stdout) : { figures: {}, checks: { [`exit ${part.status}`]: false } };
    outcome.checks['no folder is left'] = readdirSync(folder).every((file) => !file.startsWith('claudewire-'));
    results[name] = outcome.figures;
    say(`${name}: ${JSON.stringify(outcome.figures)}`);
    for (const [check, holds] of Object.entries(outcome.checks)) {
      if (holds) passed += 1;
      else failed += 1;
      if (!holds) say(`FAILED  ${name}: ${check}`);
    }
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}`;
  if (values.json !== undefined) {
    const report = { date: new Date().toISOString().slice(0, 10), machine, seconds, results };
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  say(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
