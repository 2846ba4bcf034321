import type { BackgroundTask } from '../events/conversation-event.js';
import { type ConversationKey, keyText } from '../stores/conversation-key.js';
import { Conversation } from './conversation.js';
import type { HostParts } from './host-parts.js';
import type { ConversationState } from './turns.js';

export interface ConversationCounts {
  readonly openQuestions: number;
  readonly conversations: Readonly<Record<ConversationState, number>>;
}

/** The conversations in memory: those that have a process, a turn, a call or a viewer. Nothing is kept about others. */
export class Conversations {
  readonly #parts: HostParts;
  readonly #known = new Map<string, Conversation>();

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  get all(): readonly Conversation[] {
    return [...this.#known.values()];
  }

  /** To be given to {@link forget} when it is not needed any more. */
  of(key: ConversationKey): Conversation {
    const name = keyText(key);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made: Conversation = new Conversation({ tenant: key.tenant, id: key.id }, this.#parts, () => {
      this.#parts.pool.makeRoom();
      this.forget(made);
    });
    this.#known.set(name, made);
    return made;
  }

  async using<T>(key: ConversationKey, task: (conversation: Conversation) => Promise<T>): Promise<T> {
    const conversation = this.of(key);
    conversation.users += 1;
    try {
      return await task(conversation);
    } finally {
      conversation.users -= 1;
      this.forget(conversation);
    }
  }

  /** If nobody uses it. */
  forget(conversation: Conversation): void {
    const name = keyText(conversation.key);
    // One that was forgotten before may still be ending, while another has taken its place.
    if (conversation.isUnused && this.#known.get(name) === conversation) this.#known.delete(name);
  }

  stateOf(key: ConversationKey): ConversationState {
    return this.#known.get(keyText(key))?.turns.state ?? 'cold';
  }

  /** What runs here after its turn. */
  tasksOf(key: ConversationKey): readonly BackgroundTask[] {
    return this.#known.get(keyText(key))?.background.tasks ?? [];
  }

  /** Ends the process that has been idle for longest, and in which nothing runs. @param tenant - Of this one, if given. */
  evictIdle(tenant?: string): Promise<void> | undefined {
    let oldest: Conversation | undefined;
    for (const each of this.#known.values()) {
      if (each.turns.state !== 'idle' || this.#parts.kept.has(each.turns)) continue;
      if (tenant !== undefined && each.key.tenant !== tenant) continue;
      if (oldest === undefined || each.turns.idleSince < oldest.turns.idleSince) oldest = each;
    }
    return oldest?.turns.evict();
  }

  byPid(): ReadonlyMap<number, Conversation> {
    return new Map(this.all.flatMap((each) => (each.turns.pid === undefined ? [] : [[each.turns.pid, each] as const])));
  }

  counts(): ConversationCounts {
    const conversations = { cold: 0, starting: 0, busy: 0, idle: 0 };
    let openQuestions = 0;
    for (const { turns, questions } of this.#known.values()) {
      conversations[turns.state] += 1;
      openQuestions += questions.count;
    }
    return { openQuestions, conversations };
  }
}
