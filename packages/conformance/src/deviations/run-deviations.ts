import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LoggedRequest } from 'claudewire/testing';
import { privateEnvironment } from '../drift/private-environment.js';
import { isJsonObject } from '../util/json.js';
import { type Deviation, type DeviationGroup, type LevelDeviations, type Play, playsOf } from './deviation.js';
import { factsOf } from './facts.js';
import { type Census, emptyCensus } from './host-reader.js';
import { type Outcome, outcomeOf } from './outcome.js';
import { playHost } from './play-host.js';

export interface RunDeviationsOptions {
  readonly levels: readonly LevelDeviations[];
  /** Path of the CLI. */
  readonly cli: string;
  readonly startApi: (
    turns: readonly unknown[],
  ) => Promise<{ readonly url: string; readonly requests: readonly LoggedRequest[]; close(): Promise<void> }>;
  /** Which to run. */
  isWanted(level: string, deviation: Deviation): boolean;
  /** Multiplies every time limit. @defaultValue 1 */
  readonly timeoutFactor?: number;
  onOutcome?(deviation: Deviation, outcome: Outcome, control: readonly string[]): void;
}

export interface DeviationRuns {
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** Of the hosts that do not deviate. */
  readonly census: Census & { readonly runs: number };
}

const RUNS_AT_ONCE = 2;
/** What hosts have in common; it shows in the user agent. */
const ENTRYPOINT = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_CODE_MAX_RETRIES: '1' };
/** In a play: the working directory of the run, and its other folders. */
const WORK_DIR = '/work-dir';
const CONFIG_DIR = '/config-dir';

/** Runs each deviation and, once for all that share it, its control. */
export async function runDeviations(options: RunDeviationsOptions): Promise<DeviationRuns> {
  const scratch = mkdtempSync(join(tmpdir(), 'cw-dev-'));
  const census = emptyCensus();
  const controls = new Map<string, Promise<readonly string[]>>();
  const outcomes: Record<string, Outcome> = {};
  let runs = 0;
  let started = 0;
  const facts = (play: Play, counts: Census): Promise<readonly string[]> => {
    started += 1;
    return observe(play, { ...options, folder: join(scratch, String(started)), census: counts });
  };
  /** Two deviations that look at different things share no control. */
  const controlFacts = (play: Play): Promise<readonly string[]> => {
    const key = JSON.stringify(play);
    const known = controls.get(key);
    if (known !== undefined) return known;
    runs += 1;
    const control = settled(() => facts(play, census));
    controls.set(key, control);
    return control;
  };
  const waiting = wanted(options);
  const next = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const { control, play } = playsOf(each.group, each.deviation);
      const same = { ...control, marks: play.marks ?? [], see: play.see ?? [] };
      const expected = await controlFacts(same);
      const outcome = isUnfinished(expected)
        ? { outcome: 'not_run' as const, saw: expected.map((fact) => `the control: ${fact}`) }
        : outcomeOf(expected, await settled(() => facts(play, emptyCensus())));
      outcomes[each.deviation.name] = outcome;
      options.onOutcome?.(each.deviation, outcome, expected);
    }
  };
  try {
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, next));
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
  return { outcomes, census: { ...census, runs } };
}

/** Runs again what did not come to its end: the machine may have been busy. */
async function settled(run: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const first = await run();
  return isUnfinished(first) ? run() : first;
}

function isUnfinished(facts: readonly string[]): boolean {
  return facts.some((fact) => / did not come in time$|^end: did not leave/.test(fact));
}

function wanted({ levels, isWanted }: RunDeviationsOptions): { group: DeviationGroup; deviation: Deviation }[] {
  return levels.flatMap(({ level, groups }) =>
    groups.flatMap((group) =>
      group.deviations.filter((each) => isWanted(level, each)).map((deviation) => ({ group, deviation })),
    ),
  );
}

async function observe(
  play: Play,
  { folder, census, cli, startApi, timeoutFactor = 1 }: RunDeviationsOptions & { folder: string; census: Census },
): Promise<readonly string[]> {
  const environment = privateEnvironment(folder);
  const cwd = join(folder, 'work');
  const config = join(folder, 'config');
  mkdirSync(cwd);
  const placed: Play = JSON.parse(JSON.stringify(play).replaceAll(WORK_DIR, cwd).replaceAll(CONFIG_DIR, config));
  for (const [name, text] of Object.entries(placed.files ?? {})) {
    const file = name.startsWith('/') ? name : join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const api = await startApi((placed.turns ?? ['Hello.']).map(lengthened));
  const given = Object.fromEntries(Object.entries(placed.env ?? {}).map(([name, value]) => [name, value ?? undefined]));
  try {
    const env = { ...environment, ...ENTRYPOINT, ANTHROPIC_BASE_URL: api.url, ...given };
    const record = await playHost(placed, { cli, cwd, env, timeoutFactor, census });
    const names = (placed.see ?? []).filter((what) => what.startsWith('file:')).map((what) => what.slice(5));
    const read = (name: string): string | undefined =>
      existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : undefined;
    const files = new Map(names.map((name) => [name, read(name)]));
    const places = { 'work-dir': cwd, 'config-dir': config, folder };
    return factsOf({ record, requests: api.requests, files, places }, placed);
  } finally {
    await api.close();
  }
}

/** A text turn with `repeat` has its text so many times over. */
function lengthened(turn: unknown): unknown {
  if (!isJsonObject(turn) || typeof turn.repeat !== 'number' || typeof turn.text !== 'string') return turn;
  const { repeat, text, ...rest } = turn;
  return { ...rest, text: text.repeat(repeat) };
}
