/**
 * A process that runs cases through one package. It tells its cases, then runs those it is asked for, one after
 * another, and sends what was seen. A case that does not come to its end within its time is told as hung, and the
 * process ends: it is of no more use.
 */
import { z } from 'zod';
import type { Stage } from '../../../helpers/session-case/session-stage.js';
import { writesOddFrames } from '../../../helpers/written-frames.js';
import { cases } from './all-cases.js';
import { clock } from './clock.js';
import { fakeCli } from './fake-cli.js';
import { runLaunchCase } from './launch-case.js';
import type { CaseInfo, CaseResult, ParityCase } from './parity-case.js';
import { partlySeen, runSessionCase } from './session-case.js';
import { besideSubject, createSdkMcpServer, query, tool } from './subject.js';
import { runCleanups } from './vitest-shim.js';

export interface Order {
  readonly keys: readonly string[];
  /** Milliseconds for one case. */
  readonly capMs: number;
  /** Milliseconds that the scripted CLI waits for one thing. */
  readonly stepTimeoutMs: number;
  /** The process may have used the package before the first case. */
  readonly isWarm: boolean;
}

// What each package writes is compared here; held against the schema it is in the tests of this SDK.
writesOddFrames();

const send = (message: object): void => void process.send?.(message);

process.on('message', (order: Order) => void runAll(order));
const infos: CaseInfo[] = cases.map(({ key, ids, differs, isFresh, hostEnv }) => ({
  key,
  ids,
  differs,
  isFresh,
  hostEnv,
}));
send({ cases: infos });

/** Loads what a package loads with its first in-process server, which would count as waiting for that server. */
async function warmUp(): Promise<void> {
  const cli = fakeCli();
  const z3 = (await besideSubject<{ z: typeof z }>('zod/v3')).z;
  const server = createSdkMcpServer({
    name: 'warm',
    tools: [z, z3].map((each, index) => tool(`up${index}`, '', { a: each.string() }, () => ({ content: [] }))),
  });
  const options = { pathToClaudeCodeExecutable: cli.path, mcpServers: { warm: server } };
  for await (const _ of query({ prompt: 'Hi', options }));
  cli.remove();
}

async function runAll({ keys, capMs, stepTimeoutMs, isWarm }: Order): Promise<void> {
  if (isWarm) await warmUp();
  for (const key of keys) {
    const found = cases.find((candidate) => candidate.key === key);
    if (found === undefined) throw new Error(`no such case: ${key}`);
    send({ begun: key });
    await run(withStepTimeout(found, stepTimeoutMs), capMs);
  }
  process.disconnect?.();
  // Whatever a package left behind must not hold the run up.
  setTimeout(() => process.exit(0), 50).unref();
}

async function run(found: ParityCase, capMs: number): Promise<void> {
  let stage: Stage | undefined;
  const result: CaseResult | 'hung' | Error = await Promise.race([
    (found.kind === 'launch'
      ? runLaunchCase(found)
      : runSessionCase(found, (started) => {
          stage = started;
        })
    ).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error)))),
    clock.realDelay(capMs).then(() => 'hung' as const),
  ]);
  if (result === 'hung') {
    const seen = { hung: true, ...(stage && partlySeen(stage)) };
    for (const { pid } of stage?.cli.logs() ?? []) endProcess(pid);
    const problem = 'it did not come to its end';
    const told = { result: { key: found.key, seen, rowProblem: problem, unnoticed: [] } };
    clock.start();
    await Promise.race([runCleanups(), clock.realDelay(500)]);
    process.send?.(told, () => process.exit(0));
    await new Promise(() => {});
  }
  clock.start();
  await runCleanups();
  if (result instanceof Error) {
    const seen = { threw: result.message, ...(stage && partlySeen(stage)) };
    send({ result: { key: found.key, seen, rowProblem: `the case threw: ${result.stack}`, unnoticed: [] } });
    return;
  }
  send({ result });
}

function withStepTimeout(found: ParityCase, stepTimeoutMs: number): ParityCase {
  if (found.kind === 'launch') return found;
  return { ...found, row: { ...found.row, header: { stepTimeoutMs, ...found.row.header } } };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
