import { HostError } from '../errors.js';
import { type ConversationKey, isConversationId } from '../stores/conversation-key.js';
import type { Approval } from './approval.js';
import type { ApprovalStore } from './approval-store.js';
import type { ApprovalTokens } from './approval-token.js';

/** An approval as its tenant sees it. */
export interface ApprovalInfo extends Omit<Approval, 'tenant' | 'id' | 'inputDigest' | 'finalDigest'> {
  /** To decide with. Of open ones. */
  readonly token?: string;
}

/** What a tenant sees of its approvals, and may decide about. */
export class TenantApprovals {
  readonly #store: ApprovalStore;
  readonly #tokens: ApprovalTokens;

  constructor(store: ApprovalStore, tokens: ApprovalTokens) {
    this.#store = store;
    this.#tokens = tokens;
  }

  /** The oldest first. */
  async list(key: ConversationKey): Promise<readonly ApprovalInfo[]> {
    return (await this.#store.list(key)).map((approval) => this.#infoOf(approval));
  }

  /** The one to decide about. @throws HostError `not_found`, `forbidden`, `conflict`, `expired`. */
  async open(key: ConversationKey, approvalId: string, token: string): Promise<Approval> {
    const approval = isConversationId(approvalId) ? await this.#store.get(key, approvalId) : undefined;
    if (approval === undefined) throw noApproval();
    if (!this.#tokens.fits(token, approval)) {
      throw new HostError('forbidden', 'This is not the token of this approval. Take the one that is listed with it.');
    }
    if (approval.state !== 'open') throw new HostError('conflict', `This approval is ${approval.state} already.`);
    if (approval.expiresAt <= Date.now()) {
      throw new HostError('expired', 'The time to decide is over. Send a message to go on.');
    }
    return approval;
  }

  #infoOf(approval: Approval): ApprovalInfo {
    const { tenant: _, id: __, inputDigest: ___, finalDigest: ____, ...info } = approval;
    if (info.state !== 'open') return info;
    if (info.expiresAt <= Date.now()) return { ...info, state: 'expired' };
    return { ...info, token: this.#tokens.sign(approval) };
  }
}

export function noApproval(): HostError {
  return new HostError('not_found', 'There is no such approval in this conversation.');
}
