import { randomUUID } from 'node:crypto';
import type { Approval } from 'claudewire-server';

export function sampleApproval(over: Partial<Approval> = {}): Approval {
  return {
    ...{ tenant: 'ada', id: randomUUID(), approvalId: randomUUID(), toolName: 'Bash', toolUseId: 'toolu_1' },
    ...{ input: { command: 'ls' }, inputDigest: 'd', createdAt: 1, expiresAt: 2, state: 'open', ...over },
  };
}
