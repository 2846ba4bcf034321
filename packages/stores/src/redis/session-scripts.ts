import { Script } from './client.js';

/** Milliseconds by the clock of the server, so that the clocks of hosts do not matter. */
export const NOW = `
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * Appends lines that are not stored yet, all or none. Answers 1; or 0 with the version, the summary and which of the
 * ids are known ('1') or new ('0'), when the caller's summary was not made of that version and those lines.
 *
 * KEYS  meta, ids, entries, sessions, touched, subs
 * ARGV  version that the summary was made of ('*' for a transcript without one), new version, summary, the session's and
 *       the transcript's name, number of lines, ids, texts
 */
export const APPEND = new Script(`${NOW}
local count = tonumber(ARGV[6])
local version = redis.call('HGET', KEYS[1], 'version') or ''
local stored = tonumber(redis.call('HGET', KEYS[1], 'count') or '0') or -1
if redis.call('SCARD', KEYS[2]) ~= stored or redis.call('LLEN', KEYS[3]) ~= stored then
  return {-1, stored}
end
-- What cannot be used fails here, before anything is written: a script takes nothing back.
local mtime = tonumber(redis.call('HGET', KEYS[1], 'mtime') or '0')
if not mtime then return {-1, stored} end
redis.call('ZCARD', KEYS[4])
redis.call('ZCARD', KEYS[5])
redis.call('SCARD', KEYS[6])
local known, isAnyKnown = {}, false
for i = 1, count do
  local is = redis.call('SISMEMBER', KEYS[2], ARGV[6 + i])
  known[i] = tostring(is)
  isAnyKnown = isAnyKnown or is == 1
end
local hasSummary = ARGV[1] ~= '*'
if hasSummary and (version ~= ARGV[1] or isAnyKnown) then
  return {0, version, redis.call('HGET', KEYS[1], 'summary') or '', table.concat(known)}
end
local added = 0
for i = 1, count do
  if known[i] == '0' then
    redis.call('SADD', KEYS[2], ARGV[6 + i])
    redis.call('RPUSH', KEYS[3], ARGV[6 + count + i])
    added = added + 1
  end
end
if added == 0 then return {1} end
local at = math.max(now(), mtime)
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'count', stored + added, 'mtime', at)
redis.call('HSETNX', KEYS[1], 'born', ARGV[2])
redis.call('ZADD', KEYS[5], at, ARGV[4])
if hasSummary then
  redis.call('HSET', KEYS[1], 'summary', ARGV[3])
  redis.call('ZADD', KEYS[4], at, ARGV[4])
else
  redis.call('SADD', KEYS[6], ARGV[5])
end
return {1}
`);

/**
 * Some lines of a transcript, from a place on: about \`ARGV[2]\` bytes of them, and at least one.
 * Answers birth, count, lines stored, then lines; in place of one above \`ARGV[3]\` bytes its length as a number.
 *
 * KEYS  meta, entries
 * ARGV  first place, bytes of an answer, bytes of a line
 */
export const LOAD = new Script(`
local meta = redis.call('HMGET', KEYS[1], 'born', 'count')
local answer = {meta[1] or '', tonumber(meta[2] or '0'), redis.call('LLEN', KEYS[2])}
local place, bytes, ask = tonumber(ARGV[1]), 0, 1
while bytes < tonumber(ARGV[2]) do
  local lines = redis.call('LRANGE', KEYS[2], place, place + ask - 1)
  for _, line in ipairs(lines) do
    if #line > tonumber(ARGV[3]) then
      table.insert(answer, #line)
      return answer
    end
    table.insert(answer, line)
    bytes = bytes + #line
    if bytes >= tonumber(ARGV[2]) then return answer end
  end
  if #lines < ask then return answer end
  place = place + ask
  -- As many as fit if they are like those before: 100 long ones would fill the memory of Redis.
  local fit = math.floor((tonumber(ARGV[2]) - bytes) * (place - tonumber(ARGV[1])) / math.max(bytes, 1))
  ask = math.max(1, math.min(fit, ask * 10, 100))
end
return answer
`);

/** KEYS  meta, ids, entries, subs. ARGV  the transcript's name. */
export const DELETE_BELOW = new Script(`
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return redis.call('SREM', KEYS[4], ARGV[1])
`);

/**
 * Removes a session with everything below it, if nobody has appended to it since a time. The keys of what is below are
 * in the same slot, and only known here.
 *
 * KEYS  sessions, touched, subs, then meta, ids, entries of the session
 * ARGV  the session's name, the highest time of its last append ('inf' for any), what a key below begins with
 */
export const DELETE_SESSION = new Script(`
if ARGV[2] ~= 'inf' then
  local at = redis.call('ZSCORE', KEYS[2], ARGV[1])
  if not at or tonumber(at) >= tonumber(ARGV[2]) then return 0 end
end
for _, name in ipairs(redis.call('SMEMBERS', KEYS[3])) do
  local part = ARGV[3] .. redis.sha1hex(name)
  redis.call('DEL', part .. ':meta', part .. ':ids', part .. ':entries')
end
redis.call('DEL', KEYS[3], KEYS[4], KEYS[5], KEYS[6])
redis.call('ZREM', KEYS[1], ARGV[1])
return redis.call('ZREM', KEYS[2], ARGV[1])
`);
