import { randomUUID } from 'node:crypto';
import type { Approval, ApprovalChanges, ApprovalState, ApprovalStore, ConversationKey } from 'claudewire-server';
import { StoreError } from '../errors.js';
import { approvalOf, checkApprovalKey, oldestFirst } from '../shared/approvals.js';
import { hostError } from '../shared/host-errors.js';
import { requireOptions } from '../shared/options.js';
import { serverEntry } from '../shared/server-entry.js';
import { POSTGRES_OPTIONS, PostgresCalls, type PostgresOptions } from './calls.js';
import { columnOf, hashOf } from './keys.js';

const CREATE = `
INSERT INTO claudewire_approvals AS a (key_hash, approval_id, tenant, conversation, body, writer)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (key_hash, approval_id) DO UPDATE SET writer = a.writer WHERE a.writer = $6
RETURNING 1`;

const GET = 'SELECT body, writer FROM claudewire_approvals WHERE key_hash = $1 AND approval_id = $2';

const REPLACE = `
UPDATE claudewire_approvals SET body = $4, writer = $5 WHERE key_hash = $1 AND approval_id = $2 AND body = $3`;

/**
 * Keeps approvals in PostgreSQL, for any number of hosts. A decision is on the disk before it is acknowledged, unless
 * the server was told otherwise (`synchronous_commit`, `fsync`). Needs {@link migrate}.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid` and `conflict` as the contract says.
 */
export class PostgresApprovalStore implements ApprovalStore {
  readonly #calls: PostgresCalls;

  /** @throws StoreError `invalid`. */
  constructor(options: PostgresOptions) {
    requireOptions('new PostgresApprovalStore()', options, POSTGRES_OPTIONS);
    this.#calls = new PostgresCalls(options);
  }

  async create(approval: Approval): Promise<void> {
    const { tenant, id, approvalId } = approval;
    await checkApprovalKey(approval, approvalId);
    const values = [hashOf(tenant, id), approvalId, columnOf(tenant), id, JSON.stringify(approval), randomUUID()];
    const { rowCount } = await this.#calls.query('Storing an approval', CREATE, values);
    if (rowCount === 0) throw await hostError('conflict', 'An approval with this id exists.');
  }

  async get(key: ConversationKey, approvalId: string): Promise<Approval | undefined> {
    await checkApprovalKey(key, approvalId);
    const values = [hashOf(key.tenant, key.id), approvalId];
    const { rows } = await this.#calls.query<{ body: string }>('Reading an approval', GET, values);
    return rows.map(({ body }) => approvalOf(body, key, approvalId))[0];
  }

  async list(key: ConversationKey): Promise<readonly Approval[]> {
    (await serverEntry()).assertConversationKey(key);
    const text = 'SELECT approval_id, body FROM claudewire_approvals WHERE key_hash = $1';
    const values = [hashOf(key.tenant, key.id)];
    const { rows } = await this.#calls.query<{ approval_id: string; body: string }>('Listing approvals', text, values);
    return oldestFirst(rows.map(({ approval_id: approvalId, body }) => approvalOf(body, key, approvalId)));
  }

  async change(
    key: ConversationKey,
    approvalId: string,
    from: ApprovalState,
    changes: ApprovalChanges,
  ): Promise<boolean> {
    await checkApprovalKey(key, approvalId);
    const { canChangeApproval } = await serverEntry();
    if (!canChangeApproval(from, changes.state)) return false;
    const names = [hashOf(key.tenant, key.id), approvalId];
    const token = randomUUID();
    return await this.#calls.attempt('Changing an approval', async (client) => {
      const [row] = (await client.query<{ body: string; writer: string }>(GET, names)).rows;
      // This call has written it before: the answer was lost.
      if (row?.writer === token) return true;
      const before = row === undefined ? undefined : approvalOf(row.body, key, approvalId);
      if (row === undefined || before?.state !== from) return false;
      const after = JSON.stringify({ ...before, ...changes });
      if ((await client.query(REPLACE, [...names, row.body, after, token])).rowCount === 1) return true;
      throw new StoreError('conflict', 'Another host changed the approval at the same time.');
    });
  }

  async removeAll(key: ConversationKey): Promise<void> {
    (await serverEntry()).assertConversationKey(key);
    const text = 'DELETE FROM claudewire_approvals WHERE key_hash = $1';
    await this.#calls.query('Removing approvals', text, [hashOf(key.tenant, key.id)]);
  }
}
