import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseScenario } from 'claudewire/testing';
import { type ConformanceData, requireData, type ScenarioEntry } from '../data/conformance-data.js';
import { LineChecker } from '../driver/check-line.js';
import { DriverProcess } from '../driver/driver-process.js';
import { DriverFault, type DriverHello } from '../driver/driver-protocol.js';
import { checkFeatures } from '../driver/known-features.js';
import { invalidArgument, requireCommand, requireObject } from '../util/arguments.js';
import { IdleShare } from './idle-share.js';
import { isFailure, type NotRun, type ScenarioResult, type SuiteResult } from './results.js';
import { runScenario } from './run-scenario.js';
import { makeTempFolder } from './scenario-folder.js';
import { ScenarioQueue } from './scenario-queue.js';
import { withoutStandIn } from './stand-in.js';

const DEFAULT_JOBS = 2;
/**
 * A scenario that only waits needs no core: others are played beside it, up to so many. Time-outs stay as they are, and
 * so do the verdicts.
 */
const MAX_LANES = 24;
const LOOK_MS = 250;
/** So long without a word a driver is waiting. */
const QUIET_MS = 400;
/** With less of the machine idle a slow SDK would become slower. */
const MIN_IDLE = 0.25;
/** When this much is idle, lanes that look busy are waiting too: for a process to start, or in a pause the SDK makes. */
const HALF_IDLE = 0.5;
/** Nothing has passed, and so many waited in vain: being slow is no longer what is wrong. */
const HANGS_BY_ITSELF = 4;
/** Starts without a hello, when there has never been one: trying again says nothing new. */
const MAX_FALSE_STARTS = 2;
/** What would let the machine's own configuration into a run. */
const OWN_VARIABLES = /^(?:CLAUDE|ANTHROPIC)/;

export interface RunSuiteOptions {
  readonly data: ConformanceData;
  /** A part of the data's scenarios. @defaultValue all of them */
  readonly scenarios?: readonly ScenarioEntry[];
  /** The driver: executable and arguments. */
  readonly command: readonly [string, ...string[]];
  /** @defaultValue what the driver calls itself */
  readonly name?: string | undefined;
  /** The built player (`player.mjs`). @defaultValue that of `claudewire` */
  readonly player?: string | URL | undefined;
  /**
   * Scenarios that are run at the same time, each with a driver of its own.
   * @defaultValue 2, and up to 24 while others only wait for time-outs and the machine is idle
   */
  readonly jobs?: number;
  /** A new driver for every scenario. @defaultValue false: one is used until a scenario is not passed */
  readonly fresh?: boolean;
  /** Stops at the first failure. @defaultValue false */
  readonly bail?: boolean;
  /** Multiplies every time-out. @defaultValue 1 */
  readonly timeoutFactor?: number;
  /** Keeps the folders of runs that are not passed. @defaultValue false */
  readonly keep?: boolean;
  /** Kills the drivers and all they started at once. Scenarios that were not over are not in the result. */
  readonly signal?: AbortSignal;
  /** As each scenario ends. */
  readonly onResult?: (result: ScenarioResult) => void;
}

/** Runs scenarios through one driver. Never rejects for what the driver or the SDK does. */
export async function runSuite(options: RunSuiteOptions): Promise<SuiteResult> {
  const takes = 'runSuite() takes an object';
  const cure = 'Pass one such as `{ data: loadData(findData({})), command: ["node", "driver.mjs"] }`.';
  requireObject('options', takes, options, cure, { data: 'object' });
  requireData('runSuite', options.data);
  requireCommand('runSuite', options.command);
  const { scenarios = options.data.scenarios, name, command } = options;
  const began = performance.now();
  const date = new Date().toISOString();
  const run = new SuiteRun(options, scenarios);
  await run.all();
  const { hello, results, fault, notRun } = run;
  return {
    name: name ?? hello?.driver ?? command[0],
    hello,
    results,
    ms: Math.round(performance.now() - began),
    date,
    ...(fault === undefined ? {} : { fault }),
    ...(notRun === undefined ? {} : { notRun }),
  };
}

interface Lane {
  /** Beside the others, while they wait. */
  readonly isExtra: boolean;
  driver: DriverProcess | undefined;
  over: Promise<void>;
}

