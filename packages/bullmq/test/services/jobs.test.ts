import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import { cancel, enqueue, failureOf } from '../../src/index.js';
import { makeJobs } from '../helpers/jobs.js';

let server: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

test('a job runs once, and returns what it came to', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ name: 'worker 1' });
  const { jobId, conversationId } = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  const job = await jobs.job(jobId);
  expect(job?.returnvalue).toMatchObject({
    ...{ outcome: 'completed', text: 'Done.', attempts: 1, isResumed: false, isFromTranscript: false },
    ...{ eventsDropped: 0, hasTranscriptGap: false },
  });
  expect(job?.name).toBe('main');
  expect(job?.processedBy).toBe('worker 1');
  expect(job?.progress).toMatchObject({ state: 'ended', outcome: 'completed', attempt: 1 });
  const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
  expect(events.map(({ event }) => (event.type === 'message' ? event.message.type : event.type))).toEqual([
    ...['user_message', 'system', 'assistant', 'result', 'turn_ended'],
  ]);
  expect(jobs.turns()).toEqual(['start', 'end']);
  expect(jobs.errors).toEqual([]);
});

test('a job goes on with the session that it names', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const first = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(first.jobId)).toBe('completed');
  const { sessionId } = (await jobs.job(first.jobId))?.returnvalue ?? {};
  const second = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'And now?', sessionId });
  await expect.poll(() => jobs.stateOf(second.jobId)).toBe('completed');
  expect((await jobs.job(second.jobId))?.returnvalue).toMatchObject({ sessionId, isResumed: true });

  const foreign = await enqueue(jobs.queue, { profile: 'main', tenant: 'other', prompt: 'And now?', sessionId });
  await expect.poll(() => jobs.stateOf(foreign.jobId)).toBe('failed');
  expect(failureOf((await jobs.job(foreign.jobId))?.failedReason)).toMatchObject({ code: 'session_not_found' });
});

test('a prompt of the greatest length runs, and hostile ids and labels are nothing but data', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const hostile = 'a:b\n"}{$PATH`id`\u2028:0';
  const job = { profile: 'main', prompt: `x${'\u{1f600}'.repeat(99_999)}`, labels: { [hostile]: hostile } };
  const mine = await enqueue(jobs.queue, { ...job, tenant: hostile, idempotencyKey: hostile });
  const other = await enqueue(jobs.queue, { ...job, tenant: `${hostile} `, idempotencyKey: hostile });
  expect(other.jobId).not.toBe(mine.jobId);
  for (const { jobId } of [mine, other]) await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect(jobs.turns()).toEqual(expect.not.arrayContaining(['double']));
});

test('a job with a used idempotency key is the job that there is, and runs once', async () => {
  const jobs = makeJobs(server.port);
  const job = { profile: 'main', tenant: 'acme', prompt: 'Hello.', idempotencyKey: 'order:7' };
  const all = await Promise.all(Array.from({ length: 20 }, () => enqueue(jobs.queue, job)));
  expect(new Set(all.map(({ jobId }) => jobId)).size).toBe(1);
  await expect(enqueue(jobs.queue, { ...job, prompt: 'Something else.' })).rejects.toMatchObject({ code: 'conflict' });
  expect((await enqueue(jobs.queue, { ...job, tenant: 'other' })).jobId).not.toBe(all[0]?.jobId);
  jobs.worker();
  const { jobId } = all[0] ?? { jobId: '' };
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');

  // Replayed, after BullMQ has forgotten it: by key, and by a copy of the data with other words.
  const before = (await jobs.job(jobId))?.returnvalue;
  await (await jobs.job(jobId))?.remove();
  await enqueue(jobs.queue, job);
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  expect((await jobs.job(jobId))?.returnvalue).toEqual(before);
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(2);
  await (await jobs.job(jobId))?.remove();
  await jobs.queue.add('main', { ...job, prompt: 'Forged.' }, { jobId });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
  expect(failureOf((await jobs.job(jobId))?.failedReason).code).toBe('invalid_job');
});

