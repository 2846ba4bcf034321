import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { assistantFrame, initFrame, resultFrame } from '../helpers/cli-frames.js';
import { scriptedCli } from '../helpers/scripted-cli.js';
import type { StressReport } from './sessions.js';

const MIB = 1024 * 1024;
const root = fileURLToPath(new URL('../..', import.meta.url));
const host = join(root, '.build/stress/sessions.mjs');

/** Runs the host program in a folder of temporary files of its own. */
async function run(cli: string, total: number, atOnce: number): Promise<StressReport> {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-stress-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', host, cli, String(total), String(atOnce)],
    { env: { ...process.env, TMPDIR: folder }, maxBuffer: MIB },
  );
  return JSON.parse(stdout) as StressReport;
}

function expectNothingLeft({ before, after, complaints }: StressReport): void {
  expect(complaints).toEqual([]);
  expect(after).toEqual({
    heapBytes: expect.any(Number),
    descriptors: before.descriptors,
    children: 0,
    privateFiles: 0,
    exitListeners: 0,
    abortListeners: 0,
  });
  expect(after.heapBytes - before.heapBytes).toBeLessThan(2 * MIB);
}

// What a process left behind is read from /proc.
// Linux only: children and descriptors are counted in /proc.
describe.runIf(process.platform === 'linux')('many sessions leave nothing behind (Linux only)', () => {
  beforeAll(async () => {
    await build({
      absWorkingDir: root,
      entryPoints: ['test/stress/sessions.ts'],
      outfile: host,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: ['@modelcontextprotocol/sdk', 'ajv', 'ajv-formats', 'pino', 'zod'],
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      logLevel: 'warning',
    });
  });

  test('500 one after another, finished, broken off, aborted and closed', async () => {
    const light = fileURLToPath(new URL('cli/light.sh', import.meta.url));
    const report = await run(light, 500, 1);
    expectNothingLeft(report);
    expect(report.ends).toEqual({ finished: 125, broken: 125, aborted: 125, closed: 125 });
  });

  test('50 at once over the scenario player', async () => {
    const cli = scriptedCli([
      { in: { type: 'user' } },
      { out: initFrame() },
      { repeat: 20, steps: [{ out: assistantFrame('x'.repeat(1000)) }] },
      {
        out: {
          type: 'control_request',
          request_id: 'q',
          request: { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, tool_use_id: 't' },
        },
      },
      { in: { type: 'control_response', response: { request_id: 'q', subtype: 'success' } } },
      { out: resultFrame() },
    ]);
    const report = await run(cli.path, 50, 50);
    expectNothingLeft(report);
    expect(report.ends).toEqual({ finished: 13, broken: 13, aborted: 12, closed: 12 });
  });
});
