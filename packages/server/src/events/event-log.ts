import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationEvent, LoggedEvent } from './conversation-event.js';

export interface EventPage {
  /** Those after the id that was asked for, in order, at most `limit`. */
  readonly events: readonly LoggedEvent[];
  /** The oldest that is kept; `lastId + 1` when none is. */
  readonly firstId: number;
  /** The newest. 0 in an empty log. */
  readonly lastId: number;
}

/**
 * The events of conversations, so that a viewer who was away gets what it missed. Append-only, with ids from 1 on,
 * and bounded: the oldest events go. One host appends to a conversation at a time: the one that has its lease.
 */
export interface EventLog {
  /**
   * Set when other processes may append: how often a viewer looks for what they wrote, in milliseconds. While the log is
   * watched, every 30 s, in case a call of `watch()` was lost. A look is `read()` with a limit of 0, so that has to be
   * cheap however long the log is.
   */
  readonly pollMs?: number;
  /**
   * Stores all or none. Resolves with the ids that they got.
   * @param token - Of the lease of the host that writes. The log keeps the highest one that it has seen of a conversation,
   * until that is removed, and refuses lower ones in the same step as the append. A host that takes a conversation over
   * appends nothing with its token first, so from then on the one before it, which may only have stood still, adds nothing.
   * A log that ignores the token keeps working, and may take late events of such a host.
   * @throws HostError `conflict`: it has seen a higher token.
   */
  append(key: ConversationKey, events: readonly ConversationEvent[], token?: number): Promise<readonly LoggedEvent[]>;
  /** An unknown conversation is an empty log. */
  read(key: ConversationKey, after: number, limit: number): Promise<EventPage>;
  remove(key: ConversationKey): Promise<void>;
  /**
   * Calls `onAppend` after another process has appended, until the function that it resolves with is called. A call may
   * come late, come for nothing or be lost, so a log with this method has `pollMs` too. Without it, or where it rejects, a
   * viewer learns of what other hosts write by `pollMs` alone.
   */
  watch?(key: ConversationKey, onAppend: () => void): Promise<() => void>;
}
