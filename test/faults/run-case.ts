import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { isClaudeSDKError, type Options, outcomeOf, type SDKMessage } from '../../src/index.js';
import { CALLBACK_FAULTS, callbackOptions, faultyStore, STORE_FAULTS } from './callbacks.js';
import type { CountedClock } from './counted-clock.js';
import { DOORS } from './doors.js';
import { FaultyCli } from './faulty-cli.js';
import { HOST_BEHAVIOURS, type RunningSession } from './host-behaviours.js';
import { PROMPTS } from './prompts.js';
import { caseSeed, Random } from './random.js';
import { WIRE_FAULTS } from './wire-faults.js';

/** Virtual milliseconds: of the run, and of what comes after it. */
const DEADLINE_MS = 1_000_000;
const PATIENCE_MS = 2_500_000;
const LEAVING_MS = 30_000;

export interface CasePlace {
  readonly clock: CountedClock;
  /** The child's configuration folder. */
  readonly configFolder: string;
  /** Private files of the SDK would lie here. */
  readonly tempFolder: string;
}

export interface CaseReport {
  readonly name: string;
  readonly hasFired: boolean;
  /** How the run ended. */
  readonly outcome: string;
  readonly violations: readonly string[];
}

/** Runs one session in which one thing goes wrong on each side, and looks at everything that must hold. */
export async function runCase(seed: number, index: number, place: CasePlace): Promise<CaseReport> {
  const random = new Random(caseSeed(seed, index));
  // One stream of choices for each side: their order in time must not change the case.
  const fork = (): Random => new Random(random.below(2 ** 32));
  const { clock, configFolder, tempFolder } = place;
  const fault = random.chance(0.8) ? random.pick(WIRE_FAULTS) : WIRE_FAULTS[0]!;
  const host = random.chance(0.6) ? random.pick(HOST_BEHAVIOURS) : HOST_BEHAVIOURS[0]!;
  const callback = random.chance(0.5) ? random.pick(CALLBACK_FAULTS) : CALLBACK_FAULTS[0]!;
  const promptKind = random.chance(0.5) ? random.pick(PROMPTS) : PROMPTS[0]!;
  const store = random.chance(0.2) ? random.pick(STORE_FAULTS) : undefined;
  const doorName = random.pick(['query', 'query', 'client', 'startup', 'prewarm'] as const);
  const names = [doorName, fault.name, host.name, callback.name, promptKind.name];
  const name = [...names, ...(store === undefined ? [] : [`store ${store.name}`])].join(' | ');

  const violations: string[] = [];
  const ownError = new Error('of the caller');
  const diagnose = random.below(4);
  const cli = new FaultyCli({
    ...{ random: fork(), fault, configFolder, wait: clock.wait },
    faultAt: random.below(9),
    ignoresEndOfInput: random.chance(0.1),
    ignoresSigterm: random.chance(0.1),
  });
  let hasSpawned = false;
  let session: RunningSession | undefined;
  const abortController = new AbortController();
  const tracked: Promise<unknown>[] = [];
  const seen: SDKMessage[] = [];
  const files = readdirSync(tempFolder).length;
  const listeners = listenerCount();
  const options: Options & { abortController: AbortController } = {
    abortController,
    env: { CLAUDE_CONFIG_DIR: configFolder, PATH: '/usr/bin:/bin' },
    deadlineMs: DEADLINE_MS,
    spawnClaudeCodeProcess: (request) => {
      hasSpawned = true;
      return cli.spawn(request);
    },
    onDiagnostic: () => {
      if (diagnose === 0) throw new Error('from onDiagnostic');
      if (diagnose === 1) return Promise.reject(new Error('from onDiagnostic')) as never;
    },
    ...callbackOptions(callback, {
      ...{ random: fork(), wait: clock.wait },
      again: () => session?.setModel('again') ?? Promise.resolve(),
      close: () => void session?.close(),
      interrupt: () => session?.interrupt() ?? Promise.resolve(),
    }),
    ...(store && { sessionStore: faultyStore(store, clock.wait) }),
    ...fault.options,
    ...host.options,
  };
  const choices = { prompt: fork(), host: fork() };
  const judgeError = (error: unknown, where: string): void => {
    if (error === ownError || isClaudeSDKError(error)) return;
    violations.push(`${where}: an error that is not ours: ${describe(error)}`);
  };

  let error: unknown;
  let hasError = false;
  const program = async (): Promise<void> => {
    try {
      session = await DOORS[doorName]({
        prompt: promptKind.make({ random: choices.prompt, ownError, wait: clock.wait }),
        ...{ options, results: promptKind.messages },
      });
      await host.run(session, {
        ...{ random: choices.host, ownError, wait: clock.wait },
        take: (message) => void seen.push(message),
        track: (promise) => {
          // Looked at when the program is done; until then it does not count as unhandled.
          promise.catch(() => {});
          tracked.push(promise);
        },
      });
    } catch (thrown) {
      error = thrown;
      hasError = true;
      judgeError(thrown, 'the loop');
    }
    if (session !== undefined) tracked.push(session.dispose());
    for (const settled of await Promise.allSettled(tracked)) {
      if (settled.status === 'rejected') judgeError(settled.reason, 'a promise');
    }
  };
  try {
    await clock.until(program(), PATIENCE_MS);
    if (hasSpawned) await clock.until(cli.exited, LEAVING_MS);
  } catch (thrown) {
    violations.push(
      `did not settle (${session === undefined ? 'no session' : 'open'}, exited: ${cli.hasExited}, signals: ${cli.signals.join()}): ${describe(thrown)}`,
    );
    cli.exit(null, 'SIGKILL');
  }
  await clock.advance(0);

  violations.push(...cli.complaints, ...judgeMessages(cli, seen));
  for (const [id, count] of cli.answered) {
    const asked = cli.asked.get(id) ?? 0;
    if (count > asked) violations.push(`${count} answers to ${asked} requests ${id}`);
  }
  for (const where of clock.liveTimers) violations.push(`a timer is left: ${where}`);
  if (listenerCount() !== listeners) violations.push('a listener of the process is left');
  if (getEventListeners(abortController.signal, 'abort').length > 0) {
    violations.push('a listener of the abort signal is left');
  }
  if (readdirSync(tempFolder).length !== files) violations.push('a temporary file is left');
  if (Reflect.get({}, 'polluted') !== undefined) violations.push('the prototype was changed');

  let outcome = 'none';
  try {
    const judged = hasError ? outcomeOf(seen, error) : outcomeOf(seen);
    outcome = judged.kind;
    if (hasError && error !== ownError && outcome === 'completed') {
      violations.push(`completed, although the loop threw ${describe(error)}`);
    }
  } catch (thrown) {
    violations.push(`outcomeOf() threw ${describe(thrown)}`);
  }
  const isCalm =
    fault.isHarmless &&
    host.isCalm &&
    callback.isCalm &&
    promptKind.messages !== undefined &&
    promptKind.messages > 0 &&
    store?.name !== 'never settles';
  if (isCalm) violations.push(...judgeCalm());
  return { name, hasFired: cli.hasFired, outcome, violations };

  function judgeCalm(): string[] {
    const wrong: string[] = [];
    if (hasError) wrong.push(`a calm run threw ${describe(error)}`);
    else if (outcome !== 'completed') wrong.push(`a calm run is ${outcome}`);
    const missing = cli.sent.filter(({ id }) => !seen.some((each) => uuidOf(each) === id));
    if (missing.length > 0 && doorName !== 'client') {
      wrong.push(`lost: ${missing.map(({ id }) => id).join()}`);
    }
    // With further messages behind it, a result may close the input while the next turn asks: the official rule.
    if (promptKind.messages !== 1) return wrong;
    for (const id of cli.owed) {
      if (!cli.answered.has(id) && doorName !== 'client') wrong.push(`no answer to ${id}`);
    }
    return wrong;
  }
}

/** What was taken is what was sent, from the first on, with nothing doubled and nothing moved. */
function judgeMessages(cli: FaultyCli, seen: readonly SDKMessage[]): string[] {
  let next = 0;
  for (const message of seen) {
    const id = uuidOf(message);
    if (id === undefined || !id.startsWith('m-')) continue;
    while (cli.sent[next]?.id !== id && cli.sent[next]?.isRequired === false) next += 1;
    const expected = cli.sent[next]?.id;
    if (expected !== id) return [`got ${id} where ${expected ?? 'nothing'} was sent`];
    next += 1;
  }
  return [];
}

function uuidOf(message: SDKMessage): string | undefined {
  const uuid: unknown = Reflect.get(message, 'uuid');
  return typeof uuid === 'string' ? uuid : undefined;
}

function listenerCount(): number {
  return process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error}`;
  return `${error.name}: ${error.message}\n${error.stack?.split('\n').slice(1, 5).join('\n')}`;
}
