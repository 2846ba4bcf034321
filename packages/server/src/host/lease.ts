import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationStore } from '../stores/conversation-store.js';
import { isLeasePassed } from '../stores/lease-token.js';

export interface LeaseOptions {
  readonly store: ConversationStore;
  readonly key: ConversationKey;
  readonly ttlMs: number;
  /** Once, when another host may write. */
  readonly onLost: () => void;
}

/**
 * The right to write to a conversation, renewed for as long as it is held. It also ends by itself when the store has not
 * renewed it in time: a store that hangs, or a host that was suspended, must not write beside another host. A clock that
 * was set puts it in doubt, until the store was asked.
 */
export class Lease {
  #token: number;
  readonly #options: LeaseOptions;
  readonly #renewals: NodeJS.Timeout;
  #deadline: NodeJS.Timeout | undefined;
  /** By both clocks: one of them may have stood still while the host was suspended, the other may have been set. */
  #endsAt = { monotonic: 0, wall: 0 };
  #isOver = false;
  readonly #renewing = new Set<Promise<unknown>>();
  #doubt: Promise<boolean> | undefined;

  private constructor(token: number, options: LeaseOptions, askedAt: Moment) {
    this.#token = token;
    this.#options = options;
    this.#renewals = setInterval(() => void this.confirm(), options.ttlMs / 3);
    this.#extend(askedAt);
  }

  /** `undefined`: another host has it, or the conversation is gone. */
  static async take(options: LeaseOptions): Promise<Lease | undefined> {
    const { store, key, ttlMs } = options;
    const askedAt = now();
    const token = await store.acquire(key, ttlMs);
    return token === undefined ? undefined : new Lease(token, options, askedAt);
  }

  /** Counts up by one with each lease of the conversation, so also when this one was taken anew. */
  get token(): number {
    return this.#token;
  }

  /** Whether this host may write. Asks no store, so it is right for as long as the clocks run alike. */
  get isHeld(): boolean {
    if (this.#isOver) return false;
    const { monotonic, wall } = now();
    if (monotonic >= this.#endsAt.monotonic) this.#lose();
    else if (wall >= this.#endsAt.wall || this.#doubt !== undefined) void this.settled();
    else return true;
    return false;
  }

  /** As {@link isHeld}, but waits for the answer of the store when the clocks do not agree. */
  async settled(): Promise<boolean> {
    if (this.#isOver || now().monotonic >= this.#endsAt.monotonic) return this.isHeld;
    if (this.#doubt === undefined && now().wall < this.#endsAt.wall) return true;
    this.#doubt ??= this.#tracked(this.#recover()).finally(() => {
      this.#doubt = undefined;
    });
    return await this.#doubt;
  }

  /** Asks the store, and renews. A store that fails is asked again later; the lease passes if that goes on. */
  async confirm(): Promise<boolean> {
    if (!this.isHeld) return await this.settled();
    const { store, key, ttlMs } = this.#options;
    const askedAt = now();
    const isHeld = await this.#tracked(store.renew(key, this.#token, ttlMs).catch(() => undefined));
    if (isHeld === true) this.#extend(askedAt);
    else if (isHeld === false) this.#lose();
    return isHeld === true && !this.#isOver;
  }

  /**
   * Runs a write with the token. A store that refuses it has seen a newer one, so the lease is lost, whatever the clocks say.
   * @throws HostError `conflict` then.
   */
  async write<T>(write: (token?: number) => Promise<T>): Promise<T> {
    for (;;) {
      const token = this.#token;
      try {
        return await write(token);
      } catch (error) {
        if (!isLeasePassed(error)) throw error;
        // It may be that this host itself has just taken it anew.
        await this.settled();
        if (this.#token !== token) continue;
        this.#lose();
        throw error;
      }
    }
  }

  /** The clock was set, or the host was suspended. If nobody has had the lease since, it is still this host's. */
  async #recover(): Promise<boolean> {
    const { store, key, ttlMs } = this.#options;
    const askedAt = now();
    const next = this.#token + 1;
    let isHeld = await store.renew(key, this.#token, ttlMs).catch(() => false);
    if (!isHeld && !this.#isOver) {
      const token = await store.acquire(key, ttlMs).catch(() => undefined);
      isHeld = token === next;
      if (isHeld) this.#token = next;
      else if (token !== undefined) await store.release(key, token).catch(() => {});
    }
    if (isHeld) this.#extend(askedAt);
    else this.#lose();
    return isHeld && !this.#isOver;
  }

  async #tracked<T>(call: Promise<T>): Promise<T> {
    this.#renewing.add(call);
    try {
      return await call;
    } finally {
      this.#renewing.delete(call);
    }
  }

  /** A lease that cannot be given back passes by itself. */
  async release(): Promise<void> {
    this.#end();
    // One that is on its way would take the lease again, for nobody.
    await Promise.all(this.#renewing);
    await this.#options.store.release(this.#options.key, this.#token).catch(() => {});
  }

  /** Counted from the question, with a tenth for what is on its way. */
  #extend(askedAt: Moment): void {
    if (this.#isOver) return;
    const ms = this.#options.ttlMs * 0.9;
    this.#endsAt = { monotonic: askedAt.monotonic + ms, wall: askedAt.wall + ms };
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.isHeld, this.#endsAt.monotonic - now().monotonic + 1);
  }

  #lose(): void {
    if (this.#isOver) return;
    this.#end();
    this.#options.onLost();
  }

  #end(): void {
    this.#isOver = true;
    clearInterval(this.#renewals);
    clearTimeout(this.#deadline);
  }
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

function now(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}
