/** Starts one run as a process of its own and reads its figure. */
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const ONE_RUN = fileURLToPath(new URL('one-run.mjs', import.meta.url));
const TIMEOUT_MS = 120_000;
const KEPT_STDERR = 2000;

/** Whether host and CLI can be kept on one core. */
export const canPin = spawnSync('taskset', ['--version']).status === 0;

/**
 * @param run - `{ workload, params, pinned?, nodeArgs? }`.
 * @returns `{ value, peakRssMb }`, or `{ error }` when the run failed or one of its checks did.
 */
export async function runOnce(contender, run, { env = {} } = {}) {
  const { workload, params, pinned, nodeArgs = [] } = run;
  const request = JSON.stringify({ contender, workload, params });
  const command = [process.execPath, ...nodeArgs, ONE_RUN, request];
  // The last core: the first one gets most of a machine's interrupts.
  if (pinned && canPin) command.unshift('taskset', '-c', String(availableParallelism() - 1));
  const [file, ...args] = command;
  const child = spawn(file, args, {
    // Node 20 reads these certificates whenever it starts, which would be half of each figure that counts from there.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(0, KEPT_STDERR);
  });
  const [code, signal] = await new Promise((resolve) => {
    child.on('close', (...exit) => resolve(exit));
  });
  if (code === 0) return JSON.parse(stdout);
  return { error: `${signal ?? `exit code ${code}`}\n${stderr}` };
}
