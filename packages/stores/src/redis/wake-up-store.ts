import type { ConversationKey, WakeUp, WakeUpStore } from 'claudewire-server';
import { leasePassed } from '../shared/host-errors.js';
import { requireOptions } from '../shared/options.js';
import { serverEntry } from '../shared/server-entry.js';
import { firstOf, readableKeys, wakeUpsOf } from '../shared/wake-ups.js';
import { REDIS_OPTIONS, RedisCalls, type RedisOptions, Script } from './client.js';

/**
 * KEYS  due, wake-ups, tokens. ARGV  conversation, its earliest time, its wake-ups (both '' for none), token of the lease or
 * ''. Answers 0: a higher token was seen.
 */
const SET = new Script(`
if ARGV[4] ~= '' then
  if tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or '0') > tonumber(ARGV[4]) then return 0 end
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
elseif ARGV[2] == '' then
  redis.call('HDEL', KEYS[3], ARGV[1])
end
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end
return 1
`);

/** KEYS  due, wake-ups. ARGV  latest time, how many to skip, how many. Answers a conversation, its wake-ups, and so on. */
const DUE = new Script(`
local answer = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[2], ARGV[3])) do
  table.insert(answer, name)
  table.insert(answer, redis.call('HGET', KEYS[2], name) or '')
end
return answer
`);

const PAGE = 200;

/**
 * Keeps scheduled prompts in Redis, for any number of hosts: a sorted set of the conversations by the time at which a host
 * has to look at them. Those of all tenants are in one slot of a cluster. An acknowledged change outlives a crash of Redis
 * only with `appendonly yes` and `appendfsync always`.
 *
 * Methods reject with a {@link StoreError}, and with `HostError` `invalid` as the contract says.
 */
export class RedisWakeUpStore implements WakeUpStore {
  readonly #calls: RedisCalls;
  readonly #keys: readonly [string, string, string];

  /** @throws StoreError `invalid`. */
  constructor(options: RedisOptions) {
    requireOptions('new RedisWakeUpStore()', options, REDIS_OPTIONS);
    this.#calls = new RedisCalls(options);
    // No tenant is an empty text, so no other key is in this group.
    const group = ['', 'wake-ups'];
    this.#keys = [this.#calls.key(group, 'due'), this.#calls.key(group, 'prompts'), this.#calls.key(group, 'tokens')];
  }

  async get(key: ConversationKey): Promise<readonly WakeUp[]> {
    (await serverEntry()).assertConversationKey(key);
    return await this.#calls.attempt('Reading wake-ups', async () => {
      const text = await this.#calls.client.hget(this.#keys[1], nameOf(key));
      return text === null ? [] : wakeUpsOf(text, key);
    });
  }

  async set(key: ConversationKey, wakeUps: readonly WakeUp[], token?: number): Promise<void> {
    const { assertConversationKey, assertWakeUps, assertLeaseToken } = await serverEntry();
    assertConversationKey(key);
    assertWakeUps(wakeUps);
    assertLeaseToken(token);
    const values = wakeUps.length === 0 ? ['', ''] : [firstOf(wakeUps), JSON.stringify(wakeUps)];
    const args = [nameOf(key), ...values, token ?? ''];
    const answer = await this.#calls.attempt('Storing wake-ups', () => this.#calls.run(SET, this.#keys, args));
    if (answer === 0) throw await leasePassed();
  }

  async due(at: number, limit: number): Promise<readonly ConversationKey[]> {
    const found = new Map<string, ConversationKey>();
    for (let from = 0; found.size < limit; from += PAGE) {
      const page = await this.#calls.attempt('Looking for wake-ups', async () => {
        const answer = (await this.#calls.run(DUE, this.#keys.slice(0, 2), [at, from, PAGE])) as readonly string[];
        return Array.from({ length: answer.length / 2 }, (_, index) => ({
          keyOf: () => keyIn(answer[index * 2]),
          text: answer[index * 2 + 1],
        }));
      });
      for (const key of await readableKeys(page)) if (found.size < limit) found.set(nameOf(key), key);
      if (page.length < PAGE) break;
    }
    return [...found.values()];
  }
}

/** Of JSON, so that every tenant is text that Redis can hold. */
function nameOf({ tenant, id }: ConversationKey): string {
  return JSON.stringify([tenant, id]);
}

/** @throws where it is none. */
function keyIn(name: string | undefined): ConversationKey {
  const [tenant, id] = JSON.parse(name ?? '') as readonly string[];
  // Whoever gets it checks it.
  return { tenant, id } as ConversationKey;
}
