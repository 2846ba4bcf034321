import { CLIENT_EXIT_LADDER, DEFAULT_EXIT_LADDER } from '../../transport/termination.js';
import { toTimerLimit } from '../../util/timer-limit.js';
import type { LaunchHost, LaunchPolicy, Limits } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

type Fronts = Pick<
  LaunchPolicy,
  'onInitializeError' | 'deadlineFrom' | 'exitLadder' | 'answerAfterCancel' | 'fillDenyMessage'
>;

/** `query()` behaves as the official SDK, `ClaudeClient` as the Python SDK's client, where the two differ. */
const QUERY: Fronts = {
  onInitializeError: 'ignore',
  deadlineFrom: 'start',
  exitLadder: DEFAULT_EXIT_LADDER,
  answerAfterCancel: true,
  fillDenyMessage: false,
};

const FRONTS: Readonly<Record<LaunchHost['front'], Fronts>> = {
  query: QUERY,
  // A `query()` in two steps: the first waits for the answer, the second has the prompt.
  warm: { ...QUERY, onInitializeError: 'fail', deadlineFrom: 'prompt' },
  client: {
    onInitializeError: 'fail',
    deadlineFrom: 'start',
    exitLadder: CLIENT_EXIT_LADDER,
    answerAfterCancel: false,
    fillDenyMessage: true,
  },
};

/** How the session runs what was planned. */
export function planPolicy(
  options: GivenOptions,
  host: LaunchHost,
  initializeMustConfirm: LaunchPolicy['initializeMustConfirm'],
  env: Readonly<Record<string, string>>,
): LaunchPolicy {
  const { onInitializeError, deadlineFrom, exitLadder, answerAfterCancel, fillDenyMessage } = FRONTS[host.front];
  return {
    // `connect()` resolves or rejects on the answer; a message before it could run in a session that never was.
    pipelinePrompt: host.front !== 'client' && initializeMustConfirm.length === 0,
    initializeMustConfirm,
    onInitializeError,
    deadlineFrom,
    exitLadder,
    answerAfterCancel,
    fillDenyMessage,
    closeRule: closeRuleOf(host),
    quietCapMs: quietCapOf(env.CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS),
    verbatimPrompts: options.verbatimPrompts === true,
    limits: planLimits(options),
  };
}

/** A client's input stays open for more, unless it was connected with an iterable: that one is the whole input (PY-261). */
function closeRuleOf({ front, prompt }: LaunchHost): LaunchPolicy['closeRule'] {
  if (prompt === 'stream') return 'stream';
  return front === 'client' || prompt === 'none' ? 'held' : prompt;
}

/** The CLI waits so long for its background work once stdin is closed; both official SDKs wait as long before. */
function quietCapOf(ceiling: string | undefined): LaunchPolicy['quietCapMs'] {
  const ms = Number(ceiling?.trim() || Number.NaN);
  return ms >= 0 && ms !== Number.POSITIVE_INFINITY ? toTimerLimit(ms) : undefined;
}

function planLimits(o: GivenOptions): Limits {
  return {
    maxBufferBytes: limit(o.maxBufferBytes ?? 256 * 1024 * 1024),
    maxQueuedBytes: limit(o.maxQueuedBytes),
    maxSpooledBytes: limit(o.maxSpooledBytes ?? 4 * 1024 ** 3),
    initializeTimeoutMs: timeLimit(o.initializeTimeoutMs ?? 60_000),
    controlTimeoutMs: o.controlTimeoutMs === undefined ? undefined : timeLimit(o.controlTimeoutMs),
    idleTimeoutMs: timeLimit(o.idleTimeoutMs),
    deadlineMs: timeLimit(o.deadlineMs),
    exitGraceMs: timeLimit(o.exitGraceMs ?? 60_000),
  };
}

function limit(value: number | undefined): number {
  return value === undefined || value === 0 ? Number.POSITIVE_INFINITY : value;
}

function timeLimit(ms: number | undefined): number {
  return ms === undefined ? Number.POSITIVE_INFINITY : toTimerLimit(ms);
}
