import type { DiagnosticListener } from '../diagnostics.js';
import { AbortError, ControlRequestTimeoutError, InvalidOptionError, type StartupProgress } from '../errors.js';
import { handled, ignoreRejection } from '../util/deferred.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { isAbortSignal, onAbort } from '../util/on-abort.js';
import type { RequestOptions } from './controller-options.js';
import { cancelFrame, excerpt, type ParsedAnswer, requestFrame } from './envelope.js';
import type { OutboundQueue } from './outbound-queue.js';
import { answerError, closedBeforeResponse, isOrderlyEnd, toRequestError, toWriteError } from './request-errors.js';
import { requestTimeoutMs } from './request-timeout.js';

interface OutboundRequestsOptions {
  readonly queue: OutboundQueue;
  readonly nextRequestId: (() => string) | undefined;
  /** Milliseconds, `0` or `Infinity` for no limit. `undefined`: by subtype. */
  readonly controlTimeoutMs: number | undefined;
  readonly onDiagnostic: DiagnosticListener;
  /** Called after each settlement, when the request no longer counts. */
  readonly onSettled: () => void;
}

interface NewRequest {
  readonly requestId: string;
  readonly subtype: string;
  /** Milliseconds, `Infinity` for no limit. */
  readonly timeoutMs: number;
}

/** The `response` of the answer, or what makes the error. */
type Outcome = JsonObject | undefined | (() => Error);

interface PendingRequest extends NewRequest {
  readonly settle: (outcome: Outcome) => void;
  /** What the caller got. */
  answer?: Promise<unknown>;
  timer?: NodeJS.Timeout;
  /** Takes the listener off the caller's `AbortSignal`. */
  release?: () => void;
}

/** Reads the `response` of an answer. */
export type ReadAnswer<T> = (response: JsonObject | undefined) => T;

/** Ids remembered after we stopped waiting, so that a late answer can be told from an unknown one. */
const GIVEN_UP_LIMIT = 256;

/**
 * Our own control requests, by id until they settle: exactly once, by the answer, the time limit, the signal or the end
 * of the session. Time limits run from {@link startClocks} or the call, whichever is later. Every way to fail is a
 * rejection, and none counts as unhandled.
 */
export class OutboundRequests {
  readonly #options: OutboundRequestsOptions;
  readonly #byId = new Map<string, PendingRequest>();
  readonly #givenUp = new Set<string>();
  #clocksRun = false;