class SuiteRun {
  hello: DriverHello | undefined;
  readonly #options: RunSuiteOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #scenarios: readonly ScenarioEntry[];
  readonly #results: (ScenarioResult | undefined)[];
  readonly #checker: LineChecker;
  readonly #queue: ScenarioQueue;
  readonly #lanes = new Set<Lane>();
  readonly #idle = new IdleShare();
  #maxBusy = 0;
  #falseStarts = 0;
  #fault: DriverFault | undefined;
  #isStopped = false;

  constructor(options: RunSuiteOptions, scenarios: readonly ScenarioEntry[]) {
    this.#options = options;
    // Every driver and every scenario listens to it: a signal of our own, as the limit is the caller's.
    this.#signal = options.signal === undefined ? undefined : AbortSignal.any([options.signal]);
    if (this.#signal !== undefined) setMaxListeners(0, this.#signal);
    this.#scenarios = scenarios;
    this.#results = scenarios.map(() => undefined);
    this.#checker = new LineChecker(options.data.driverSchema);
    this.#queue = new ScenarioQueue(scenarios, options.timeoutFactor ?? 1);
    this.#maxBusy = this.#jobs;
  }

  get results(): readonly ScenarioResult[] {
    return this.#results.filter((result) => result !== undefined);
  }

  /** Why no driver can be had, with what it wrote to stderr. */
  get fault(): string | undefined {
    return this.#fault?.message;
  }

  get notRun(): NotRun | undefined {
    const scenarios = this.#results.filter((result) => result === undefined).length;
    if (scenarios === 0) return undefined;
    if (this.#options.signal?.aborted) return { scenarios, reason: 'the run was stopped' };
    return this.#queue.leftOut ?? { scenarios, reason: 'it was to stop at the first failure' };
  }

  async all(): Promise<void> {
    for (let lane = 0; lane < Math.max(1, Math.min(this.#jobs, this.#scenarios.length)); lane += 1) this.#open(false);
    const timer = this.#options.jobs === undefined ? setInterval(() => this.#widen(), LOOK_MS) : undefined;
    try {
      while (this.#lanes.size > 0) await Promise.all([...this.#lanes].map(({ over }) => over));
    } finally {
      clearInterval(timer);
    }
  }

  get #jobs(): number {
    return this.#options.jobs ?? DEFAULT_JOBS;
  }

  /** Lanes that do more than wait. */
  get #busy(): number {
    return [...this.#lanes].filter(({ driver }) => driver === undefined || driver.quietMs < QUIET_MS).length;
  }

  #open(isExtra: boolean): void {
    const lane: Lane = { isExtra, driver: undefined, over: Promise.resolve() };
    this.#lanes.add(lane);
    lane.over = this.#play(lane).finally(() => this.#lanes.delete(lane));
  }

  /** One more lane, when those that there are wait. */
  #widen(): void {
    const idle = this.#idle.look();
    this.#maxBusy = idle >= HALF_IDLE ? MAX_LANES : this.#jobs;
    const { hangs, hasPassed, hasMore } = this.#queue;
    if (!hasMore || this.#lanes.size >= MAX_LANES) return;
    // Before anything was in vain, only what a lane that waits leaves free is given to others.
    if (this.#busy >= (hangs === 0 ? this.#jobs : this.#maxBusy)) return;
    const hangsByItself = !hasPassed && hangs >= HANGS_BY_ITSELF;
    if (idle >= MIN_IDLE || hangsByItself) this.#open(true);
  }

  /** Takes scenarios until there are none. One driver at a time, kept as long as nothing went wrong. */
  async #play(lane: Lane): Promise<void> {
    const home = makeTempFolder('claudewire-home-');
    try {
      for (;;) {
        const { fresh = false, bail = false, onResult } = this.#options;
        const signal = this.#signal;
        if (this.#isStopped || signal?.aborted || (lane.isExtra && this.#busy > this.#maxBusy)) return;
        const index = this.#queue.take(lane.isExtra ? 'last' : 'first');
        const entry = index === undefined ? undefined : this.#scenarios[index];
        if (index === undefined || entry === undefined) return;
        const played = await this.#judge(entry, lane, home.path);
        if (signal?.aborted && isFailure(played)) return;
        const result = withoutStandIn(played, lane.driver?.hello);
        this.#results[index] = result;
        this.#queue.note(played);
        onResult?.(result);
        if (bail && isFailure(result)) this.#isStopped = true;
        if (isFailure(played)) await lane.driver?.kill();
        else if (fresh) await lane.driver?.close();
        if (fresh || isFailure(played)) lane.driver = undefined;
      }
    } finally {
      await lane.driver?.close();
      home.remove();
    }
  }

  async #judge(entry: ScenarioEntry, lane: Lane, home: string): Promise<ScenarioResult> {
    try {
      lane.driver ??= await this.#start(home);
      return await this.#run(entry, lane.driver, home);
    } catch (error) {
      if (error instanceof DriverFault) return notStarted(entry, error);
      // The other lanes end too.
      this.#isStopped = true;
      throw error;
    }
  }

  #run(entry: ScenarioEntry, driver: DriverProcess, home: string): Promise<ScenarioResult> {
    const { player, timeoutFactor, keep } = this.#options;
    return runScenario({
      scenario: parseScenario(readFileSync(entry.file, 'utf8'), entry.file),
      driver,
      home,
      player,
      signal: this.#signal,
      ...(timeoutFactor === undefined ? {} : { timeoutFactor }),
      ...(keep === undefined ? {} : { keep }),
    });
  }

  /** Once it is known that no driver can be had, every scenario has the same reason. */
  async #start(home: string): Promise<DriverProcess> {
    if (this.#fault !== undefined) throw this.#fault;
    try {
      return await this.#startOne(home);
    } catch (error) {
      if (!(error instanceof DriverFault)) throw error;
      // Counted when it is known: other lanes may be starting their first driver at the same time.
      this.#falseStarts += 1;
      if (this.hello === undefined && this.#falseStarts >= MAX_FALSE_STARTS) this.#fault ??= error;
      throw error;
    }
  }

  async #startOne(home: string): Promise<DriverProcess> {
    const { command, data, timeoutFactor = 1 } = this.#options;
    const driver = await DriverProcess.start({
      command,
      checker: this.#checker,
      env: environment(home),
      signal: this.#signal,
      helloTimeoutMs: 20_000 * timeoutFactor,
    });
    this.hello ??= driver.hello;
    try {
      checkFeatures(
        driver.hello,
        data.scenarios.flatMap(({ features }) => features),
      );
      return driver;
    } catch (error) {
      await driver.close();
      if (error instanceof DriverFault) this.#fault ??= error;
      throw error;
    }
  }
}

/** The environment of a driver: a home directory of its own, and nothing that configures a CLI. */
function environment(home: string): Readonly<Record<string, string | undefined>> {
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([key]) => !OWN_VARIABLES.test(key))),
    HOME: home,
    USERPROFILE: home,
  };
}

