import { setTimeout as sleep } from 'node:timers/promises';
import { HostError } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import { isLeasePassed, type WithLease } from '../stores/lease-token.js';
import type { HostParts } from './host-parts.js';
import { Lease } from './lease.js';

export interface ConversationLeaseHooks {
  /** Whether the log ends within a turn. */
  readonly endsInTurn: () => Promise<boolean>;
  /** Another host may write by now. */
  readonly onLost: () => void;
}

/** Whether this host may write to a conversation: its leases, one for each turn. */
export class ConversationLease {
  readonly #key: ConversationKey;
  readonly #parts: HostParts;
  readonly #hooks: ConversationLeaseHooks;
  #lease: Lease | undefined;
  /** Of the turn before. Without a gap to the next one nobody else has written. */
  #lastToken = 0;
  /** It is held for a moment, and another host has had it since the turn before. */
  #isBehind = false;
  /** This host asks for one lease at a time: one for a moment would look to a turn like that of another host. */
  #asking: Promise<unknown> = Promise.resolve();

  constructor(key: ConversationKey, parts: HostParts, hooks: ConversationLeaseHooks) {
    this.#key = key;
    this.#parts = parts;
    this.#hooks = hooks;
  }

  /** Taken, and neither given back nor lost. */
  get isTaken(): boolean {
    return this.#lease !== undefined;
  }

  /** Whether this host may write, as far as it can be said without the store. */
  get isHeld(): boolean {
    return this.#lease?.isHeld === true;
  }

  /** Whether this host may write. Waits for the store when the clocks do not agree. */
  async settled(): Promise<boolean> {
    return (await this.#lease?.settled()) === true;
  }

  /** As {@link settled}, but `undefined` at once where there is no doubt. */
  doubtSettled(): Promise<boolean> | undefined {
    return this.#lease?.isHeld === false ? this.#lease.settled() : undefined;
  }

  /** Asks the store. */
  async confirm(): Promise<boolean> {
    return (await this.#lease?.confirm()) === true;
  }

  /** As {@link confirm}. @throws HostError `conflict`: another host has it; `store_failed`: the store did not say. */
  async assertConfirmed(): Promise<void> {
    if (await this.confirm()) return;
    if (!this.isHeld) throw this.heldElsewhere();
    throw new HostError(
      'store_failed',
      'The store did not say whether this host still has the conversation. Try again.',
    );
  }

  /** Runs a write with the token of the lease. @throws HostError `conflict`: there is none, or it has passed. */
  readonly write: WithLease = async (write) => {
    const lease = this.#lease;
    if (lease === undefined) throw this.heldElsewhere();
    try {
      return await lease.write(write);
    } catch (error) {
      throw isLeasePassed(error) ? this.heldElsewhere(error) : error;
    }
  };

  /** For a message. The end of a turn is seen a moment before its host gives the lease back, so this is waited for. */
  async take(): Promise<boolean> {
    for (let left = 10; ; left -= 1) {
      await this.#oneAtATime(async () => {
        this.#lease = await this.#acquire(this.#hooks.onLost);
      });
      if (this.isTaken || left === 0 || (await this.#hooks.endsInTurn())) return this.isTaken;
      await sleep(50);
    }
  }

  /** For a turn that has begun already. */
  async takeNow(): Promise<boolean> {
    await this.#oneAtATime(async () => {
      this.#lease = await this.#acquire(this.#hooks.onLost).catch(() => undefined);
    });
    return this.isTaken;
  }

  /** For what takes a moment, if nobody has it or takes it meanwhile. @param task - Is told whether nobody else has written since the turn before. */
  async takeFor(task: (follows: boolean) => Promise<void>): Promise<void> {
    await this.#oneAtATime(async () => {
      if (!this.isTaken) await this.#withMoment(task);
    });
  }

  /**
   * Runs what must not happen once another host has gone on with the conversation: with the lease of the turn that is open, or
   * with one of its own.
   * @returns false when it was not run: another host has or had the conversation, or it is gone.
   */
  async ifLatest(task: () => Promise<void> = async () => {}): Promise<boolean> {
    let wasRun = false;
    const run = async (): Promise<void> => {
      if (this.#isBehind || !(await this.settled())) return;
      await task();
      wasRun = true;
    };
    if (this.isTaken) await run();
    else await this.#oneAtATime(async () => (this.isTaken ? await run() : await this.#withMoment(run)));
    return wasRun;
  }

  async #withMoment(task: (follows: boolean) => Promise<void>): Promise<void> {
    const lease = await this.#acquire(() => {});
    if (lease === undefined) return;
    // Taken in between, it is no sign of another host.
    const follows = lease.token === this.#lastToken + 1;
    this.#lease = lease;
    this.#isBehind = !follows;
    try {
      await task(follows);
    } catch (error) {
      if (!isLeasePassed(error)) throw error;
    } finally {
      this.#lease = undefined;
      this.#isBehind = false;
      await lease.release();
      if (follows) this.#lastToken = lease.token;
    }
  }

  async #oneAtATime(task: () => Promise<void>): Promise<void> {
    const before = this.#asking;
    const asking = before.then(task);
    this.#asking = asking.catch(() => {});
    await asking;
  }

  /** Whether nobody else has written since the turn before. To be asked once for each turn. */
  followsLast(): boolean {
    const token = this.#lease?.token ?? 0;
    const follows = token === this.#lastToken + 1;
    this.#lastToken = token;
    return follows;
  }

  /** Gives it back. */
  async release(): Promise<void> {
    const lease = this.#lease;
    await this.drop();
    if (lease !== undefined) this.#lastToken = lease.token;
  }

  /** Gives back what another host may have by now: from this call on nothing is written. */
  async drop(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    await lease?.release();
  }

  /** Its host may be at work, or dead: then its lease passes. */
  heldElsewhere(cause?: unknown): HostError {
    const { leaseMs: retryAfterMs } = this.#parts.limits;
    const text = `Another host has this conversation, or ended with it. Try again in ${retryAfterMs} ms.`;
    return new HostError('conflict', text, { retryAfterMs, ...(cause === undefined ? {} : { cause }) });
  }

  async #acquire(onLost: () => void): Promise<Lease | undefined> {
    const { store, limits } = this.#parts;
    return await Lease.take({ store, key: this.#key, ttlMs: limits.leaseMs, onLost });
  }
}
