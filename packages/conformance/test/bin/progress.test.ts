import { expect, test } from 'vitest';
import { Progress } from '../../src/bin/progress.js';
import type { ScenarioResult } from '../../src/runner/results.js';

const passed: ScenarioResult = { scenario: 's', requirements: [], status: 'passed', ms: 1 };

function progress(all: number, stream: { readonly isTTY?: boolean; readonly columns?: number } = {}) {
  const said: string[] = [];
  const clock = { now: 0 };
  const of = new Progress({ write: (text) => said.push(text), ...stream }, 'mine', all, () => clock.now);
  return { said, clock, of };
}

test('a pipe gets a line each tenth, and none at the end', () => {
  const { said, of } = progress(100);
  for (let done = 0; done < 100; done += 1) of.add(passed);
  of.end();
  expect(said).toHaveLength(9);
  expect(said[0]).toBe('mine: 10/100, 10 passed, 0 failed, 0 unsupported, 0 s\n');
});

test('a pipe gets a line when nothing was said for 15 s', () => {
  const { said, clock, of } = progress(1_000);
  for (const now of [11_000, 16_000, 22_000]) {
    clock.now = now;
    of.add({ ...passed, status: now === 16_000 ? 'driver_error' : 'failed' });
  }
  expect(said).toEqual(['mine: 2/1000, 0 passed, 1 failed, 0 unsupported, 1 driver errors, 16 s\n']);
});

test('a terminal gets one line that changes, no wider than it is, and that goes away', () => {
  const { said, of } = progress(3, { isTTY: true, columns: 20 });
  of.add(passed);
  of.add(passed);
  of.end();
  of.end();
  const clear = '\r\u001b[2K';
  expect(said).toEqual([`${clear}mine: 1/3, 1 passed`, `${clear}mine: 2/3, 2 passed`, clear]);
});
