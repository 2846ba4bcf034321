import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  type CountStep,
  createPlayerLauncher,
  type DriverStep,
  driverSteps,
  type PlacedStep,
  type Scenario,
  Variables,
} from 'claudewire/testing';
import type { DriverProcess } from '../driver/driver-process.js';
import { DriverFault } from '../driver/driver-protocol.js';
import { atExit } from '../driver/process-group.js';
import { requireObject } from '../util/arguments.js';
import { createDeferred } from '../util/deferred.js';
import { patientTimeout } from '../util/patient-timeout.js';
import { firstCause } from './cli-failure.js';
import { Commands } from './commands.js';
import { mayBeKilled } from './may-be-killed.js';
import { Observations } from './observations.js';
import { judgeCount, type LaneContext, playDriverLane } from './play-driver-lane.js';
import { CommandUnsupported, ScenarioFailure, type ScenarioResult } from './results.js';
import { makeTempFolder, writeScenarioFiles } from './scenario-folder.js';
import { CliLaneWatch } from './watch-cli-lane.js';

const STEP_TIMEOUT_MS = 10_000;
const LANE_LAG_MS = 1_000;
const DEADLINE_MS = 60_000;
/** Above what SDKs take to end a CLI that ignores everything: 10 s to SIGKILL. */
const FINISH_TIMEOUT_MS = 20_000;
/** An SDK that returns from `close()` before its CLI has ended may still be on its way to SIGKILL. */
const GONE_TIMEOUT_MS = 8_000;

