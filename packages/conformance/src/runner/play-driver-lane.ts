import { setTimeout as delay } from 'node:timers/promises';
import type {
  CountStep,
  DriverStep,
  DriveStep,
  ObservedPattern,
  ObserveStep,
  PlacedStep,
  PlayerFolder,
  ReachedStep,
  ReplyStep,
  Variables,
} from 'claudewire/testing';
import type { DriverProcess } from '../driver/driver-process.js';
import type { DriverReply, ObservedEvent } from '../driver/driver-protocol.js';
import { createDeferred } from '../util/deferred.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { patientTimeout } from '../util/patient-timeout.js';
import { type Commands, describeError } from './commands.js';
import type { Observations } from './observations.js';
import { CommandUnsupported, compact, describeDifference, ScenarioFailure } from './results.js';

export interface LaneContext {
  readonly driver: DriverProcess;
  readonly commands: Commands;
  readonly observations: Observations;
  readonly folder: PlayerFolder;
  readonly variables: Variables;
  /** Added to `start` commands. */
  readonly cli: string;
  readonly cwd: string;
  /** Milliseconds a step waits unless it says otherwise. */
  readonly stepTimeoutMs: number;
  readonly timeoutFactor: number;
  /** Name of the scenario's file, for messages. */
  readonly file: string;
  /** Where the driver lane is, for whoever waits for it in vain. */
  readonly position: { place?: string };
  /** Aborts when the lane is given up: a step that waits lets go of what it holds. */
  readonly abandoned: AbortSignal;
}

/** Does the steps of the driver lane in order. Rejects with {@link ScenarioFailure} at the first that is not met. */
export async function playDriverLane(steps: readonly PlacedStep<DriverStep>[], context: LaneContext): Promise<void> {
  for (const { step, line } of steps) {
    if (context.abandoned.aborted) return;
    context.position.place = `${context.file}:${line}: ${compact(step)}`;
    await runStep(step, `${context.file}:${line}`, context);
  }
  delete context.position.place;
}

async function runStep(step: DriverStep, where: string, context: LaneContext): Promise<void> {
  if ('drive' in step) drive(step, where, context);
  else if ('reply' in step) await awaitReply(step, where, context);
  else if ('observe' in step) await observe(step, where, context);
  else if ('reached' in step) await awaitMark(step, where, context);
  else if ('open' in step) context.folder.openGate(step.open);
}

function drive({ drive: command, as }: DriveStep, where: string, context: LaneContext): void {
  let filled: JsonObject;
  try {
    filled = context.variables.fill(command);
  } catch (error) {
    throw new ScenarioFailure(`${where}: ${(error as Error).message}`);
  }
  const { cli, cwd } = context;
  const start = filled.command === 'start' ? { cli, cwd } : {};
  context.commands.send({ run: 'main', ...filled, ...start }, where, as);
}

async function awaitReply(step: ReplyStep, where: string, context: LaneContext): Promise<void> {
  const pending = context.commands.replyTo(step.reply);
  if (pending === undefined) {
    throw new ScenarioFailure(`${where}: no command was sent "as" ${step.reply}`);
  }
  const reply = await withTime(pending, step, context, () =>
    failure(where, `the command "${step.reply}" (${context.commands.nameOf(step.reply)}) was not answered`, context),
  );
  if ('unsupported' in reply) throw new CommandUnsupported(step.reply, reply.unsupported);
  judgeReply(step, reply, where, context);
}

function judgeReply(
  { reply: name, result, failure: expected, mayFail }: ReplyStep,
  reply: Exclude<DriverReply, { readonly unsupported: string }>,
  where: string,
  context: LaneContext,
): void {
  const called = `the command "${name}" (${context.commands.nameOf(name)})`;
  if (mayFail === true) return;
  if (expected === undefined && 'error' in reply) {
    throw new ScenarioFailure(`${where}: ${called} failed`, [describeError(reply.error)]);
  }
  if (expected !== undefined && 'result' in reply) {
    throw new ScenarioFailure(`${where}: ${called} did not fail`, [
      `expected: ${compact(expected)}`,
      `got: ${compact(reply.result)}`,
    ]);
  }
  const pattern = expected ?? result;
  if (pattern === undefined) return;
  const value = 'error' in reply ? reply.error : reply.result;
  const matched = context.variables.match(pattern, value);
  if (matched.ok) {
    for (const [variable, captured] of matched.captured) context.variables.set(variable, captured);
    return;
  }
  const differs = `differs at ${describeDifference(matched.difference)}`;
  throw new ScenarioFailure(`${where}: ${called} was answered otherwise: ${differs}`, [
    `expected: ${compact(pattern)}`,
    `got: ${compact(value)}`,
  ]);
}

