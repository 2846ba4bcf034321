import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { cancel, enqueue } from '../../src/index.js';
import { JobState } from '../../src/redis/job-state.js';
import { Lease } from '../../src/redis/lease.js';
import { takeRate } from '../../src/redis/tenant-rate.js';
import { connect, linesOf, makeJobs } from '../helpers/jobs.js';

let server: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

const JOB = { profile: 'main', tenant: 'acme' };

function leaseOf(owner: string, keys: readonly string[], redis = connect(server.port), ttlMs = 300) {
  const told: string[] = [];
  const params = {
    ...{ redis, keys, owner, cancelKey: 'cancel', ttlMs, redisMs: 2_000 },
    onLost: () => told.push('lost'),
    onCancel: (reason: string) => told.push(reason),
  };
  return { redis, told, take: () => Lease.acquire(params) };
}

test('of many that want a session one gets it, and the others learn how long it has it', async () => {
  const ttlMs = 60_000;
  const all = Array.from({ length: 20 }, (_, index) =>
    leaseOf(`owner ${index}`, ['shared', `own ${index}`], connect(server.port), ttlMs),
  );
  const taken = await Promise.all(all.map(({ take }) => take()));
  const waits = taken.filter((lease) => typeof lease === 'number');
  expect(waits).toHaveLength(19);
  for (const ms of waits) {
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(ttlMs);
  }
  // Those that did not get both have neither.
  expect(await all[0]?.redis.keys('own *')).toHaveLength(1);
  for (const lease of taken) if (typeof lease !== 'number') await lease.release();
  expect(await all[0]?.redis.keys('*')).toEqual([]);
  for (const { redis } of all) redis.disconnect();
});

test('a lease that somebody else has is lost, and one without Redis is given up before its time is over', async () => {
  const stolen = leaseOf('mine', ['stolen']);
  await stolen.take();
  await stolen.redis.set('stolen', 'theirs', 'PX', 60_000);
  await expect.poll(() => stolen.told).toEqual(['lost']);
  expect(await stolen.redis.get('stolen')).toBe('theirs');

  const own = await startRedis();
  const alone = leaseOf('mine', ['alone'], connect(own.port));
  await alone.take();
  await own.kill();
  await expect.poll(() => alone.told).toEqual(['lost']);
  alone.redis.disconnect();
  stolen.redis.disconnect();
  await own.start();
  await own.stop();
});

test('the rate of a tenant is counted by the server, whatever the clocks of workers say', async () => {
  const redis = connect(server.port);
  const rate = { jobs: 3, perMs: 60_000 };
  const waits = await Promise.all(Array.from({ length: 10 }, () => takeRate(redis, 'rate', rate, 2_000)));
  expect(waits.filter((ms) => ms === 0)).toHaveLength(3);
  for (const ms of waits.filter((wait) => wait > 0)) expect(ms).toBeLessThanOrEqual(20_000);
  redis.disconnect();
});

test('a job that BullMQ gives to a second worker while the first still runs has one turn', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  jobs.worker();
  // As after an event loop that was blocked for longer than the lock lasts.
  await expect
    .poll(async () => {
      await jobs.redis.del(`bull:${jobs.queueName}:${jobId}:lock`);
      return await jobs.progressOf(jobId);
    })
    .toMatchObject({ state: 'delayed', reason: 'session_busy' });
  await cancel(jobs.at, { tenant: 'acme', jobId });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect((await jobs.job(jobId))?.failedReason).toMatch(/^cancelled/);
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(1);
});

test('a run that loses its lease is ended, and the job is resumed when the session is free', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toBeTruthy();
  for (const key of await jobs.redis.keys(`bull:${jobs.queueName}:claudewire:lease:*`)) {
    await jobs.redis.set(key, 'somebody else', 'PX', 700);
  }
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toMatchObject({ attempts: 2, isResumed: true });
  expect(jobs.turns()).not.toContain('double');
});

test('a run whose job another worker has taken starts no tool, and records nothing (V-9)', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ limits: { leaseMs: 60_000 } });
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Later' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  // As after a process that stood still: the other one has begun, and this one does not know it yet.
  const key = `bull:${jobs.queueName}:claudewire:job:${jobId}`;
  await jobs.redis.hset(key, 'running', 'somebody else');
  const before = await jobs.redis.hgetall(key);
  writeFileSync(`${jobs.ledger}.go`, '');
  const pid = Number(linesOf(jobs.ledger)[0]?.split(' ')[2]);
  await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  expect(jobs.turns()).not.toContain('tool');
  expect(await jobs.redis.hgetall(key)).toEqual(before);
  await expect.poll(() => jobs.errors).toContainEqual(expect.objectContaining({ code: 'taken' }));
});

test('what an earlier run recorded is read when a job is taken, and nothing of it comes later', async () => {
  const redis = connect(server.port);
  const limits = { keepMs: 60_000, redisMs: 2_000 };
  const [first, second] = [new JobState(redis, 'state', limits), new JobState(redis, 'state', limits)];
  await first.take('first', { attempts: '1' });
  await second.load();
  await first.noteCall({ id: 'toolu_1', name: 'Bash' });
  await second.take('second', { attempts: '2' });
  expect(second.calls).toEqual([{ id: 'toolu_1', name: 'Bash' }]);
  await expect(first.noteCall({ id: 'toolu_2', name: 'Bash' })).rejects.toMatchObject({ code: 'taken' });
  await expect(first.set({ running: '', result: '{}' })).rejects.toMatchObject({ code: 'taken' });
  await second.noteCall({ id: 'toolu_3', name: 'Bash' });
  expect(Object.keys(await redis.hgetall('state')).sort()).toEqual(
    ['attempts', 'call:toolu_1', 'call:toolu_3', 'running'].sort(),
  );
  expect(await redis.pttl('state')).toBeGreaterThan(0);
  redis.disconnect();
});

test.each(['cancelled', 'handed back'])(
  'a %s run that loses its lease is ended at once, and writes nothing more',
  async (how) => {
    const jobs = makeJobs(server.port);
    // It takes no interrupt, and would have a minute.
    const profile = { ...jobs.profile, limits: { interruptMs: 60_000 } };
    const { close } = jobs.worker({ profiles: { main: profile } });
    const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Deaf' });
    await expect.poll(() => jobs.turns()).toContain('waits');
    const closed = how === 'cancelled' ? cancel(jobs.at, { tenant: 'acme', jobId }) : close();
    const state = `bull:${jobs.queueName}:claudewire:job:${jobId}`;
    for (const key of await jobs.redis.keys(`bull:${jobs.queueName}:claudewire:lease:*`)) {
      await jobs.redis.set(key, 'somebody else', 'PX', 60_000);
    }
    const pid = Number(linesOf(jobs.ledger)[0]?.split(' ')[2]);
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
    // Whoever has the session now counts on what it has read.
    expect(await jobs.redis.hget(state, 'attempts')).toBe('1');
    expect(await jobs.redis.hget(state, 'running')).not.toBe('');
    await closed;
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
