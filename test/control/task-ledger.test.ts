import { describe, expect, test } from 'vitest';
import { type TaskChange, TaskLedger } from '../../src/control/task-ledger.js';
import type { JsonObject } from '../../src/util/json.js';

type Step = readonly [subtype: string, frame: JsonObject];

const started = (fields: JsonObject = {}): Step => ['task_started', { task_id: 'a', is_backgrounded: true, ...fields }];
const updated = (patch: unknown): Step => ['task_updated', { task_id: 'a', patch }];
const notified = (status: string, task_id = 'a'): Step => ['task_notification', { task_id, status }];
const listed = (...tasks: unknown[]): Step => ['background_tasks_changed', { tasks }];
const A = { task_id: 'a' };
const B = { task_id: 'b' };

const cases: readonly { name: string; steps: readonly Step[]; change: TaskChange; live: readonly string[] }[] = [
  { name: 'one begins', steps: [started()], change: 'started', live: ['a'] },
  { name: 'one that is known begins again', steps: [started(), started()], change: 'none', live: ['a'] },
  { name: 'one without an id', steps: [started({ task_id: 1 })], change: 'none', live: [] },
  { name: 'one in the foreground', steps: [started({ is_backgrounded: false })], change: 'none', live: [] },
  { name: 'a watcher', steps: [started({ ambient: true })], change: 'none', live: [] },
  { name: 'one outside of the transcript', steps: [started({ skip_transcript: true })], change: 'none', live: [] },
  { name: 'one moves to the background', steps: [updated({ is_backgrounded: true })], change: 'started', live: ['a'] },
  { name: 'one is described anew', steps: [started(), updated({ title: 't' })], change: 'none', live: ['a'] },
  { name: 'a change that is none', steps: [started(), updated('x')], change: 'none', live: ['a'] },
  ...['completed', 'failed'].flatMap((status) => [
    {
      name: `one is updated to ${status}`,
      steps: [started(), updated({ status })],
      change: 'finished' as const,
      live: [],
    },
    {
      name: `one is notified as ${status}`,
      steps: [started(), notified(status)],
      change: 'finished' as const,
      live: [],
    },
  ]),
  ...['stopped', 'killed', 'cancelled'].flatMap((status) => [
    {
      name: `one is updated to ${status}`,
      steps: [started(), updated({ status })],
      change: 'stopped' as const,
      live: [],
    },
    {
      name: `one is notified as ${status}`,
      steps: [started(), notified(status)],
      change: 'stopped' as const,
      live: [],
    },
  ]),
  { name: 'another one ends', steps: [started(), notified('completed', 'z')], change: 'none', live: ['a'] },
  { name: 'a list with more', steps: [started(), listed(A, B)], change: 'started', live: ['a', 'b'] },
  { name: 'the same list', steps: [started(), listed(A)], change: 'none', live: ['a'] },
  { name: 'a list without one', steps: [started(), listed(B)], change: 'finished', live: ['b'] },
  { name: 'an empty list', steps: [started(), listed()], change: 'finished', live: [] },
  {
    name: 'a list of other things',
    steps: [listed('x', {}, { ...B, ambient: true }, A)],
    change: 'started',
    live: ['a'],
  },
  { name: 'no list', steps: [started(), ['background_tasks_changed', {}]], change: 'none', live: ['a'] },
  { name: 'another frame', steps: [started(), ['init', A]], change: 'none', live: ['a'] },
];

describe('background tasks (PY-140 to PY-144)', () => {
  test.each(cases)('$name: $change', ({ steps, change, live }) => {
    const ledger = new TaskLedger();
    const changes = steps.map(([subtype, frame]) => ledger.apply(subtype, frame));
    expect(changes.at(-1)).toBe(change);
    expect([...ledger.liveIds]).toEqual(live);
    expect(ledger.liveCount).toBe(live.length);
  });
});

test('what still runs, for a person', () => {
  const ledger = new TaskLedger();
  expect(ledger.stillRunning).toBe('');
  ledger.apply('task_started', { task_id: 'a', task_type: 'local_bash', description: 'A "b"', is_backgrounded: true });
  ledger.apply('background_tasks_changed', { tasks: [A, B] });
  expect(ledger.stillRunning).toBe('; still running: local_bash "A \\"b\\"" (a), task (b)');
  expect(ledger.isAtWork).toBe(false);
});
