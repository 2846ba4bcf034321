import { expect, test } from 'vitest';
import type { ScenarioEntry } from '../../src/data/conformance-data.js';
import type { ScenarioResult } from '../../src/runner/results.js';
import { ScenarioQueue } from '../../src/runner/scenario-queue.js';

const entry = (index: number, features: readonly string[] = ['query']): ScenarioEntry => ({
  ...{ name: `s${index}`, file: '', level: 'L0', about: '', requirements: [], features },
});
const scenarios = [
  ...Array.from({ length: 30 }, (_, index) => entry(index)),
  ...[entry(30, ['query', 'hooks']), entry(31, ['hooks', 'query']), entry(32, ['client'])],
];
const result = (status: ScenarioResult['status'], ms = 11_000): ScenarioResult => ({
  ...{ scenario: '', requirements: [], status, ms },
});

/** Takes and notes until there is nothing left. */
function play(queue: ScenarioQueue, outcome: (index: number) => ScenarioResult): readonly number[] {
  const played: number[] = [];
  for (let index = queue.take(); index !== undefined; index = queue.take()) {
    played.push(index);
    queue.note(outcome(index));
  }
  return played;
}

test('a driver that does nothing but wait is tried once for each set of features', () => {
  const queue = new ScenarioQueue(scenarios, 1);
  const played = play(queue, () => result('failed'));
  expect(played).toEqual([...Array.from({ length: 24 }, (_, index) => index), 30, 32]);
  expect(queue.leftOut).toEqual({
    scenarios: 7,
    reason: 'nothing has passed and 26 scenarios waited in vain; one was played for each set of features',
  });
});

test('when one passes after all, everything is played', () => {
  const queue = new ScenarioQueue(scenarios, 1);
  const played = play(queue, (index) => result(index === 32 ? 'passed' : 'failed'));
  expect(played).toHaveLength(scenarios.length);
  expect(played.slice(24)).toEqual([30, 32, 24, 25, 26, 27, 28, 29, 31]);
  expect(queue.leftOut).toBeUndefined();
});

test.for<[name: string, outcome: (index: number) => ScenarioResult]>([
  ['fails at once', () => result('failed', 50)],
  ['has passed one', (index) => result(index === 0 ? 'passed' : 'failed')],
  ['is slow, and right', () => result('passed')],
])('a driver that %s is asked for everything', ([, outcome]) => {
  const queue = new ScenarioQueue(scenarios, 1);
  expect(play(queue, outcome)).toEqual(scenarios.map((_, index) => index));
});

test('what counts as waiting grows with the time-outs', () => {
  const queue = new ScenarioQueue(scenarios, 10);
  expect(play(queue, () => result('failed'))).toHaveLength(scenarios.length);
  expect(queue.hangs).toBe(0);
});

test('from the last and from the first, each is taken once', () => {
  const queue = new ScenarioQueue(scenarios.slice(0, 5), 1);
  expect([queue.take('last'), queue.take(), queue.take('last'), queue.take(), queue.take()]).toEqual([4, 0, 3, 1, 2]);
  expect([queue.take(), queue.take('last'), queue.hasMore]).toEqual([undefined, undefined, false]);
});