function notStarted(entry: ScenarioEntry, { message }: DriverFault): ScenarioResult {
  return {
    scenario: entry.name,
    level: entry.level,
    requirements: entry.requirements,
    status: 'driver_error',
    ms: 0,
    reason: message.split('\n', 1)[0] ?? '',
    details: message,
  };
}

export interface Selection {
  /** Each a name, a part of one, a level (`L3`) or a requirement (`L3-04`). Empty: everything. */
  readonly filters?: readonly string[];
  readonly levels?: readonly string[];
}

/** The scenarios that fit one of the filters and one of the levels. */
export function selectScenarios(scenarios: readonly ScenarioEntry[], selection: Selection): readonly ScenarioEntry[] {
  if (!Array.isArray(scenarios)) {
    const cure = 'Pass the `scenarios` of what loadData() gives.';
    throw invalidArgument('scenarios', 'selectScenarios() takes an array of scenarios', scenarios, cure);
  }
  const takes = 'selectScenarios() takes an object as its second argument';
  requireObject('selection', takes, selection, 'Pass one such as `{ levels: ["L1"] }`.');
  const { filters = [], levels = [] } = selection;
  return scenarios.filter(
    (entry) =>
      (levels.length === 0 || levels.includes(entry.level)) &&
      (filters.length === 0 || filters.some((filter) => fits(entry, filter))),
  );
}

function fits({ name, level, requirements }: ScenarioEntry, filter: string): boolean {
  return level === filter || requirements.includes(filter) || name.includes(filter);
}
