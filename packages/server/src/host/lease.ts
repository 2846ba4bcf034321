import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationStore } from '../stores/conversation-store.js';

export interface LeaseOptions {
  readonly store: ConversationStore;
  readonly key: ConversationKey;
  readonly ttlMs: number;
  /** Once, when another host may write. */
  readonly onLost: () => void;
}

/**
 * The right to write to a conversation, renewed for as long as it is held. It also ends by itself when the store has not
 * renewed it in time: a store that hangs, or a host that was suspended, must not write beside another host.
 */
export class Lease {
  readonly token: number;
  readonly #options: LeaseOptions;
  readonly #renewals: NodeJS.Timeout;
  #deadline: NodeJS.Timeout | undefined;
  /** By both clocks: one of them may have stood still while the host was suspended, the other may have been set. */
  #endsAt = { monotonic: 0, wall: 0 };
  #isOver = false;
  readonly #renewing = new Set<Promise<unknown>>();

  private constructor(token: number, options: LeaseOptions, askedAt: Moment) {
    this.token = token;
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

  /** Whether this host may write. Asks no store, so it is right for as long as the clocks run alike. */
  get isHeld(): boolean {
    const { monotonic, wall } = now();
    if (!this.#isOver && (monotonic >= this.#endsAt.monotonic || wall >= this.#endsAt.wall)) this.#lose();
    return !this.#isOver;
  }

  /** Asks the store, and renews. A store that fails is asked again later; the lease passes if that goes on. */
  async confirm(): Promise<boolean> {
    if (!this.isHeld) return false;
    const { store, key, ttlMs } = this.#options;
    const askedAt = now();
    const renewal = store.renew(key, this.token, ttlMs).catch(() => undefined);
    this.#renewing.add(renewal);
    const isHeld = await renewal;
    this.#renewing.delete(renewal);
    if (isHeld === true) this.#extend(askedAt);
    else if (isHeld === false) this.#lose();
    return isHeld === true && !this.#isOver;
  }

  /** A lease that cannot be given back passes by itself. */
  async release(): Promise<void> {
    this.#end();
    // One that is on its way would take the lease again, for nobody.
    await Promise.all(this.#renewing);
    await this.#options.store.release(this.#options.key, this.token).catch(() => {});
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