  constructor(options: OutboundRequestsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The subtype of a pending request, `undefined` when no such request is pending. */
  subtypeOf(requestId: string): string | undefined {
    return this.#byId.get(requestId)?.subtype;
  }

  newId(): string {
    const requestId = (this.#options.nextRequestId ?? createRequestId)();
    // An injected source may repeat itself; two pending requests must never share an id.
    return this.#byId.has(requestId) ? createRequestId() : requestId;
  }

  /**
   * Sends one control request.
   * @param options - Of the caller, unchecked.
   * @param read - Of the answer's `response`, which may be missing; what it throws rejects.
   * @throws ControlRequestError the CLI refused; ControlRequestTimeoutError no answer in time; AbortError
   * `options.signal` fired; SessionClosedError stdin is closed or the session ended in good order; the session's own
   * error when it ended badly; InvalidOptionError the payload is not JSON, or an option is not what it should be.
   */
  send<T = JsonObject | undefined>(
    subtype: string,
    payload?: JsonObject,
    options?: RequestOptions | null,
    read: ReadAnswer<T> = (response) => response as T,
  ): Promise<T> {
    try {
      return this.#send(subtype, payload, checkRequestOptions(subtype, options), read);
    } catch (thrown) {
      return handled(Promise.reject(toRequestError(thrown)));
    }
  }

  /** Registers a request that is about to be written. The promise never counts as unhandled. */
  add<T>({ requestId, subtype, timeoutMs }: NewRequest, read: ReadAnswer<T>): Promise<T> {
    let settle!: PendingRequest['settle'];
    const outcome = new Promise<Outcome>((resolve) => {
      settle = resolve;
    });
    const pending: PendingRequest = { requestId, subtype, timeoutMs, settle };
    this.#byId.set(requestId, pending);
    if (this.#clocksRun) this.#startClock(pending);
    const answer = readOutcome(pending, outcome, read);
    pending.answer = answer;
    return answer;
  }

  /** Lets the time limits run. Requests wait behind `initialize`, so their limits do too. */
  startClocks(): void {
    if (this.#clocksRun) return;
    this.#clocksRun = true;
    for (const pending of this.#byId.values()) this.#startClock(pending);
  }

  /** Its answer has come, and may wait for its turn: it can be late no more. */
  onArrived(requestId: string): void {
    clearTimeout(this.#byId.get(requestId)?.timer);
  }

  /** Settles by the peer's answer. The request must be pending. */
  settle({ requestId, body }: ParsedAnswer): void {
    const pending = this.#take(requestId);
    if (pending === undefined) return;
    pending.settle(body.subtype === 'success' ? this.#responseOf(pending, body) : () => answerError(pending, body));
    this.#options.onSettled();
  }

  /** No answer came within `timeoutMs`. */
  timeOut(requestId: string, timeoutMs: number, startup?: StartupProgress): void {
    const subtype = this.subtypeOf(requestId);
    if (subtype === undefined) return;
    this.#options.onDiagnostic({
      code: 'request_timed_out',
      message: `${subtype} was not answered in time`,
      details: { requestId, subtype, timeoutMs },
    });
    this.#giveUp(requestId, () => new ControlRequestTimeoutError({ subtype, requestId, timeoutMs, startup }));
  }

  /** Takes back a request that could not be written. */
  drop(requestId: string, error: () => Error): void {
    const pending = this.#take(requestId);
    if (pending === undefined) return;
    pending.settle(error);
    this.#options.onSettled();
  }

  /**
   * Rejects everything: with the reason itself, or with one {@link SessionClosedError} each when the session ended in
   * good order.
   */
  rejectAll(reason: Error): void {
    const isOrderly = isOrderlyEnd(reason);
    for (const { requestId, subtype } of [...this.#byId.values()]) {
      this.drop(requestId, () => (isOrderly ? closedBeforeResponse(subtype, reason) : reason));
    }
  }

  #send<T>(
    subtype: string,
    payload: JsonObject | undefined,
    { timeoutMs: ownMs, signal }: RequestOptions,
    read: ReadAnswer<T>,
  ): Promise<T> {
    const { queue, controlTimeoutMs } = this.#options;
    if (signal?.aborted) throw new AbortError(`${subtype} was aborted`, { cause: signal.reason });
    if (queue.isBroken) return this.#refuseBroken(subtype);
    if (!queue.isInputOpen) throw closedBeforeResponse(subtype, queue.closedBy);
    const timeoutMs = requestTimeoutMs(subtype, ownMs, controlTimeoutMs);
    const requestId = this.newId();
    const answered = this.add({ requestId, subtype, timeoutMs }, read);
    try {
      queue.send(requestFrame(requestId, subtype, payload));
    } catch (thrown) {
      this.drop(requestId, () => toWriteError(subtype, thrown));
      return answered;
    }
    if (signal !== undefined) this.#abortWith(requestId, subtype, signal);
    return answered;
  }

  /** The end of the process is about to be reported, and says why. Never counts as an unhandled rejection. */
  #refuseBroken(subtype: string): Promise<never> {
    const refuse = (reason: Error | undefined): never => {
      throw closedBeforeResponse(subtype, reason);
    };
    return handled(this.#options.queue.whyClosed().then(refuse));
  }

  #abortWith(requestId: string, subtype: string, signal: AbortSignal): void {
    const pending = this.#byId.get(requestId);
    // The answer may have come while the request was written.
    if (pending === undefined) return;
    const giveUp = (error: () => Error): void => {
      // First: giving up may let stdin close.
      this.#sendCancel(requestId);
      this.#giveUp(requestId, error);
    };
    try {
      pending.release = onAbort(signal, () =>
        giveUp(() => new AbortError(`${subtype} was aborted`, { cause: reasonOf(signal) })),
      );
    } catch (thrown) {
      // Only for a signal that is not the platform's.
      giveUp(() => toRequestError(thrown));
    }
  }

  /** Stops waiting for one request. Its answer, should it come, is late and not unknown. */
  #giveUp(requestId: string, error: () => Error): void {
    if (this.#byId.has(requestId)) this.#remember(requestId);
    this.drop(requestId, error);
  }

  /** Never throws: stdin may be closed by now, or break during the write. */
  #sendCancel(requestId: string): void {
    try {
      if (this.#options.queue.isInputOpen) this.#options.queue.send(cancelFrame(requestId));
    } catch {
      // The end of the transport tells more than this error does.
    }
  }

  /** Reports an answer to a request that is not pending. */
  reportStray({ requestId }: ParsedAnswer): void {
    const isLate = this.#givenUp.delete(requestId);
    const id = excerpt(requestId);
    this.#options.onDiagnostic({
      code: isLate ? 'response_late' : 'response_unknown',
      message: isLate
        ? `The answer to ${id} came after its request was given up`
        : `An answer to ${id}, which is not pending`,
      details: { requestId: id },
    });
  }

  #remember(requestId: string): void {
    const [oldest] = this.#givenUp;
    if (oldest !== undefined && this.#givenUp.size >= GIVEN_UP_LIMIT) this.#givenUp.delete(oldest);
    this.#givenUp.add(requestId);
  }

  #take(requestId: string): PendingRequest | undefined {
    const pending = this.#byId.get(requestId);
    if (pending === undefined) return undefined;
    this.#byId.delete(requestId);
    clearTimeout(pending.timer);
    release(pending);
    return pending;
  }

  #startClock(pending: PendingRequest): void {
    const { requestId, timeoutMs } = pending;
    if (timeoutMs === Number.POSITIVE_INFINITY) return;
    pending.timer = setTimeout(() => this.timeOut(requestId, timeoutMs), timeoutMs);
    pending.timer.unref();
  }

