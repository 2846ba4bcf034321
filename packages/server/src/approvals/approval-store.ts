import type { ApprovalState } from '../events/conversation-event.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { Approval, ApprovalChanges } from './approval.js';

/**
 * Keeps approvals for longer than a process lives. Several hosts may share one. `approvalStoreContract()` of
 * `claudewire-server/testing` has its promises as tests.
 *
 * Every method rejects with a {@link HostError} `invalid` for a tenant or id that cannot be one.
 */
export interface ApprovalStore {
  /** @throws HostError `conflict`: the id exists. */
  create(approval: Approval): Promise<void>;
  get(key: ConversationKey, approvalId: string): Promise<Approval | undefined>;
  /** Those of one conversation, the oldest first. */
  list(key: ConversationKey): Promise<readonly Approval[]>;
  /**
   * Changes an approval that is in the state `from`, in one step: of several that try, one gets `true`. It is durable,
   * also when the machine loses power, before this resolves.
   * @returns `false`: it is in another state, or there is none.
   */
  change(key: ConversationKey, approvalId: string, from: ApprovalState, changes: ApprovalChanges): Promise<boolean>;
  /** Removes those of a conversation. */
  removeAll(key: ConversationKey): Promise<void>;
}
