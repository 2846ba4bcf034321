import { Script } from './client.js';
import { NOW } from './session-scripts.js';

/**
 * KEYS  record, index, bytes of the tenant. ARGV  id, time of the last change, bytes, token of the call, how many the tenant
 * may have or 0, then fields. Answers 0: it exists; below 0: how many the tenant has.
 */
export const CREATE = new Script(`
local creator = redis.call('HGET', KEYS[1], 'creator')
if creator then return creator == ARGV[4] and 1 or 0 end
local count = redis.call('ZCARD', KEYS[2])
if tonumber(ARGV[5]) > 0 and count >= tonumber(ARGV[5]) then return -count end
-- First what may fail, since a script takes nothing back.
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
redis.call('INCRBY', KEYS[3], ARGV[3])
redis.call('HSET', KEYS[1], 'creator', ARGV[4], unpack(ARGV, 6))
return 1
`);

/**
 * KEYS  record, index, bytes of the tenant. ARGV  id, time of the last change or '', bytes or '', number of the lease or '',
 * then fields. Answers 0: there is none; -1: a newer lease was given.
 */
export const UPDATE = new Script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[4] ~= '' and tonumber(redis.call('HGET', KEYS[1], 'lease') or '0') > tonumber(ARGV[4]) then return -1 end
if ARGV[2] ~= '' then redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1]) end
if ARGV[3] ~= '' then redis.call('INCRBY', KEYS[3], ARGV[3] - (redis.call('HGET', KEYS[1], 'bytes') or 0)) end
if #ARGV > 4 then redis.call('HSET', KEYS[1], unpack(ARGV, 5)) end
return 1
`);

/**
 * A page of the index, by descending time and id. Where many have the same time, the place is found by halves.
 *
 * KEYS  index. ARGV  how many, then time and id of the place after which it begins, or nothing. Answers ids and times.
 */
export const LIST = new Script(`
local from = 0
if #ARGV > 1 then
  from = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[2], '+inf')
  local to = from + redis.call('ZCOUNT', KEYS[1], ARGV[2], ARGV[2])
  while from < to do
    local middle = math.floor((from + to) / 2)
    if redis.call('ZREVRANGE', KEYS[1], middle, middle)[1] < ARGV[3] then to = middle else from = middle + 1 end
  end
end
return redis.call('ZREVRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
`);

/** KEYS  record, index, bytes of the tenant. ARGV  id. */
export const REMOVE = new Script(`
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('DECRBY', KEYS[3], redis.call('HGET', KEYS[1], 'bytes') or 0)
return redis.call('DEL', KEYS[1])
`);

/**
 * Takes the lease by the clock of Redis. The one that has taken it with the same token of the call gets it again: its
 * answer was lost.
 *
 * KEYS  record. ARGV  milliseconds, token of the call. Answers the number of the lease, 0 when it cannot be had.
 */
export const ACQUIRE = new Script(`${NOW}
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local lease = redis.call('HMGET', KEYS[1], 'lease', 'until', 'holder')
local number, at = tonumber(lease[1] or '0'), now()
if tonumber(lease[2] or '0') > at then return lease[3] == ARGV[2] and number or 0 end
redis.call('HSET', KEYS[1], 'lease', number + 1, 'until', at + tonumber(ARGV[1]), 'holder', ARGV[2])
return number + 1
`);

/** KEYS  record. ARGV  number of the lease, milliseconds. Answers 1 when it is held. */
export const RENEW = new Script(`${NOW}
local lease = redis.call('HMGET', KEYS[1], 'lease', 'until')
local at = now()
if lease[1] ~= ARGV[1] or tonumber(lease[2]) <= at then return 0 end
redis.call('HSET', KEYS[1], 'until', at + tonumber(ARGV[2]))
return 1
`);

/** KEYS  record. ARGV  number of the lease. */
export const RELEASE = new Script(`
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'until', 0, 'holder', '')
return 1
`);