test('what was written straight into Redis is refused by name, and never tried again', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  const { jobId } = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt: 'Hello.' });
  const other = await enqueue(jobs.queue, { profile: 'main', tenant: 'other', prompt: 'Hello.' });
  const good = { profile: 'main', tenant: 'acme', prompt: 'Hello.' };
  // Of the same tenant, and never the id itself, which is random.
  const last = Number.parseInt(jobId.slice(-2), 16);
  const idOf = (index: number) => `${jobId.slice(0, -2)}${((last + 1 + index) % 256).toString(16).padStart(2, '0')}`;
  const forged: readonly (readonly [data: unknown, says: RegExp, id?: string])[] = [
    [{ ...good, options: { permissionMode: 'bypassPermissions' } }, /"options"/],
    [{ ...good, env: {}, hooks: {}, cwd: '/' }, /"env", "hooks", "cwd"/],
    [{ ...good, pathToClaudeCodeExecutable: '/bin/sh' }, /"pathToClaudeCodeExecutable"/],
    [JSON.parse('{"__proto__": {"profile": "main"}, "tenant": "acme", "prompt": "x"}'), /"__proto__"/],
    [{ ...good, profile: '__proto__' }, /unknown_profile/],
    [{ ...good, profile: 'constructor' }, /unknown_profile/],
    [{ ...good, prompt: { toString: 'x' } }, /`prompt`.*got object/],
    [{ ...good, sessionId: '../../etc/passwd' }, /`sessionId`/],
    [{ ...good, tenant: 'victim' }, /id of the job/],
    [{ ...good, prompt: 'x'.repeat(200_001) }, /200000/],
    [{ ...good, labels: { a: 1 } }, /`labels`/],
    [[], /an array/],
    [null, /null|object/],
    [good, /id of the job/, 'made-up'],
    [good, /id of the job/, other.jobId],
  ];
  for (const [index, [data, says, id = idOf(index)]] of forged.entries()) {
    if (id === other.jobId) {
      await expect.poll(() => jobs.stateOf(id)).toBe('completed');
      await (await jobs.job(id))?.remove();
    }
    await jobs.queue.add('x', data, { jobId: id, attempts: 50, backoff: 1 });
    await expect.poll(() => jobs.stateOf(id), { message: String(says) }).toBe('failed');
    const job = await jobs.job(id);
    expect(`${job?.failedReason}`).toMatch(says);
    expect(failureOf(job?.failedReason).code).toMatch(/^(invalid_job|unknown_profile)$/);
    expect(job?.attemptsMade).toBe(1);
  }
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(2);
});

test('no credential is in a job, its progress, its result, its failure or its events', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker();
  for (const prompt of ['Leak', 'Say']) {
    const { jobId, conversationId } = await enqueue(jobs.queue, { profile: 'main', tenant: 'acme', prompt });
    await expect.poll(() => jobs.stateOf(jobId)).toMatch(/completed|failed/);
    const job = await jobs.job(jobId);
    const text = prompt === 'Leak' ? job?.failedReason : job?.returnvalue.text;
    expect(text).toContain('[redacted]');
    const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
    expect(JSON.stringify(events)).toContain('[redacted]');
    expect(JSON.stringify([events, job?.asJSON()])).not.toContain('canary');
  }
  // Whatever is in Redis, whoever wrote it there.
  for (const key of await jobs.redis.keys(`*${jobs.queueName}*`)) {
    // Some keys of BullMQ end by themselves, also between these two commands.
    const dump = await jobs.redis.dumpBuffer(key);
    expect(dump?.includes('canary') ?? false, key).toBe(false);
  }
});

test('a tenant that has started enough is delayed, not failed, and other tenants are not', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ tenantRate: { jobs: 2, perMs: 600_000 } });
  const job = { profile: 'main', tenant: 'acme', prompt: 'Hello.' };
  const all = [];
  for (let index = 0; index < 4; index += 1) all.push((await enqueue(jobs.queue, job)).jobId);
  const other = await enqueue(jobs.queue, { ...job, tenant: 'other' });
  for (const jobId of [...all.slice(0, 2), other.jobId]) {
    await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  }
  for (const jobId of all.slice(2)) {
    await expect.poll(() => jobs.stateOf(jobId)).toBe('delayed');
    expect(await jobs.progressOf(jobId)).toMatchObject({ state: 'delayed', reason: 'tenant_rate' });
    expect((await jobs.job(jobId))?.delay).toBeGreaterThan(200_000);
  }
});

test('one session has one writer: a job whose session is busy is delayed, and then goes on with it', async () => {
  const jobs = makeJobs(server.port);
  jobs.worker({ concurrency: 4 });
  const job = { profile: 'main', tenant: 'acme' };
  const first = await enqueue(jobs.queue, { ...job, prompt: 'Hang' });
  await expect.poll(() => jobs.progressOf(first.jobId)).toHaveProperty('sessionId');
  const { sessionId = '' } = await jobs.progressOf(first.jobId);
  const second = await enqueue(jobs.queue, { ...job, prompt: 'And now?', sessionId });
  await expect.poll(() => jobs.progressOf(second.jobId)).toMatchObject({ state: 'delayed', reason: 'session_busy' });
  await expect.poll(() => jobs.turns()).toEqual(['start', 'waits']);
  await cancel(jobs.at, { tenant: 'acme', jobId: first.jobId });
  await expect.poll(() => jobs.stateOf(second.jobId)).toBe('completed');
  expect(jobs.turns()).toEqual(['start', 'waits', 'end', 'start', 'end']);
});
