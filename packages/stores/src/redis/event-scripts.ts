import { Script } from './client.js';
import { NOW } from './session-scripts.js';

/**
 * Appends events, all or none, drops the oldest, and tells whoever watches. Answers the first id and the time. An append
 * with the name of one of the last 32 is a repetition, and gets the answer of that one. Answers -2: a lease with a higher
 * token has appended.
 *
 * KEYS  meta, events (a stream), appends (a list of the last ones)
 * ARGV  name of the append, most events, most bytes, channel, number of events, token of the lease or '', events
 */
export const APPEND_EVENTS = new Script(`${NOW}
for _, each in ipairs(redis.call('LRANGE', KEYS[3], 0, 31)) do
  local name, first, at = string.match(each, '^(%S+) (%d+) (%d+)$')
  if name == ARGV[1] then return {tonumber(first), tonumber(at)} end
end
local count = tonumber(ARGV[5])
if ARGV[6] ~= '' then
  if tonumber(redis.call('HGET', KEYS[1], 'token') or '0') > tonumber(ARGV[6]) then return {-2} end
  redis.call('HSET', KEYS[1], 'token', ARGV[6])
end
if count == 0 then
  -- So that it is old some day.
  redis.call('HSETNX', KEYS[1], 'at', now())
  return {0, 0}
end
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
local kept = redis.call('XLEN', KEYS[2])
if (last == 0) ~= (redis.call('EXISTS', KEYS[2]) == 0) then return {-1} end
local at = now()
for i = 1, count do
  local event = ARGV[6 + i]
  redis.call('XADD', KEYS[2], (last + i) .. '-1', 'at', at, 'event', event)
  bytes = bytes + #event
  kept = kept + 1
end
while kept > 1 and (kept > tonumber(ARGV[2]) or bytes > tonumber(ARGV[3])) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  bytes = bytes - #oldest[2][4]
  kept = kept - 1
end
redis.call('HSET', KEYS[1], 'last', last + count, 'bytes', bytes, 'at', at)
redis.call('LPUSH', KEYS[3], ARGV[1] .. ' ' .. (last + 1) .. ' ' .. at)
redis.call('LTRIM', KEYS[3], 0, 31)
redis.call('PUBLISH', ARGV[4], last + count)
return {last + 1, at}
`);

/**
 * Answers the oldest id, the newest id, and events as id, time and JSON.
 *
 * KEYS  meta, events. ARGV  after, limit, bytes of an answer
 */
export const READ_EVENTS = new Script(`
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
local answer = {0, last}
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
if not oldest then
  if last > 0 then return {-1} end
  return {1, 0}
end
answer[1] = tonumber(string.match(oldest[1], '^%d+'))
local next, left, bytes = tonumber(ARGV[1]) + 1, tonumber(ARGV[2]), 0
while left > 0 and bytes < tonumber(ARGV[3]) do
  local page = redis.call('XRANGE', KEYS[2], next .. '-0', '+', 'COUNT', math.min(left, 50))
  for _, each in ipairs(page) do
    local id, event = tonumber(string.match(each[1], '^%d+')), each[2][4]
    if left == 0 or bytes >= tonumber(ARGV[3]) then break end
    table.insert(answer, id)
    table.insert(answer, each[2][2])
    table.insert(answer, event)
    next, left, bytes = id + 1, left - 1, bytes + #event
  end
  if #page == 0 then break end
end
return answer
`);

/** KEYS  meta, events, appends. ARGV  remove only what was last appended to before this time; 'inf' for any. */
export const REMOVE_EVENTS = new Script(`
if ARGV[1] ~= 'inf' then
  local at = redis.call('HGET', KEYS[1], 'at')
  if not at or tonumber(at) >= tonumber(ARGV[1]) then return 0 end
end
return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
`);
