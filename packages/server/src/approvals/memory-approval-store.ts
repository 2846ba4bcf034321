import { HostError } from '../errors.js';
import type { ApprovalState } from '../events/conversation-event.js';
import { assertKey, assertUuid, type ConversationKey, keyText } from '../stores/conversation-key.js';
import { type Approval, type ApprovalChanges, NEXT } from './approval.js';
import type { ApprovalStore } from './approval-store.js';

/** An {@link ApprovalStore} that ends with the program: for tests. */
export class InMemoryApprovalStore implements ApprovalStore {
  readonly #kept = new Map<string, Map<string, Approval>>();

  async create(approval: Approval): Promise<void> {
    const kept = this.#of(approval, approval.approvalId);
    if (kept.has(approval.approvalId)) throw new HostError('conflict', 'An approval with this id exists.');
    kept.set(approval.approvalId, structuredClone(approval));
    this.#kept.set(keyText(approval), kept);
  }

  async get(key: ConversationKey, approvalId: string): Promise<Approval | undefined> {
    return structuredClone(this.#of(key, approvalId).get(approvalId));
  }

  async list(key: ConversationKey): Promise<readonly Approval[]> {
    assertKey(key);
    return oldestFirst([...(this.#kept.get(keyText(key))?.values() ?? [])].map((each) => structuredClone(each)));
  }

  async change(
    key: ConversationKey,
    approvalId: string,
    from: ApprovalState,
    changes: ApprovalChanges,
  ): Promise<boolean> {
    const kept = this.#of(key, approvalId);
    const approval = kept.get(approvalId);
    if (approval?.state !== from || !NEXT[from].includes(changes.state)) return false;
    kept.set(approvalId, structuredClone({ ...approval, ...changes }));
    return true;
  }

  async removeAll(key: ConversationKey): Promise<void> {
    assertKey(key);
    this.#kept.delete(keyText(key));
  }

  #of(key: ConversationKey, approvalId: string): Map<string, Approval> {
    assertKey(key);
    assertUuid(approvalId, 'An approval id');
    return this.#kept.get(keyText(key)) ?? new Map();
  }
}

export function oldestFirst(approvals: readonly Approval[]): readonly Approval[] {
  return [...approvals].sort((a, b) => a.createdAt - b.createdAt || (a.approvalId < b.approvalId ? -1 : 1));
}