export interface RunScenarioOptions {
  /** Read from a file. */
  readonly scenario: Scenario;
  /** A started driver. It should not be used again unless the status is `passed` or `unsupported`. */
  readonly driver: DriverProcess;
  /** The built player (`player.mjs`). @defaultValue that of `claudewire` */
  readonly player?: string | URL | undefined;
  /** Home directory that the driver was started with; files of the scenario may go there. */
  readonly home?: string;
  /** Multiplies every time-out. @defaultValue 1 */
  readonly timeoutFactor?: number;
  /** Keeps the folder of the run, with the player's log, when the scenario is not passed. @defaultValue false */
  readonly keep?: boolean;
  /** Gives it up at once. The driver should have the same signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Plays one scenario: its CLI lane by the player, its driver lane
 * through a driver. Never rejects for what either does.
 */
export async function runScenario(options: RunScenarioOptions): Promise<ScenarioResult> {
  const takes = 'runScenario() takes an object';
  const cure = 'Pass one such as `{ scenario, driver }`.';
  const fields = { scenario: 'object', driver: 'object' } as const;
  requireObject('options', takes, options, cure, fields);
  const { scenario, driver, keep = false, signal } = options;
  const { header } = scenario;
  const base = {
    scenario: header.scenario,
    ...(header.level === undefined ? {} : { level: header.level }),
    requirements: header.requirements ?? [],
  };
  const missing = (header.features ?? []).filter((each) => !driver.hello.features.includes(each));
  if (missing.length > 0) {
    return { ...base, status: 'unsupported', ms: 0, missing, reason: `needs ${missing.join(', ')}` };
  }
  const began = performance.now();
  const folder = makeTempFolder('claudewire-run-');
  let isKept = false;
  driver.forgetStderr();
  try {
    const outcome = await play(options, folder.path).catch(outcomeOf);
    const stderr = outcome.status === 'failed' ? await driver.lastWords() : '';
    isKept = keep && outcome.status !== 'passed' && !signal?.aborted;
    const ms = Math.round(performance.now() - began);
    return { ...base, ...outcome, ms, ...(stderr === '' ? {} : { stderr }), ...(isKept ? { kept: folder.path } : {}) };
  } finally {
    if (isKept) folder.keep();
    else folder.remove();
  }
}

type Outcome = Pick<ScenarioResult, 'status' | 'reason' | 'missing' | 'details'>;

function outcomeOf(error: unknown): Outcome {
  if (error instanceof ScenarioFailure) {
    return { status: 'failed', reason: error.message, details: error.details };
  }
  if (!(error instanceof CommandUnsupported || error instanceof DriverFault)) throw error;
  const { message } = error;
  return {
    ...(error instanceof CommandUnsupported
      ? { status: 'unsupported', missing: [error.why] }
      : { status: 'driver_error' }),
    reason: message.split('\n', 1)[0] ?? '',
    details: message,
  };
}

async function play(options: RunScenarioOptions, dir: string): Promise<Outcome> {
  const { scenario, driver, signal } = options;
  const abandoned = new AbortController();
  const { context, lane } = prepare(options, dir, abandoned.signal);
  const steps = driverSteps(scenario);
  const forget = atExit('kill', () => lane.kill());
  driver.listen((event) => context.observations.add(event));
  try {
    await bothLanes(steps, options, context, lane).finally(() => abandoned.abort());
    await finish(context);
    const left = await lane.gone(GONE_TIMEOUT_MS * context.timeoutFactor, signal);
    if (left > 0) {
      throw new ScenarioFailure(`left a process behind: ${left} CLI still ran after the run was over`);
    }
    const failed = lane.judge() ?? firstOf(steps.filter(isCount).map((step) => judgeCount(step, context)));
    if (failed !== undefined) throw failed;
    return { status: 'passed' };
  } catch (error) {
    // A driver that goes on to the next scenario must have nothing left of this one.
    if (error instanceof CommandUnsupported) await finish(context);
    throw error;
  } finally {
    driver.listen(() => {});
    await lane.gone(0);
    forget();
  }
}

function prepare(
  { scenario, driver, player, home, timeoutFactor = 1 }: RunScenarioOptions,
  dir: string,
  abandoned: AbortSignal,
): { readonly context: LaneContext; readonly lane: CliLaneWatch } {
  const { header, file } = scenario;
  const cwd = join(dir, 'cwd');
  mkdirSync(cwd);
  const variables = new Variables();
  variables.set('cwd', cwd);
  writeScenarioFiles(scenario, { cwd, home, variables });
  const { path: cli, folder } = createPlayerLauncher({
    // Steps given in code have no file.
    ...(file === undefined ? { header } : {}),
    scenario: file ?? scenario.steps.map(({ step }) => step),
    dir: join(dir, 'cli'),
    cwd,
    timeoutFactor,
    log: join(dir, 'log.jsonl'),
    ...(player === undefined ? {} : { player }),
  });
  const context: LaneContext = {
    driver,
    commands: new Commands(driver, judgedBySteps(driverSteps(scenario))),
    observations: new Observations(),
    folder,
    variables,
    cli,
    cwd,
    // Later than the player: what it waited for in vain says more.
    stepTimeoutMs: stepTimeout((header.stepTimeoutMs ?? STEP_TIMEOUT_MS) * timeoutFactor),
    timeoutFactor,
    file: basename(file ?? header.scenario),
    position: {},
    abandoned,
  };
  return { context, lane: new CliLaneWatch(folder, scenario, mayBeKilled(scenario, driver.hello.features)) };
}

/** Rejects with the first failure of either lane, with a command that cannot be done, or with the driver's fault. */
async function bothLanes(
  steps: readonly PlacedStep<DriverStep>[],
  { scenario, signal }: RunScenarioOptions,
  context: LaneContext,
  lane: CliLaneWatch,
): Promise<void> {
  const deadline = (scenario.header.deadlineMs ?? DEADLINE_MS) * context.timeoutFactor;
  const { promise: late, reject } = createDeferred<never>();
  const timer =
    deadline === 0
      ? undefined
      : setTimeout(() => reject(new ScenarioFailure(`not over within ${deadline} ms`)), deadline);
  try {
    await Promise.race([
      playDriverLane(steps, context),
      context.commands.failed,
      context.driver.faulted,
      lane.watch(context.abandoned),
      late,
    ]);
  } catch (error) {
    if (!(error instanceof ScenarioFailure)) throw error;
    const before = lane.failure();
    // The CLI lane itself.
    if (before?.failure.message === error.message) throw withPosition(before.failure, context);
    // What it noticed before is the cause, else it says what it waits for.
    if (before === undefined) await lane.settle(signal);
    throw firstCause(error, lane.failure(), context.observations.hasError);
  } finally {
    clearTimeout(timer);
  }
}

/** The CLI lane may have waited for what the driver lane had not come to. */
function withPosition(failure: ScenarioFailure, { position: { place } }: LaneContext): ScenarioFailure {
  if (place === undefined) return failure;
  return new ScenarioFailure(failure.message, [...failure.lines, `the driver lane was at ${place}`]);
}

/** Names of commands that a `reply` step judges. */
function judgedBySteps(steps: readonly PlacedStep<DriverStep>[]): ReadonlySet<string> {
  return new Set(steps.flatMap(({ step }) => ('reply' in step ? [step.reply] : [])));
}

/** Ends all runs. Rejects when they are not over in time. */
async function finish({ commands, driver, timeoutFactor }: LaneContext): Promise<void> {
  const limit = FINISH_TIMEOUT_MS * timeoutFactor;
  const { promise: late, reject } = createDeferred<never>();
  const stop = patientTimeout(limit, () =>
    reject(new ScenarioFailure(`the run was not over ${limit} ms after "finish"`)),
  );
  try {
    const reply = await Promise.race([commands.finish(), late, driver.faulted]);
    if ('error' in reply) throw new ScenarioFailure(`"finish" failed: ${reply.error.message}`);
  } finally {
    stop();
  }
}

const isCount = (placed: PlacedStep<DriverStep>): placed is PlacedStep<CountStep> => 'count' in placed.step;

function firstOf<T>(list: readonly (T | undefined)[]): T | undefined {
  return list.find((each) => each !== undefined);
}

function stepTimeout(ms: number): number {
  return ms === 0 ? 0 : ms + LANE_LAG_MS;
}
