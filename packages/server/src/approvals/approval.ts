import type { ApprovalState } from '../events/conversation-event.js';
import type { ConversationKey } from '../stores/conversation-key.js';

/** What somebody decided. `updatedInput` takes the place of the whole input. */
export type Decision =
  | { readonly behavior: 'allow'; readonly updatedInput?: Record<string, unknown> }
  | { readonly behavior: 'deny'; readonly message?: string };

/** A tool call that waits for a decision, or waited. */
export interface Approval extends ConversationKey {
  readonly approvalId: string;
  readonly toolName: string;
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  /** SHA-256 of the input. */
  readonly inputDigest: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: ApprovalState;
  readonly decision?: Decision;
  /** SHA-256 of the input that was allowed. */
  readonly finalDigest?: string;
}

/** What a change may set. */
export type ApprovalChanges = Pick<Approval, 'state'> & Partial<Pick<Approval, 'decision' | 'finalDigest'>>;

/** Where a state may lead. Nothing leads back, so a decision is taken once. */
export const NEXT: Readonly<Record<ApprovalState, readonly ApprovalState[]>> = {
  open: ['consumed', 'lost', 'expired', 'withdrawn'],
  consumed: ['done', 'failed', 'denied', 'outcome_unknown', 'lost'],
  done: [],
  failed: [],
  denied: [],
  outcome_unknown: [],
  lost: [],
  expired: [],
  withdrawn: [],
};

/** Whether an approval in the state `from` may be changed to `to`. For stores: `change()` refuses what may not be. */
export function canChangeApproval(from: ApprovalState, to: ApprovalState): boolean {
  return Object.hasOwn(NEXT, from) && NEXT[from].includes(to);
}
