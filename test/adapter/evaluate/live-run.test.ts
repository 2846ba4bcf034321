import { expect, test } from 'vitest';
import { LiveRun, UsageProbe, UserInput } from '../../../src/adapter/evaluate/live-run.js';
import { systemClock } from '../../../src/adapter/limits/clock.js';
import type { RuntimeQuery } from '../../../src/adapter/runtime/agent-runtime.js';
import { createDeferred } from '../../../src/util/deferred.js';
import type { JsonObject } from '../../../src/util/json.js';

/** A query that notes what is asked of it, and plays these messages. */
function noting(messages: readonly JsonObject[]) {
  const asked: string[] = [];
  const played = createDeferred<void>();
  const ended = createDeferred<void>();
  const query = {
    interrupt: async (options?: { readonly cancelQueued?: boolean }) =>
      asked.push(`interrupt ${options?.cancelQueued === true}`),
    stopTask: async (id: string) => asked.push(`stop ${id}`),
    close: async () => ended.resolve(),
    async *[Symbol.asyncIterator]() {
      yield* messages;
      played.resolve();
      await ended.promise;
    },
  } as unknown as RuntimeQuery;
  return { query, asked, played };
}

const task = (subtype: string, fields: JsonObject): JsonObject => ({ type: 'system', subtype, ...fields });

test('stopping interrupts first, then ends every task that lives (I-2)', async () => {
  // The order matters: an agent that `stop_task` ended begins a turn about it, one that was interrupted does not.
  const { query, asked, played } = noting([
    task('task_started', { task_id: 'lives', is_backgrounded: true }),
    task('task_started', { task_id: 'waits', is_backgrounded: false }),
    task('task_started', { task_id: 'ended', is_backgrounded: true }),
    task('task_notification', { task_id: 'ended', status: 'completed' }),
    task('task_started', { task_id: 'killed' }),
    task('task_updated', { task_id: 'killed', patch: { status: 'killed' } }),
    task('background_tasks_changed', { tasks: [{ task_id: 'listed' }] }),
  ]);
  const input = new UserInput('test');
  const run = new LiveRun({ query, input, clock: systemClock, onMessage: () => {} });
  await played.promise;
  await run.stop();
  expect(asked).toEqual(['interrupt true', 'stop lives', 'stop waits', 'stop listed']);
  await run.close();
});

test('a turn that the CLI begins while it is stopped is interrupted too (I-2)', async () => {
  const next = createDeferred<void>();
  const { query, asked, played } = noting([]);
  const begins = {
    ...query,
    async *[Symbol.asyncIterator]() {
      await next.promise;
      yield task('init', {});
      yield* query;
    },
  } as unknown as RuntimeQuery;
  const input = new UserInput('test');
  const run = new LiveRun({ query: begins, input, clock: systemClock, onMessage: () => {} });
  await run.stop();
  next.resolve();
  await played.promise;
  expect(asked).toEqual(['interrupt true', 'interrupt true']);
  await run.close();
});

test('the CLI is asked what was used one question at a time, and not again after a failure', async () => {
  const answers = [createDeferred<JsonObject>(), createDeferred<JsonObject>()];
  const tables: unknown[] = [];
  let questions = 0;
  const getUsage = async (): Promise<JsonObject | undefined> => {
    questions += 1;
    const answer = answers[questions - 1];
    if (answer === undefined) throw new Error('no');
    return answer.promise;
  };
  const probe = new UsageProbe({ getUsage }, (table) => tables.push(table));
  const asked = [probe.ask(), probe.ask(), probe.ask()];
  expect(questions).toBe(1);
  answers[0]!.resolve({ n: 1 });
  answers[1]!.resolve({ n: 2 });
  await Promise.all(asked);
  expect([questions, tables]).toEqual([2, [{ n: 1 }, { n: 2 }]]);
  await probe.ask();
  await probe.ask();
  expect(questions).toBe(3);
});
