import { isClaudeSDKError, type StartupProgress } from '../errors.js';
import type { JsonObject } from '../util/json.js';
import { toTimerLimit } from '../util/timer-limit.js';
import { requestFrame } from './envelope.js';
import type { McpServerManifest } from './mcp-endpoint.js';
import type { OutboundQueue } from './outbound-queue.js';
import type { OutboundRequests } from './outbound-requests.js';
import { toWriteError } from './request-errors.js';
import { WORK_TIMEOUT_MS } from './request-timeout.js';

interface HandshakeOptions {
  /** Fields of `initialize` without `subtype`. */
  readonly fields: JsonObject;
  /** Milliseconds, `0` or `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Whether the time of SessionStart and Setup hooks counts. */
  readonly countsHooks: boolean;
  readonly queue: OutboundQueue;
  readonly requests: OutboundRequests;
}

/** The first `initialize`: written before everything else, with a time limit that can pause. */
export class Handshake {
  readonly requestId: string;
  /** The answer, `{}` when it has no body. Never counts as an unhandled rejection. */
  readonly answered: Promise<JsonObject>;
  readonly #options: HandshakeOptions;
  readonly #clock: InitializeClock;
  #isUp = false;
  #mark: { readonly name: string; readonly at: number } | undefined;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.requestId = options.requests.newId();
    this.#clock = new InitializeClock(options, (limitMs) => this.#onTimeout(limitMs));
    this.answered = options.requests.add(
      // The clock keeps the time, since it can pause.
      { requestId: this.requestId, subtype: 'initialize', timeoutMs: Number.POSITIVE_INFINITY },
      (response) => response ?? {},
    );
  }

  /** True since `system/init`: the CLI is at work, whether or not it answers. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The child runs: the limit counts from here. */
  start(): void {
    this.#clock.start();
  }

  /** Writes `initialize` with the manifests of in-process servers, and what waited behind it. */
  write(manifests: Record<string, McpServerManifest> | undefined): void {
    const { queue, requests, fields } = this.#options;
    try {
      const payload = manifests === undefined ? fields : withManifests(fields, manifests);
      queue.openWith(requestFrame(this.requestId, 'initialize', payload));
    } catch (thrown) {
      // When the peer is gone, the end of the transport tells more than this error does.
      if (isClaudeSDKError(thrown)) return;
      requests.drop(this.requestId, () => toWriteError('initialize', thrown));
      this.settled();
    }
  }

  /** A `system` frame: start hooks stop the clock, `init` shows that the CLI is up. */
  onSystem(subtype: unknown, frame: JsonObject): void {
    if (subtype === 'init') this.#onUp();
    else if (subtype === 'hook_started') this.#clock.onHookStarted(frame);
    else if (subtype === 'hook_response') this.#clock.onHookResponse(frame);
  }

  /** A `keep_alive`: before the answer it may name how far the start has come (`startup-marks`). */
  onKeepAlive(frame: JsonObject): void {
    const name = frame.startup_mark;
    if (typeof name === 'string') this.#mark = { name, at: performance.now() };
  }

  /** Answered, failed or not waited for any more: the limits of the requests behind it begin. */
  settled(): void {
    this.#clock.stop();
    this.#options.requests.startClocks();
  }

  /** Stops the clock without consequences: the session is over. */
  dispose(): void {
    this.#clock.stop();
  }

  /** The requests behind it need not wait for the answer any more. */
  #onUp(): void {
    this.#isUp = true;
    this.#clock.onUp();
    this.#options.requests.startClocks();
  }

  #onTimeout(timeoutMs: number): void {
    this.#options.requests.timeOut(this.requestId, timeoutMs, this.#progress());
    this.settled();
  }

  #progress(): StartupProgress {
    const mark = this.#mark;
    return {
      hooksOpen: this.#clock.openHooks,
      mark: mark?.name,
      markAgeMs: mark && Math.round(performance.now() - mark.at),
    };
  }
}

/** Puts the manifests where the official SDK has them: behind the servers they are of. */
function withManifests(fields: JsonObject, manifests: Record<string, McpServerManifest>): JsonObject {
  if (Object.keys(manifests).length === 0) return fields;
  const payload: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) {
    if (!BEFORE_MANIFESTS.has(key)) payload.sdkMcpServerManifests = manifests;
    payload[key] = value;
  }
  payload.sdkMcpServerManifests = manifests;
  return payload;
}

