import { fileAppears } from '../../../../src/testing/player/player-folder.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { CliPlace, type LogLine } from './cli-place.js';
import type { Link, Reply } from './link.js';
import { mismatch } from './pattern.js';
import type { Act, ProcessProgram } from './program.js';
import type { Json, Side } from './row.js';

const WAIT_MS = 6000;
const END_MS = 12_000;
const LOOK_MS = 25;

/** Everything one side did in one program, as it came. */
export interface Raw {
  readonly events: readonly JsonObject[];
  readonly start: Reply;
  readonly calls: Readonly<Record<string, Reply>>;
  /** Milliseconds from a command to its answer. */
  readonly tookMs: Readonly<Record<string, number>>;
  /** Waits of acts that were in vain. */
  readonly missed: readonly string[];
  readonly isOver: boolean;
  readonly log: readonly LogLine[];
  readonly verdict: ReturnType<CliPlace['verdict']>;
  readonly store: unknown;
  /** What the driver's process printed. */
  readonly stderr: string;
  readonly place: { readonly dir: string; readonly cwd: string | undefined; readonly path: string | undefined };
}

export interface Surroundings {
  /** Where temporary folders are made. */
  readonly scratch: string;
  /** The home of the driver. */
  readonly home: string;
  /** Path of the built player. */
  readonly player: string;
}

/** Runs a program through one driver process. */
export async function execute(
  program: ProcessProgram,
  side: Side,
  link: Link,
  { scratch, home, player }: Surroundings,
): Promise<Raw> {
  const place = new CliPlace(program, scratch, home, player);
  const calls = new Map<string, Reply>();
  const pending = new Map<string, Promise<Reply>>();
  const tookMs: Record<string, number> = {};
  const missed: string[] = [];
  let seen = 0;
  link.forget();
  const isOver = (): boolean =>
    calls.get('start')?.error !== undefined || link.events.some(({ what }) => what === 'end' || what === 'error');

  const act = async (one: Act): Promise<void> => {
    if ('drive' in one) {
      const reply = link.command(one.drive);
      if (one.as !== undefined) {
        const { as } = one;
        pending.set(as, reply);
        const began = performance.now();
        void reply.then((value) => {
          calls.set(as, value);
          tookMs[as] = performance.now() - began;
        });
      }
      return;
    }
    if ('reply' in one) {
      const name = one.reply;
      const came = await within(pending.get(name) ?? Promise.resolve({}), one.timeoutMs ?? WAIT_MS);
      if (came === undefined) missed.push(`reply ${name}`);
      return;
    }
    if ('observe' in one) {
      const found = (): number =>
        link.events.findIndex((event, at) => at >= seen && mismatch(one.observe as Json, event as Json) === undefined);
      if (await link.until(() => found() >= 0, WAIT_MS)) seen = found() + 1;
      else missed.push(`observe ${JSON.stringify(one.observe)}`);
      return;
    }
    if ('reached' in one) {
      const abandoned = new AbortController();
      const file = place.folder.markFile(one.reached);
      const isThere = await within(
        fileAppears(file, abandoned.signal).then(() => true),
        WAIT_MS,
      );
      abandoned.abort();
      if (isThere !== true) missed.push(`reached ${one.reached}`);
      return;
    }
    place.folder.openGate(one.open);
  };

  try {
    const { mode, prompt, stream, callbacks } = program;
    const starting = link.command({
      command: 'start',
      mode,
      ...(prompt === undefined ? {} : { prompt }),
      ...(stream === undefined ? {} : { stream }),
      options: {
        ...program.options,
        ...program[side === 'ours' || side === 'official' ? 'ours' : 'python'],
        $hostEnv: hostEnvOf(program, home),
      },
      callbacks: callbacks ?? {},
      ...(place.path === undefined ? {} : { cli: place.path }),
      ...(place.cwd === undefined ? {} : { cwd: place.cwd }),
    });
    void starting.then((reply) => calls.set('start', reply));
    pending.set('start', starting);
    if (program.isEarly !== true) await within(starting, END_MS);
    for (const one of program.acts ?? []) await act(one);
    const last = program.last ?? (mode === 'query' ? 'wait' : 'close');
    if (last === 'wait') await link.until(isOver, END_MS);
    else await within(link.command({ command: last }), END_MS);
    const wasOver = isOver();
    const store = await storeOf(program, link);
    await within(link.command({ command: 'finish' }), END_MS);
    await lookFor(() => everyProcessEnded(place.log()));
    return {
      events: [...link.events],
      start: calls.get('start') ?? {},
      calls: Object.fromEntries(calls),
      tookMs,
      missed,
      isOver: wasOver,
      log: place.log(),
      verdict: place.verdict(),
      store,
      stderr: link.stderr,
      place: { dir: place.dir, cwd: place.cwd, path: place.path },
    };
  } finally {
    place.remove();
  }
}

async function storeOf({ options }: ProcessProgram, link: Link): Promise<unknown> {
  if (options?.sessionStore === undefined) return undefined;
  const reply = await within(link.command({ command: 'sessions', function: 'storeEntries', args: [] }), WAIT_MS);
  return reply?.result;
}

/** The variables of the host, as they are for this run. */
function hostEnvOf({ hostEnv = {}, probe }: ProcessProgram, home: string): JsonObject {
  return {
    ...(probe === undefined ? { CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1' } : {}),
    ...Object.fromEntries(Object.entries(hostEnv).map(([name, value]) => [name, value.replaceAll('<home>', home)])),
  };
}

function everyProcessEnded(log: readonly LogLine[]): boolean {
  return log
    .filter(({ event }) => event === 'start')
    .every(({ pid }) => log.some((line) => line.pid === pid && line.event === 'end') || !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function lookFor(holds: () => boolean): Promise<boolean> {
  const until = Date.now() + WAIT_MS;
  while (!holds()) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
