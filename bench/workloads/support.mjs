/** Leads to the fake CLIs, and small things that several workloads need. Imports nothing. */

const BYTES_PER_MB = 1024 * 1024;

const FAKE_CLI = decodeURIComponent(new URL('../fake-cli.mjs', import.meta.url).pathname);

/** The Node fake CLI with a job for it. */
export function nodeCli(job) {
  return {
    file: process.execPath,
    args: [FAKE_CLI],
    script: FAKE_CLI,
    env: environment({ BENCH_JOB: JSON.stringify(job) }),
  };
}

/** The shell script of `quick-cli.mjs`. */
export function quickCli(file, frames = '') {
  return { file, args: [], env: environment({ BENCH_FRAMES: frames }) };
}

export function userFrame(text, uuid) {
  const frame = { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
  return uuid === undefined ? frame : { ...frame, uuid };
}

/** A promise and the function that resolves it. */
export function createGate() {
  let open;
  const opened = new Promise((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when there is no such process any more. */
export async function gone(pid) {
  while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Follows the memory of this process; `stop()` says by how many MB it grew at most. */
export function watchGrowth() {
  const before = process.memoryUsage.rss();
  let most = before;
  const sample = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, 20);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return (most - before) / BYTES_PER_MB;
    },
  };
}

function environment(extra) {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, ...extra };
}
