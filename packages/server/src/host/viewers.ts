import { HostError } from '../errors.js';
import type { LoggedEvent } from '../events/conversation-event.js';
import type { Conversation } from './conversation.js';
import type { Conversations } from './conversations.js';
import type { HostLimits } from './limits.js';

export interface Viewing {
  /** The id of the last event that was seen. */
  readonly after: number;
  readonly signal: AbortSignal | undefined;
  /** Nobody who looks. */
  readonly isPassive: boolean;
}

/** Who follows the events of conversations on this host. A viewer keeps its conversation in memory until it leaves. */
export class Viewers {
  readonly #limits: Required<HostLimits>;
  readonly #conversations: Conversations;
  /** What ends each, with its tenant. */
  readonly #viewers = new Map<() => void, string>();
  #isOver = false;

  constructor(limits: Required<HostLimits>, conversations: Conversations) {
    this.#limits = limits;
    this.#conversations = conversations;
  }

  get count(): number {
    return this.#viewers.size;
  }

  /** To be asked before a conversation is taken into memory. @throws HostError `busy`. */
  assertRoomFor(viewerOf: string): void {
    const { viewers, viewersPerTenant } = this.#limits;
    const own = [...this.#viewers.values()].filter((tenant) => tenant === viewerOf).length;
    const [limit, who] = own >= viewersPerTenant ? [own, ' of this tenant'] : [viewers, ''];
    if (own < viewersPerTenant && this.#viewers.size < viewers) return;
    throw new HostError('busy', `${limit} viewers${who} are here already. Close one of them, or try again later.`, {
      retryAfterMs: 5_000,
    });
  }

  /** @throws HostError `invalid`: nobody can have seen this event; `store_failed`. */
  async open(conversation: Conversation, viewing: Viewing): Promise<AsyncIterableIterator<LoggedEvent>> {
    const { after, signal } = viewing;
    const abort = new AbortController();
    const leave = this.#enter(conversation, viewing, abort);
    try {
      await conversation.feed.assertReached(after);
      await conversation.endLost();
      if (this.#isOver) conversation.endViewers();
    } catch (error) {
      leave();
      throw error;
    }
    if (signal?.aborted === true) leave();
    return iteratorOf(conversation.feed.follow(after, abort.signal), leave);
  }

  /** Ends all, after what is stored, and whoever comes. */
  async close(): Promise<void> {
    this.#isOver = true;
    for (const conversation of this.#conversations.all) {
      // Counted as a failure of the store when its turn ended.
      await conversation.feed.flush().catch(() => {});
      conversation.endViewers();
    }
  }

  #enter(conversation: Conversation, { signal, isPassive }: Viewing, abort: AbortController): () => void {
    const { tenant } = conversation.key;
    const leave = (): void => {
      abort.abort();
      signal?.removeEventListener('abort', leave);
      if (!this.#viewers.delete(leave)) return;
      if (!isPassive) conversation.audience.leave();
      conversation.users -= 1;
      this.#conversations.forget(conversation);
    };
    conversation.users += 1;
    this.#viewers.set(leave, tenant);
    if (!isPassive) conversation.audience.enter();
    signal?.addEventListener('abort', leave, { once: true });
    return leave;
  }
}

/** Its owner leaves with the last event, a failure or `return()`, whichever is first. */
function iteratorOf(events: AsyncGenerator<LoggedEvent, void>, leave: () => void): AsyncIterableIterator<LoggedEvent> {
  const viewer: AsyncIterableIterator<LoggedEvent> = {
    next: async () => {
      try {
        const result = await events.next();
        if (result.done === true) leave();
        return result;
      } catch (error) {
        leave();
        throw error;
      }
    },
    return: async () => {
      leave();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => viewer,
  };
  return viewer;
}
