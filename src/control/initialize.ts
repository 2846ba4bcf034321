import { ControlRequestTimeoutError, isClaudeSDKError, type StartupProgress } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import { requestFrame } from './envelope.js';
import { InitializeClock } from './initialize-clock.js';
import type { McpServerManifest } from './mcp-endpoint.js';
import type { OutboundQueue } from './outbound-queue.js';
import type { PendingRequests } from './pending-requests.js';
import { captureCallSite, toWriteError } from './request-errors.js';

export interface HandshakeOptions {
  readonly requestId: string;
  /** Fields of `initialize` without `subtype`. */
  readonly fields: JsonObject;
  /** Milliseconds, `0` or `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Whether the time of SessionStart and Setup hooks counts. */
  readonly countsHooks: boolean;
  readonly queue: OutboundQueue;
  readonly pending: PendingRequests;
}

/** The first `initialize`: written before everything else, with a time limit of its own kind. */
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
    this.requestId = options.requestId;
    this.#clock = new InitializeClock(
      options.timeoutMs,
      (limitMs) => this.#onTimeout(limitMs),
      options.countsHooks,
    );
    this.answered = options.pending
      .add({
        requestId: options.requestId,
        subtype: 'initialize',
        // The clock keeps the time, since it can stand still.
        timeoutMs: Number.POSITIVE_INFINITY,
        callSite: captureCallSite(Handshake),
      })
      .then((response) => response ?? {});
    ignoreRejection(this.answered);
  }

  /** True since `system/init`: the CLI is at work, whether or not it answers. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The child runs: the limit counts from here. */
  start(): void {
    this.#clock.start();
  }

  /** Writes `initialize` with the manifests there are, and what waited behind it. */
  write(manifests: Record<string, McpServerManifest>): void {
    const { queue, pending, fields } = this.#options;
    try {
      const payload = withManifests(fields, manifests);
      queue.openWith(requestFrame(this.requestId, 'initialize', payload));
    } catch (thrown) {
      // When the peer is gone, the end of the transport tells more than this error does.
      if (isClaudeSDKError(thrown)) return;
      pending.drop(this.requestId, toWriteError('initialize', thrown));
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
    this.#options.pending.startClocks();
  }

  /** Stops the clock without consequences: the session is over. */
  dispose(): void {
    this.#clock.stop();
  }

  /** The requests behind it need not wait for the answer any more. */
  #onUp(): void {
    this.#isUp = true;
    this.#clock.onUp();
    this.#options.pending.startClocks();
  }

  #onTimeout(timeoutMs: number): void {
    const { requestId, pending } = this.#options;
    pending.giveUp(
      requestId,
      new ControlRequestTimeoutError({
        subtype: 'initialize',
        requestId,
        timeoutMs,
        startup: this.#progress(),
      }),
    );
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
function withManifests(
  fields: JsonObject,
  manifests: Record<string, McpServerManifest>,
): JsonObject {
  if (Object.keys(manifests).length === 0) return fields;
  const payload: JsonObject = {};
  for (const [key, value] of Object.entries(fields)) {
    if (!BEFORE_MANIFESTS.has(key)) payload.sdkMcpServerManifests = manifests;
    payload[key] = value;
  }
  payload.sdkMcpServerManifests = manifests;
  return payload;
}

const BEFORE_MANIFESTS: ReadonlySet<string> = new Set([
  'hooks',
  'sdkMcpServers',
  'sdkMcpServerConfigs',
]);
