import { readFileSync } from 'node:fs';
import { parseScenario } from 'claudewire/testing';
import { type ConformanceData, requireData, type ScenarioEntry } from '../data/conformance-data.js';
import { LineChecker } from '../driver/check-line.js';
import { DriverProcess } from '../driver/driver-process.js';
import { DriverFault, type DriverHello } from '../driver/driver-protocol.js';
import { checkFeatures } from '../driver/known-features.js';
import { invalidArgument, requireCommand, requireObject } from '../util/arguments.js';
import { isFailure, type NotRun, type ScenarioResult, type SuiteResult } from './results.js';
import { runScenario } from './run-scenario.js';
import { makeTempFolder } from './scenario-folder.js';

const DEFAULT_JOBS = 2;
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
  /** Scenarios that are run at the same time, each with a driver of its own. @defaultValue 2 */
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
  const { scenarios = options.data.scenarios, jobs = DEFAULT_JOBS, name, command } = options;
  const began = performance.now();
  const date = new Date().toISOString();
  const run = new SuiteRun(options, scenarios);
  const lanes = Math.max(1, Math.min(jobs, scenarios.length));
  await Promise.all(Array.from({ length: lanes }, () => run.lane()));
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

class SuiteRun {
  hello: DriverHello | undefined;
  readonly #options: RunSuiteOptions;
  readonly #scenarios: readonly ScenarioEntry[];
  readonly #results: (ScenarioResult | undefined)[];
  readonly #checker: LineChecker;
  #next = 0;
  #falseStarts = 0;
  #fault: DriverFault | undefined;
  #isStopped = false;

  constructor(options: RunSuiteOptions, scenarios: readonly ScenarioEntry[]) {
    this.#options = options;
    this.#scenarios = scenarios;
    this.#results = scenarios.map(() => undefined);
    this.#checker = new LineChecker(options.data.driverSchema);
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
    const { signal } = this.#options;
    return { scenarios, reason: signal?.aborted ? 'the run was stopped' : 'it was to stop at the first failure' };
  }

  /** Takes scenarios until there are none. One driver at a time, kept as long as nothing went wrong. */
  async lane(): Promise<void> {
    const home = makeTempFolder('claudewire-home-');
    let driver: DriverProcess | undefined;
    try {
      for (;;) {
        const { signal, fresh = false, bail = false, onResult } = this.#options;
        const index = this.#next;
        const entry = this.#scenarios[index];
        if (entry === undefined || this.#isStopped || signal?.aborted) return;
        this.#next += 1;
        let result: ScenarioResult;
        try {
          driver ??= await this.#start(home.path);
          result = await this.#run(entry, driver, home.path);
        } catch (error) {
          if (!(error instanceof DriverFault)) {
            // The other lanes end too.
            this.#isStopped = true;
            throw error;
          }
          result = notStarted(entry, error);
        }
        if (signal?.aborted && isFailure(result)) return;
        this.#results[index] = result;
        onResult?.(result);
        if (bail && isFailure(result)) this.#isStopped = true;
        if (isFailure(result)) await driver?.kill();
        else if (fresh) await driver?.close();
        if (fresh || isFailure(result)) driver = undefined;
      }
    } finally {
      await driver?.close();
      home.remove();
    }
  }

  #run(entry: ScenarioEntry, driver: DriverProcess, home: string): Promise<ScenarioResult> {
    const { player, timeoutFactor, keep, signal } = this.#options;
    return runScenario({
      scenario: parseScenario(readFileSync(entry.file, 'utf8'), entry.file),
      driver,
      home,
      player,
      signal,
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
    const { command, data, timeoutFactor = 1, signal } = this.#options;
    const driver = await DriverProcess.start({
      command,
      checker: this.#checker,
      env: environment(home),
      signal,
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
