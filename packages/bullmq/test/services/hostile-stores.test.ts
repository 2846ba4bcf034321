import { getSessionMessages, InMemorySessionStore, type SessionStore } from 'claudewire';
import { InMemoryEventLog } from 'claudewire-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRedis } from '../../../../scripts/servers/redis.mjs';
import {
  enqueue,
  failureOf,
  JobError,
  type Profile,
  type ProfileOptions,
  tenantSessionStore,
} from '../../src/index.js';
import { makeJobs } from '../helpers/jobs.js';

let server: Awaited<ReturnType<typeof startRedis>>;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(async () => {
  await server.stop();
});

const JOB = { profile: 'main', tenant: 'acme' };

/** A store that does as it is told from a moment on. */
function faulty(fault: Partial<SessionStore>) {
  const real = new InMemorySessionStore();
  let isOn = false;
  const pick = <M extends 'append' | 'load'>(method: M): SessionStore[M] => {
    const wrong = fault[method];
    return (isOn && wrong !== undefined ? wrong : real[method].bind(real)) as SessionStore[M];
  };
  const store: SessionStore = {
    append: (key, entries) => pick('append')(key, entries),
    load: (key) => pick('load')(key),
  };
  return {
    store,
    real,
    begin: () => {
      isOn = true;
    },
  };
}

/** Runs a job until its turn waits, hands it back, and gives it to another worker with the fault. */
async function resumeWith(fault: Partial<SessionStore>, retry: Profile['retry'] = { attempts: 2, delayMs: 1 }) {
  const jobs = makeJobs(server.port);
  const { store, begin } = faulty(fault);
  const more = { sessionStore: store, limits: { storeMs: 50 }, profiles: { main: { ...jobs.profile, retry } } };
  const first = jobs.worker(more);
  const { jobId, conversationId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hang' });
  await expect.poll(() => jobs.turns()).toContain('waits');
  await expect.poll(() => jobs.redis.hget(`bull:${jobs.queueName}:claudewire:job:${jobId}`, 'stored')).toBeTruthy();
  await first.close();
  begin();
  jobs.worker(more);
  await expect.poll(() => jobs.stateOf(jobId)).toMatch(/completed|failed/);
  expect(jobs.turns().filter((what) => what === 'start')).toHaveLength(1);
  const { events } = await jobs.events.read({ tenant: 'acme', id: conversationId }, 0, 100);
  expect(events.map(({ event }) => event.type).slice(0, 2)).toEqual(['user_message', 'message']);
  return { ...failureOf((await jobs.job(jobId))?.failedReason), errors: jobs.errors };
}

/** As the errors of `claudewire-stores` are: what to try is not in the message. */
const noTable = () => Object.assign(new Error('a table is missing.'), { hint: 'Call `migrate(pool)` first.' });

test('a store that never answers fails the job in bounded time', async () => {
  expect(await resumeWith({ load: () => new Promise(() => {}) })).toMatchObject({ code: 'store_failed' });
});

test('a store that rejects, or answers with no list, fails the job with its reason', async () => {
  const rejects = await resumeWith({ load: () => Promise.reject(new Error('the disk is on fire')) });
  expect(rejects).toMatchObject({ code: 'store_failed', message: expect.stringContaining('the disk is on fire') });
  // A store of plain JavaScript may return anything.
  const wrong = await resumeWith({ load: async () => 'entries' as unknown as null });
  expect(wrong).toMatchObject({ code: 'store_failed', message: expect.stringContaining('no list') });
});

test('a store that has lost the session, or its end, does not make a job begin again', async () => {
  expect(await resumeWith({ load: async () => null })).toMatchObject({ code: 'session_lost' });
  expect(await resumeWith({ load: async () => [] })).toMatchObject({ code: 'session_lost' });
  const older = { type: 'user', uuid: 'older', message: { role: 'user', content: 'Hello.' } };
  expect(await resumeWith({ load: async () => [older] })).toMatchObject({ code: 'session_lost' });
});

test('a store that cannot be reached fails the job, and is not taken for Redis', async () => {
  const away = () => Promise.reject(new Error('connect ECONNREFUSED 127.0.0.1:5432'));
  expect(await resumeWith({ load: away })).toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a store that is not ready is said to `onError` while it is tried again, with what to do', async () => {
  const { errors, ...failure } = await resumeWith({ load: () => Promise.reject(noTable()) });
  const message = 'sessionStore.load() failed: a table is missing. Call `migrate(pool)` first.';
  expect(failure).toEqual({ code: 'store_failed', message });
  // The first attempt was the one that was handed back, which does not count.
  expect(errors).toEqual([expect.objectContaining({ code: 'store_failed', message })]);
});

test('a store that takes nothing is said in the result and to `onError`, and the events too', async () => {
  const jobs = makeJobs(server.port);
  const events = new InMemoryEventLog();
  events.append = () => Promise.reject(new Error('full'));
  const store: SessionStore = { append: () => Promise.reject(noTable()), load: async () => null };
  jobs.worker({ sessionStore: store, events });
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  const result = (await jobs.job(jobId))?.returnvalue;
  expect(result).toMatchObject({ hasTranscriptGap: true, eventsDropped: expect.any(Number) });
  expect(result.eventsDropped).toBeGreaterThan(0);
  const gaps = jobs.errors.filter((error) => error instanceof JobError && error.code === 'store_failed');
  expect(gaps).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/table is missing.*migrate\(pool\)/) }),
  ]);
  expect(gaps[0]).toMatchObject({ message: expect.stringContaining(jobId) });
});

test('an event log that never answers delays the end of a job, and keeps neither it nor its transcript', async () => {
  const jobs = makeJobs(server.port);
  const events = new InMemoryEventLog();
  events.append = () => new Promise(() => {});
  jobs.worker({ events, limits: { storeMs: 50 } });
  const { jobId } = await enqueue(jobs.queue, { ...JOB, prompt: 'Hello.' });
  await expect.poll(() => jobs.stateOf(jobId)).toBe('completed');
  const { sessionId, eventsDropped, hasTranscriptGap } = (await jobs.job(jobId))?.returnvalue ?? {};
  expect({ eventsDropped, hasTranscriptGap }).toEqual({ eventsDropped: expect.any(Number), hasTranscriptGap: false });
  expect(eventsDropped).toBeGreaterThan(0);
  const sessionStore = tenantSessionStore(jobs.sessionStore, 'acme');
  const transcript = await getSessionMessages(sessionId, { sessionStore });
  expect(transcript.map(({ type }) => type)).toEqual(['user', 'assistant']);
});

test('a profile that fails, and one whose options belong to the worker, fail the job with a reason', async () => {
  const jobs = makeJobs(server.port);
  const throwing: Profile = { options: () => Promise.reject(new Error('no such tenant')) };
  // What TypeScript refuses, plain JavaScript does not.
  const taking: Profile = { options: () => ({ resume: 'x' }) as ProfileOptions };
  const hanging: Profile = { options: () => new Promise(() => {}) };
  jobs.worker({ profiles: { throwing, taking, hanging }, limits: { storeMs: 50 } });
  const says = { throwing: 'no such tenant', taking: 'resume', hanging: 'not settled' };
  for (const [profile, words] of Object.entries(says)) {
    const { jobId } = await enqueue(jobs.queue, { ...JOB, profile, prompt: 'Hello.' });
    await expect.poll(() => jobs.stateOf(jobId)).toBe('failed');
    expect((await jobs.job(jobId))?.failedReason).toContain(words);
  }
});
