import { randomUUID } from 'node:crypto';
import type { Approval, ApprovalChanges, ApprovalState, ApprovalStore, ConversationKey } from 'claudewire-server';
import { StoreError } from '../errors.js';
import { approvalOf, checkApprovalKey, oldestFirst } from '../shared/approvals.js';
import { hostError } from '../shared/host-errors.js';
import { requireOptions } from '../shared/options.js';
import { serverEntry } from '../shared/server-entry.js';
import { REDIS_OPTIONS, RedisCalls, type RedisOptions, Script } from './client.js';

/**
 * Puts `ARGV[3]` where `ARGV[2]` is ('' for nothing), once. A call that has done so gets 1 again: its answer was lost.
 *
 * KEYS  approvals. ARGV  id, text before, text after, token of the call
 */
const REPLACE = new Script(`
local by = ARGV[1] .. ':by'
if redis.call('HGET', KEYS[1], by) == ARGV[4] then return 1 end
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3], by, ARGV[4])
return 1
`);

/**
 * Keeps approvals in Redis, for any number of hosts. An acknowledged decision outlives a crash of Redis only with
 * `appendonly yes` and `appendfsync always`.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid` and `conflict` as the contract says.
 */
export class RedisApprovalStore implements ApprovalStore {
  readonly #calls: RedisCalls;

  /** @throws StoreError `invalid`. */
  constructor(options: RedisOptions) {
    requireOptions('new RedisApprovalStore()', options, REDIS_OPTIONS);
    this.#calls = new RedisCalls(options);
  }

  async create(approval: Approval): Promise<void> {
    await checkApprovalKey(approval, approval.approvalId);
    const args = [approval.approvalId, '', JSON.stringify(approval), randomUUID()];
    const isNew = await this.#calls.attempt('Storing an approval', () =>
      this.#calls.run(REPLACE, [this.#key(approval)], args),
    );
    if (isNew !== 1) throw await hostError('conflict', 'An approval with this id exists.');
  }

  async get(key: ConversationKey, approvalId: string): Promise<Approval | undefined> {
    await checkApprovalKey(key, approvalId);
    return await this.#calls.attempt('Reading an approval', async () => {
      const text = await this.#calls.client.hget(this.#key(key), approvalId);
      return text === null ? undefined : approvalOf(text, key, approvalId);
    });
  }

  async list(key: ConversationKey): Promise<readonly Approval[]> {
    (await serverEntry()).assertConversationKey(key);
    return await this.#calls.attempt('Listing approvals', async () => {
      const fields = Object.entries(await this.#calls.client.hgetall(this.#key(key)));
      const approvals = fields.filter(([name]) => !name.endsWith(':by'));
      return oldestFirst(approvals.map(([id, text]) => approvalOf(text, key, id)));
    });
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
    const token = randomUUID();
    // What was sent, in case its answer was lost.
    let sent: readonly [string, string] | undefined;
    return await this.#calls.attempt('Changing an approval', async () => {
      if (sent !== undefined && (await this.#replace(key, approvalId, sent, token))) return true;
      const text = await this.#calls.client.hget(this.#key(key), approvalId);
      const before = text === null ? undefined : approvalOf(text, key, approvalId);
      if (text === null || before?.state !== from) return false;
      sent = [text, JSON.stringify({ ...before, ...changes })];
      if (await this.#replace(key, approvalId, sent, token)) return true;
      throw new StoreError('conflict', 'Another host changed the approval at the same time.');
    });
  }

  async removeAll(key: ConversationKey): Promise<void> {
    (await serverEntry()).assertConversationKey(key);
    await this.#calls.attempt('Removing approvals', () => this.#calls.client.del(this.#key(key)));
  }

  async #replace(
    key: ConversationKey,
    approvalId: string,
    texts: readonly [string, string],
    token: string,
  ): Promise<boolean> {
    return (await this.#calls.run(REPLACE, [this.#key(key)], [approvalId, ...texts, token])) === 1;
  }

  #key({ tenant, id }: ConversationKey): string {
    return this.#calls.key([tenant, id], 'approvals');
  }
}
