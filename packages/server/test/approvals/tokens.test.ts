import { expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.js';
import { ApprovalTokens } from '../../src/approvals/approval-token.js';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';

const APPROVAL: Approval = {
  ...{ tenant: 'ada', id: 'i', approvalId: 'a', toolName: 'Bash', toolUseId: 't', input: {}, inputDigest: 'd' },
  ...{ createdAt: 1, expiresAt: 2, state: 'open' },
};
const KEYS = [{ id: 'k', secret: new Uint8Array(32).fill(1) }];

test('a token whose last character was altered fits no more, though it decodes to the same bytes', () => {
  const tokens = new ApprovalTokens(KEYS);
  const token = tokens.sign(APPROVAL);
  expect(tokens.fits(token, APPROVAL)).toBe(true);
  const altered = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
    .map((last) => token.slice(0, -1) + last)
    .filter((text) => text !== token);
  expect(altered.filter((text) => tokens.fits(text, APPROVAL))).toEqual([]);
});

test.each([Number.NaN, 0, -1, Number.POSITIVE_INFINITY])('a lifetime of %s ms is refused', (expiresMs) => {
  const approvals = { store: new InMemoryApprovalStore(), keys: KEYS, needsApproval: () => true, expiresMs };
  const make = () => hostOn(cliFor(NONE), { approvals });
  expect(make).toThrow(expect.objectContaining({ code: 'invalid', message: expect.stringContaining('expiresMs') }));
});