const BEFORE_MANIFESTS: ReadonlySet<string> = new Set(['hooks', 'sdkMcpServers', 'sdkMcpServerConfigs']);

/** Command hooks that run before `initialize` is answered, as long as they like. */
const START_HOOKS: ReadonlySet<unknown> = new Set(['SessionStart', 'Setup']);

/** How long the clock may pause in total, in case the end of a hook is never reported. Milliseconds. */
const MAX_STANDSTILL_MS = WORK_TIMEOUT_MS;

/**
 * The time limit of `initialize`. It pauses while the CLI reports a SessionStart or Setup hook running, for {@link
 * MAX_STANDSTILL_MS} at most. `system/init` shows that the CLI is up (`hook-events-frames`): from there on the answer
 * has as long as a request that waits for work.
 */
class InitializeClock {
  readonly #onTimeout: (limitMs: number) => void;
  readonly #countsHooks: boolean;
  readonly #runningHooks = new Set<unknown>();
  #limitMs: number;
  #remainingMs: number;
  #standstillMs = MAX_STANDSTILL_MS;
  #runningSince = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasStarted = false;
  #isStandingStill = false;
  #isUp = false;
  #isOver = false;

  /** @param onTimeout - Called once, with the limit that ran out. */
  constructor(
    { timeoutMs, countsHooks }: Pick<HandshakeOptions, 'timeoutMs' | 'countsHooks'>,
    onTimeout: (limitMs: number) => void,
  ) {
    this.#limitMs = toTimerLimit(timeoutMs);
    this.#remainingMs = this.#limitMs;
    this.#onTimeout = onTimeout;
    this.#countsHooks = countsHooks;
  }

  /** SessionStart and Setup hooks that are reported running. */
  get openHooks(): number {
    return this.#runningHooks.size;
  }

  start(): void {
    this.#hasStarted = true;
    this.#run();
  }

  onHookStarted(frame: JsonObject): void {
    if (this.#isOver || this.#isUp || !START_HOOKS.has(frame.hook_event)) return;
    this.#runningHooks.add(frame.hook_id);
    this.#run();
  }

  onHookResponse(frame: JsonObject): void {
    if (this.#runningHooks.delete(frame.hook_id)) this.#run();
  }

  /** The CLI is up. Only the first time counts: each turn says so again. */
  onUp(): void {
    if (this.#isOver || this.#isUp) return;
    this.#isUp = true;
    this.#runningHooks.clear();
    this.#halt();
    this.#limitMs = Math.max(WORK_TIMEOUT_MS, this.#limitMs);
    this.#remainingMs = this.#limitMs;
    this.#run();
  }

  /** Answered, failed or disarmed. Idempotent. */
  stop(): void {
    this.#isOver = true;
    this.#runningHooks.clear();
    this.#halt();
  }

  /** Sets the timer for the next event, from the time that is left. */
  #run(): void {
    this.#halt();
    if (this.#isOver || !this.#hasStarted) return;
    if (this.#remainingMs === Number.POSITIVE_INFINITY) return;
    this.#isStandingStill = !this.#countsHooks && this.#runningHooks.size > 0 && this.#standstillMs > 0;
    this.#runningSince = performance.now();
    this.#timer = setTimeout(() => this.#onTimer(), this.#isStandingStill ? this.#standstillMs : this.#remainingMs);
    this.#timer.unref();
  }

  #halt(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const elapsedMs = performance.now() - this.#runningSince;
    if (this.#isStandingStill) this.#standstillMs = Math.max(0, this.#standstillMs - elapsedMs);
    else this.#remainingMs = Math.max(0, this.#remainingMs - elapsedMs);
  }

  #onTimer(): void {
    if (this.#isStandingStill) {
      this.#halt();
      // Exactly: a timer may fire a fraction of a millisecond early.
      this.#standstillMs = 0;
      this.#run();
    } else {
      this.#isOver = true;
      this.#halt();
      // The hooks are forgotten after it: the error names them.
      this.#onTimeout(this.#limitMs);
      this.stop();
    }
  }
}
