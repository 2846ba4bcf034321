import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
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

interface Control {
  readonly facts: readonly string[];
  /** How long the whole run took. */
  readonly ms: number;
}

/** A control comes to its end, however busy the machine is. */
const CONTROL_FLOOR_MS = 60_000;
/** A host hangs when it waits this many times as long as its control took from start to end. */
const PATIENCE = 3;
const RUNS_AT_ONCE = 2;
/** What hosts have in common; it shows in the user agent. */
const ENTRYPOINT = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts', CLAUDE_CODE_MAX_RETRIES: '1' };
/** In a play: the working directory of the run, and its other folders. */
const WORK_DIR = '/work-dir';
const CONFIG_DIR = '/config-dir';
/** In a play: the folder of the transcripts of its working directory. */
const PROJECT_DIR = '/project-dir';

/** Runs each deviation and, once for all that share it, its control. */
export async function runDeviations(options: RunDeviationsOptions): Promise<DeviationRuns> {
  const scratch = mkdtempSync(join(tmpdir(), 'cw-dev-'));
  const census = emptyCensus();
  const controls = new Map<string, Promise<Control>>();
  const outcomes: Record<string, Outcome> = {};
  let runs = 0;
  let started = 0;
  const facts = (play: Play, counts: Census, floorMs: number): Promise<readonly string[]> => {
    started += 1;
    return observe(play, { ...options, folder: join(scratch, String(started)), census: counts, floorMs });
  };
  /** Two deviations that look at different things share no control. */
  const controlOf = (play: Play): Promise<Control> => {
    const key = JSON.stringify(play);
    const known = controls.get(key);
    if (known !== undefined) return known;
    runs += 1;
    const control = timed(() => facts(play, census, CONTROL_FLOOR_MS));
    controls.set(key, control);
    return control;
  };
  const waiting = wanted(options);
  const next = async (): Promise<void> => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const { control, play } = playsOf(each.group, each.deviation);
      const same = { ...control, marks: play.marks ?? [], see: play.see ?? [] };
      const { facts: expected, ms } = await controlOf(same);
      const outcome = isUnfinished(expected)
        ? { outcome: 'not_run' as const, saw: expected.map((fact) => `the control: ${fact}`) }
        : outcomeOf(expected, await facts(play, emptyCensus(), ms * PATIENCE));
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

async function timed(run: () => Promise<readonly string[]>): Promise<Control> {
  const from = Date.now();
  return { facts: await run(), ms: Date.now() - from };
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
  {
    folder,
    census,
    floorMs,
    cli,
    startApi,
    timeoutFactor = 1,
  }: RunDeviationsOptions & { folder: string; census: Census; floorMs: number },
): Promise<readonly string[]> {
  const environment = privateEnvironment(folder);
  const cwd = join(folder, 'work');
  const config = join(folder, 'config');
  mkdirSync(cwd);
  const placed: Play = JSON.parse(
    JSON.stringify(play)
      .replaceAll(PROJECT_DIR, join(config, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')))
      .replaceAll(WORK_DIR, cwd)
      .replaceAll(CONFIG_DIR, config),
  );
  for (const [name, text] of Object.entries(placed.files ?? {})) {
    const file = name.startsWith('/') ? name : join(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const api = await startApi((placed.turns ?? ['Hello.']).map(lengthened));
  const given = Object.fromEntries(Object.entries(placed.env ?? {}).map(([name, value]) => [name, value ?? undefined]));
  try {
    const env = { ...environment, ...ENTRYPOINT, ANTHROPIC_BASE_URL: api.url, ...given };
    const record = await playHost(placed, { cli, cwd, env, timeoutFactor, census, floorMs });
    const names = (placed.see ?? []).flatMap((what) => /^(?:file|exists):(.*)/.exec(what)?.[1] ?? []);
    const read = (name: string): string | undefined => {
      const file = resolve(cwd, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    };
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
