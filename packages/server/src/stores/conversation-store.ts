import type { ConversationKey } from './conversation-key.js';
import type { ListOptions } from './list-options.js';

/** What is kept about a conversation. Its messages are in the session store, its events in the event log. */
export interface ConversationRecord extends ConversationKey {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** When a turn last ended, or `createdAt`. */
  readonly updatedAt: number;
  readonly title?: string;
  /** Claude Code's session. Absent until a turn was stored. */
  readonly sessionId?: string;
  /** What hosts have stored for it: JSON of events and transcripts. Absent until a turn was stored. */
  readonly bytes?: number;
}

/** What the conversations of a tenant are together. */
export interface TenantUsage {
  readonly conversations: number;
  /** Of all records. */
  readonly bytes: number;
}

export type ConversationChanges = Partial<Pick<ConversationRecord, 'updatedAt' | 'title' | 'sessionId' | 'bytes'>>;

/**
 * An index of conversations, and the lease that makes one host the writer of a conversation. Several hosts may share
 * one. `conversationStoreContract()` of `claudewire-server/testing` has its promises as tests.
 *
 * Every method rejects with a {@link HostError} `invalid` for a tenant or id that cannot be one.
 */
export interface ConversationStore {
  /**
   * @param most - How many the tenant may have, with this one. Also where several are created at once: then more may be
   * refused than would have to be, and never fewer. @defaultValue any number
   * @throws HostError `conflict`: the conversation exists. `limit_reached`: the tenant has as many.
   */
  create(record: ConversationRecord, most?: number): Promise<void>;
  get(key: ConversationKey): Promise<ConversationRecord | undefined>;
  /**
   * @param token - Of the lease of the host that writes. Compared with the newest lease in the same step as the change, so
   * that a host which stood still for longer than its lease changes nothing. A store that ignores it keeps working, and may
   * take a late change of such a host.
   * @throws HostError `not_found`; `conflict`: a lease with a higher token was given.
   */
  update(key: ConversationKey, changes: ConversationChanges, token?: number): Promise<void>;
  /**
   * Those of one tenant, the last changed first; of those that were changed at the same time, the greater id first. Fewer
   * than `limit` only at the end of the list. A record that cannot be read is left out.
   *
   * Page by page, with `after` from the last record of the page before, every conversation that is not changed meanwhile
   * comes once. One that is changed moves to the front.
   */
  list(tenant: string, options: ListOptions): Promise<readonly ConversationRecord[]>;
  /** Cheap, however many there are: it is asked for before each message. */
  usage(tenant: string): Promise<TenantUsage>;
  /** Removes the record and its lease. Does nothing for an unknown key. */
  remove(key: ConversationKey): Promise<void>;
  /**
   * Takes the lease for `ttlMs`.
   * @returns a token that is greater by one than that of the lease before: a host that finds no gap knows that nobody
   * wrote since. `undefined` when another one has the lease, or when there is no such conversation.
   */
  acquire(key: ConversationKey, ttlMs: number): Promise<number | undefined>;
  /** Lengthens a lease to `ttlMs` from now. `false`: it has passed, or another one has it. */
  renew(key: ConversationKey, token: number, ttlMs: number): Promise<boolean>;
  /** Gives a lease back. Does nothing when it is no longer held. */
  release(key: ConversationKey, token: number): Promise<void>;
}