async function observe(step: ObserveStep, where: string, context: LaneContext): Promise<void> {
  const { observe: pattern, run = 'main', next = false } = step;
  const { observations, variables, abandoned } = context;
  const find = observations.search(pattern, run, variables, next);
  const isOfLoop = ['message', 'end', 'error', 'over'].includes(pattern.what);
  const notObserved = (): ScenarioFailure => {
    const nearest = observations.nearest(pattern, run, variables);
    const end = isOfLoop ? observations.endOf(run) : undefined;
    const over = end === undefined || end === nearest?.value ? '' : `; ${howItEnded(end)}`;
    const difference = nearest === undefined ? '' : ` (nearest: ${describeDifference(nearest.difference)})`;
    return failure(where, `not observed: ${nameOf(pattern)}${over}${difference}`, context, [
      `expected: ${compact(pattern)}`,
      ...(nearest === undefined ? [] : [`nearest: ${compact(withoutEvent(nearest.value))}`]),
    ]);
  };
  const look = async (): Promise<void> => {
    while (!abandoned.aborted) {
      const coming = observations.next();
      if (find()) return;
      if (isOfLoop && observations.endOf(run) !== undefined) throw notObserved();
      await coming;
    }
  };
  await withTime(look(), step, context, notObserved);
}

/** Such as `message result`, `callback ask`: what a reader looks for. */
function nameOf({ what, message, name }: ObservedPattern): string {
  const { type, subtype } = isJsonObject(message) ? message : { type: name, subtype: undefined };
  return [what === 'over' ? 'end or error' : what, type, subtype]
    .filter((word) => typeof word === 'string' && !word.startsWith('$'))
    .join(' ');
}

function howItEnded({ what, error }: ObservedEvent): string {
  if (what !== 'error' || !isJsonObject(error)) return 'the loop is over';
  return `the loop ended with ${String(error.class)} (${String(error.kind)}): ${firstLine(String(error.message))}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length <= 200 ? line : `${line.slice(0, 200)}…`;
}

function withoutEvent({ event: _, ...rest }: ObservedEvent): object {
  return rest;
}

async function awaitMark(step: ReachedStep, where: string, context: LaneContext): Promise<void> {
  const { folder, abandoned, timeoutFactor } = context;
  const given = new AbortController();
  const signal = AbortSignal.any([abandoned, given.signal]);
  const appeared = folder.marked(step.reached, signal);
  try {
    if (step.not !== true) {
      await withTime(appeared, step, context, () =>
        failure(where, `the CLI lane did not reach the mark "${step.reached}"`, context),
      );
      return;
    }
    const timeIsUp = delay((step.timeoutMs ?? 0) * timeoutFactor, 'time is up', { signal });
    if ((await Promise.race([appeared, timeIsUp.catch(() => 'given up')])) === undefined) {
      throw failure(where, `the CLI lane has reached the mark "${step.reached}"`, context);
    }
  } finally {
    given.abort();
  }
}

/** Judges a `count` step, when everything is over. */
export function judgeCount(
  { step, line }: PlacedStep<CountStep>,
  { file, observations, variables }: Pick<LaneContext, 'file' | 'observations' | 'variables'>,
): ScenarioFailure | undefined {
  const found = observations.count(step.count, step.run ?? 'main', variables);
  if (found === step.is) return undefined;
  return new ScenarioFailure(`${file}:${line}: expected ${step.is} such events, found ${found}`, [
    `pattern: ${compact(step.count)}`,
  ]);
}

function failure(
  where: string,
  what: string,
  { commands, observations }: LaneContext,
  details: readonly string[] = [],
): ScenarioFailure {
  const { unanswered } = commands;
  return new ScenarioFailure(`${where}: ${what}`, [
    ...details,
    ...(unanswered.length === 0 ? [] : [`not answered: ${unanswered.join(', ')}`]),
    ...(observations.latest.length === 0 ? ['nothing was observed'] : ['observed last:']),
    ...observations.latest.map((event) => `  ${compact(withoutEvent(event))}`),
  ]);
}

/** Waits for a promise as long as the step may. Holds no timer once the scenario is given up. */
async function withTime<T>(
  promise: Promise<T>,
  { timeoutMs }: { readonly timeoutMs?: number },
  { stepTimeoutMs, timeoutFactor, abandoned }: LaneContext,
  late: () => ScenarioFailure,
): Promise<T> {
  const limit = timeoutMs === undefined ? stepTimeoutMs : timeoutMs * timeoutFactor;
  if (limit === 0 || abandoned.aborted) return promise;
  const { promise: timeout, reject } = createDeferred<never>();
  const stop = patientTimeout(limit, () => reject(inTime(late(), limit)));
  abandoned.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    stop();
    abandoned.removeEventListener('abort', stop);
  }
}

function inTime(failed: ScenarioFailure, limit: number): ScenarioFailure {
  return new ScenarioFailure(`${failed.message} within ${limit} ms`, failed.lines);
}
