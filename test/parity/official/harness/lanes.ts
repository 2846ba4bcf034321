import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Order } from './child.js';
import type { CaseInfo, CaseResult } from './parity-case.js';

export interface Side {
  readonly name: 'official' | 'ours';
  /** URL of the module under test. */
  readonly url: string;
}

export interface Lane extends Order {
  readonly side: Side;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

export interface Place {
  /** The built child. */
  readonly child: string;
  /** Home and temporary folder of everything that runs. */
  readonly scratch: string;
}

type FromChild = { readonly cases: readonly CaseInfo[] } | { readonly begun: string } | { readonly result: CaseResult };

/** A process that has not said anything for this long is taken for dead. */
const SILENCE_MS = 30_000;

/** The cases there are, as one side tells them. */
export async function listCases(place: Place, side: Side): Promise<readonly CaseInfo[]> {
  let found: readonly CaseInfo[] = [];
  await runProcess(place, { side, hostEnv: {}, keys: [], capMs: 1, stepTimeoutMs: 1, isWarm: false }, (message) => {
    if ('cases' in message) found = message.cases;
  });
  return found;
}

/** Runs a lane's cases in one process, and in another one after each case that ended or hung the process. */
export async function runLane(place: Place, lane: Lane): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  let left = lane.keys;
  while (left.length > 0) {
    let begun: string | undefined;
    const end = await runProcess(place, { ...lane, keys: left }, (message) => {
      if ('begun' in message) begun = message.begun;
      if ('result' in message) results.push(message.result);
    });
    const done = new Set(results.map(({ key }) => key));
    const crashed = begun ?? left[0] ?? '';
    if (!done.has(crashed)) {
      results.push({
        key: crashed,
        seen: { crashed: end.reason },
        rowProblem: `it ended the host process: ${end.stderr}`,
        unnoticed: [],
      });
      done.add(crashed);
    }
    left = left.filter((key) => !done.has(key));
  }
  return results;
}

function runProcess(
  { child: path, scratch }: Place,
  { side, hostEnv, keys, capMs, stepTimeoutMs, isWarm }: Lane,
  onMessage: (message: FromChild) => void,
): Promise<{ reason: string; stderr: string }> {
  const home = join(scratch, side.name);
  mkdirSync(join(home, 'tmp'), { recursive: true });
  const child = fork(path, [], {
    cwd: home,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      // Built from nothing: no login, no setting of the developer's takes part.
      PATH: process.env.PATH,
      HOME: home,
      TMPDIR: join(home, 'tmp'),
      LANG: 'C.UTF-8',
      ...hostEnv,
      PARITY_SUBJECT: side.url,
      PARITY_NAME: side.name,
    },
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  return new Promise((resolve) => {
    const onSilence = (): void => void child.kill('SIGKILL');
    let silence = setTimeout(onSilence, SILENCE_MS);
    child.on('message', (message) => {
      clearTimeout(silence);
      silence = setTimeout(onSilence, SILENCE_MS);
      onMessage(message as FromChild);
    });
    child.on('close', (code, signal) => {
      clearTimeout(silence);
      resolve({ reason: code === null ? `signal ${signal}` : `exit ${code}`, stderr });
    });
    child.send({ keys, capMs, stepTimeoutMs, isWarm } satisfies Order);
  });
}
