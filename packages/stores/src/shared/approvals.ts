import type { Approval, ConversationKey } from 'claudewire-server';
import { damaged, entryOf } from './lines.js';
import { serverEntry } from './server-entry.js';

/** @throws StoreError `damaged`. */
export function approvalOf(text: unknown, key: ConversationKey, approvalId: string): Approval {
  const name = `approval ${approvalId} of conversation ${key.id}`;
  const approval = entryOf(text, name) as unknown as Approval;
  const isOwn = approval.tenant === key.tenant && approval.id === key.id && approval.approvalId === approvalId;
  if (isOwn && typeof approval.state === 'string' && typeof approval.createdAt === 'number') return approval;
  throw damaged(name, 'is no approval');
}

/** @throws HostError `invalid`. */
export async function checkApprovalKey(key: ConversationKey, approvalId: string): Promise<void> {
  const { assertConversationKey, assertUuid } = await serverEntry();
  assertConversationKey(key);
  assertUuid(approvalId, 'An approval id');
}

export function oldestFirst(approvals: readonly Approval[]): readonly Approval[] {
  return [...approvals].sort((a, b) => a.createdAt - b.createdAt || (a.approvalId < b.approvalId ? -1 : 1));
}