  #responseOf(pending: PendingRequest, body: JsonObject): JsonObject | undefined {
    const response = body.response;
    if (response === undefined || isJsonObject(response)) return response;
    this.#options.onDiagnostic({
      code: 'control_frame_malformed',
      message: `The answer to ${pending.subtype} has a response that is not an object`,
      details: { requestId: pending.requestId, subtype: pending.subtype },
    });
    return undefined;
  }
}

/**
 * Makes the error here, where V8 finds the `await` of the caller, at no cost for requests that succeed. That works only
 * while the promise has no second listener, so it is marked as handled last.
 */
async function readOutcome<T>(pending: PendingRequest, outcome: Promise<Outcome>, read: ReadAnswer<T>): Promise<T> {
  const settled = await outcome;
  try {
    if (typeof settled === 'function') throw settled();
    return read(settled);
  } catch (error) {
    if (pending.answer !== undefined) ignoreRejection(pending.answer);
    throw error;
  }
}

/** The signal may be a foreign one whose methods fail; the request has to settle all the same. */
function release(pending: PendingRequest): void {
  try {
    pending.release?.();
  } catch {
    // A listener that stays does nothing: its request is gone.
  }
}

function reasonOf(signal: AbortSignal): unknown {
  try {
    return signal.reason;
  } catch (thrown) {
    return thrown;
  }
}

const ID_LENGTH = 10;

/** A new id for an outbound control request: ten random characters of `0-9a-z`, as the official SDK's ids look. */
export function createRequestId(): string {
  // After "0."; the rare short fraction is filled up.
  return Math.random()
    .toString(36)
    .slice(2, 2 + ID_LENGTH)
    .padEnd(ID_LENGTH, '0');
}

/**
 * Checks what a caller gave with a request, so that nothing of it fails later, when the request is pending. `null`
 * counts as nothing, for the whole and for the signal. The time limit is checked where it is worked out.
 * @throws InvalidOptionError, or whatever a getter throws.
 */
function checkRequestOptions(subtype: unknown, options: unknown): RequestOptions {
  if (typeof subtype !== 'string') throw unusable('subtype', 'The subtype of a request must be a string', subtype);
  if (options === undefined || options === null) return {};
  if (typeof options !== 'object') throw unusable('options', `The options of ${subtype} must be an object`, options);
  const { timeoutMs, signal } = options as RequestOptions;
  const hasSignal = signal !== undefined && signal !== null;
  if (hasSignal && !isAbortSignal(signal)) {
    throw unusable('signal', `\`signal\` of ${subtype} must be an AbortSignal`, signal);
  }
  return { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(hasSignal ? { signal } : {}) };
}

function unusable(option: string, rule: string, value: unknown): InvalidOptionError {
  return new InvalidOptionError(option, `${rule}; got ${describeValue(value)}`);
}
