/**
 * Steps that must be one. Times are durations that the Redis server counts, so clocks of workers do not matter.
 * `KEYS` and `ARGV` are named in the first line of each.
 */

/** KEYS: leases. ARGV: owner, ms. 0: all are ours. Else the ms until the first is tried again, and none was taken. */
export const ACQUIRE = `
local wait = 0
for _, key in ipairs(KEYS) do
  local owner = redis.call('GET', key)
  if owner and owner ~= ARGV[1] then
    wait = math.max(wait, redis.call('PTTL', key), 1)
  end
end
if wait > 0 then return wait end
for _, key in ipairs(KEYS) do redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
return 0`;

/** KEYS: cancel key, leases. ARGV: owner, ms. [1 while all are ours, the reason of a cancel]. */
export const RENEW = `
local cancel = redis.call('GET', KEYS[1])
for index = 2, #KEYS do
  if redis.call('GET', KEYS[index]) ~= ARGV[1] then return {0, cancel} end
end
for index = 2, #KEYS do redis.call('PEXPIRE', KEYS[index], ARGV[2]) end
return {1, cancel}`;

/** KEYS: leases. ARGV: owner. */
export const RELEASE = `
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then redis.call('DEL', key) end
end
return 0`;

/**
 * KEYS: state of a job. ARGV: owner, ms, then fields and values. All fields, which from now on only this owner changes: one
 * whose process stood still for longer than its lease must record nothing when it goes on.
 */
export const TAKE_STATE = `
redis.call('HSET', KEYS[1], 'running', ARGV[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('HGETALL', KEYS[1])`;

/**
 * KEYS: state of a job. ARGV: owner, or '' before a run has taken the job; ms, then fields and values. 1: written. 0: another
 * run has taken the job.
 */
export const WRITE_STATE = `
if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], 'running') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/**
 * KEYS: rate. ARGV: jobs, ms. 0: one more may start. Else the ms until one may. The generic cell rate algorithm: the
 * key holds when the next start would be on time, and may be ahead of now by less than the whole window.
 */
export const TAKE_RATE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window = tonumber(ARGV[2])
local step = window / tonumber(ARGV[1])
local due = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local wait = math.ceil(due + step - window - now)
if wait > 0 then return wait end
redis.call('SET', KEYS[1], string.format('%.3f', due + step), 'PX', math.ceil(due + step - now) + 1000)
return 0`;
