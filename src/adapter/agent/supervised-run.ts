import { ignoreRejection } from '../../util/deferred.js';
import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { onAbort } from '../../util/on-abort.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { type AgentEvent, createEvent, type DoneEvent, generateSessionId, isAgentEvent } from './agent-event.js';
import type { AgentAdapter, AgentOptions } from './agent-types.js';
import { leavable, Pull, type Wakeup } from './merge-iterators.js';

/** How long an adapter may take to send `done` after an abort. */
const ABORT_GRACE_MS = 500;
/** How long leaving waits for the adapter's clean-up. */
const LEAVE_GRACE_MS = 10_000;

/** Its timers keep the process alive, so that a program that waits for a hanging adapter sees the end. */
const holdingClock: Clock = {
  ...systemClock,
  setTimer: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Runs an adapter and enforces the contract of its stream: it never throws, the last event is the one `done`, and an
 * abort ends it whatever the adapter does.
 */
export function supervisedRun(
  adapter: AgentAdapter | undefined,
  prompt: string,
  options: AgentOptions,
  clock: Clock = holdingClock,
): AsyncGenerator<AgentEvent, void, void> {
  return leavable((wakeup) => new SupervisedRun(adapter, prompt, options, clock, wakeup).events());
}

class SupervisedRun {
  readonly #adapter: AgentAdapter | undefined;
  readonly #agent: string;
  readonly #prompt: string;
  readonly #options: AgentOptions;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #wakeup: Wakeup;
  readonly #startedAt: number;
  #sessionId: string;
  #isGraceOver = false;

  constructor(adapter: AgentAdapter | undefined, prompt: string, options: AgentOptions, clock: Clock, wakeup: Wakeup) {
    this.#adapter = adapter;
    this.#agent = nameOf(adapter);
    this.#prompt = prompt;
    this.#options = options;
    const { abortSignal }: { readonly abortSignal?: unknown } = options;
    // The adapter refuses a value that is not a signal.
    this.#signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
    this.#clock = clock;
    this.#wakeup = wakeup;
    this.#startedAt = clock.monotonic();
    this.#sessionId = options.resume || generateSessionId();
  }

  async *events(): AsyncGenerator<AgentEvent, void, void> {
    const abortSignal = this.#signal;
    if (abortSignal?.aborted === true) {
      yield this.#done('interrupted');
      return;
    }
    let takeTimer: (() => void) | undefined;
    const startGrace = (): void => {
      takeTimer = this.#clock.setTimer(ABORT_GRACE_MS, () => {
        this.#isGraceOver = true;
        this.#wakeup.wake();
      });
    };
    const off = abortSignal && onAbort(abortSignal, startGrace);
    try {
      yield* this.#supervised();
    } finally {
      off?.();
      takeTimer?.();
    }
  }

  async *#supervised(): AsyncGenerator<AgentEvent, void, void> {
    let iterator: AsyncIterator<AgentEvent, void, void>;
    try {
      if (this.#adapter === undefined) throw new TypeError('The task has no adapter');
      iterator = this.#adapter.run(this.#prompt, this.#options)[Symbol.asyncIterator]();
    } catch (error) {
      return yield* this.#ending('ADAPTER_ERROR', errorText(error));
    }
    try {
      yield* this.#forwarded(iterator);
    } finally {
      await this.#leave(iterator);
    }
  }

  async *#forwarded(iterator: AsyncIterator<AgentEvent, void, void>): AsyncGenerator<AgentEvent, void, void> {
    const pull = new Pull<AgentEvent>(iterator, () => this.#wakeup.wake());
    for (;;) {
      if (this.#wakeup.isLeft) return;
      if (this.#isGraceOver) {
        yield this.#done('interrupted');
        return;
      }
      pull.start();
      const arrival = pull.take();
      if (arrival === undefined) {
        await this.#wakeup.wait();
        continue;
      }
      if (arrival.kind === 'end') return yield* this.#ending('MISSING_DONE', `${this.#agent} ended without saying so`);
      if (arrival.kind === 'failed') return yield* this.#ending('ADAPTER_ERROR', errorText(arrival.error));
      let event: AgentEvent | undefined;
      let given: string;
      try {
        event = readEvent(arrival.value);
        given = describeValue(arrival.value);
      } catch (error) {
        given = `one that cannot be read (${errorText(error)})`;
      }
      if (event === undefined) return yield* this.#ending('ADAPTER_ERROR', `${this.#agent} gave no event but ${given}`);
      this.#sessionId = event.sessionId;
      yield event;
      if (event.type === 'done') return;
    }
  }

  /** For an adapter that ended or failed without `done`. */
  *#ending(code: string, message: string): Generator<AgentEvent> {
    if (this.#signal?.aborted === true) {
      yield this.#done('interrupted');
      return;
    }
    yield createEvent('error', this.#agent, { code, message, recoverable: false }, this.#sessionId);
    yield this.#done('error', message);
  }

  #done(status: DoneEvent['payload']['status'], result?: string): AgentEvent {
    return createEvent(
      'done',
      this.#agent,
      {
        status,
        ...(result === undefined ? {} : { result }),
        usage: { inputTokens: 0, outputTokens: 0, toolUses: 0, reported: false },
        durationMs: Math.max(0, Math.round(this.#clock.monotonic() - this.#startedAt)),
      },
      this.#sessionId,
    );
  }

  /** Lets the adapter clean up, for a limited time. */
  async #leave(iterator: AsyncIterator<AgentEvent, void, void>): Promise<void> {
    const left = (async () => void (await iterator.return?.()))();
    ignoreRejection(left);
    if (this.#isGraceOver) return;
    await new Promise<void>((resolve) => {
      const takeTimer = this.#clock.setTimer(LEAVE_GRACE_MS, resolve);
      const over = (): void => {
        takeTimer();
        resolve();
      };
      left.then(over, over);
    });
  }
}

function nameOf(adapter: Partial<AgentAdapter> | null | undefined): string {
  try {
    const name = adapter?.agent;
    return typeof name === 'string' && name !== '' ? name : 'unknown';
  } catch {
    return 'unknown';
  }
}

/** A copy with plain fields, so that reading them again cannot throw. `undefined`: not an event. */
function readEvent(value: unknown): AgentEvent | undefined {
  if (!isAgentEvent(value)) return undefined;
  const { type, agent, timestamp, sessionId, payload, metadata } = value;
  const event = { ...value, type, agent, timestamp, sessionId, payload };
  // A copy of the event's own fields.
  return (metadata === undefined ? event : { ...event, metadata: { ...metadata } }) as AgentEvent;
}
