import type { ConversationKey } from '../stores/conversation-key.js';
import type { WakeUp } from './wake-up.js';

/**
 * Keeps the prompts that conversations send themselves, for longer than a process lives. Several hosts may share one. Only
 * the holder of a conversation's lease writes. `wakeUpStoreContract()` of `claudewire-server/testing` has its promises as
 * tests.
 *
 * Every method rejects with a {@link HostError} `invalid` for a tenant or id that cannot be one.
 */
export interface WakeUpStore {
  /** Those of a conversation, in the order in which they were stored. */
  get(key: ConversationKey): Promise<readonly WakeUp[]>;
  /**
   * Takes the place of those that were stored. None, without a token: the conversation is forgotten.
   * @param token - Of the lease of the host that writes. The store keeps the highest one that it has seen of a conversation,
   * also when there are no wake-ups, and refuses lower ones in the same step as the change. A store that ignores it keeps
   * working, and may take a late list of a host that stood still for longer than its lease: then a prompt is sent twice.
   * @throws HostError `conflict`: it has seen a higher token.
   */
  set(key: ConversationKey, wakeUps: readonly WakeUp[], token?: number): Promise<void>;
  /** Conversations with one whose `fireAt` is not after `at`, the earliest first. */
  due(at: number, limit: number): Promise<readonly ConversationKey[]>;
}
