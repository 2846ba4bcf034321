import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseScenario, type Scenario, type Step, scenarioOf } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { loadData } from '../../src/data/load-data.js';

const data = loadData(fileURLToPath(new URL('../..', import.meta.url)));

/**
 * Starts that nothing puts in order: a run is begun while another may still be starting. The `spawn` steps are taken in the
 * order in which processes come up, and on a busy machine that is any order.
 */
function racingStarts({ steps }: Scenario): readonly string[] {
  const plain = steps.map(({ step }) => step);
  if (plain.filter((step) => 'spawn' in step).length < 2) return [];
  const racing: string[] = [];
  let starting: string | undefined;
  for (const step of plain) {
    if ('reached' in step || 'observe' in step) starting = undefined;
    if (!('drive' in step) || step.drive.command !== 'start') continue;
    const run = String(step.drive.run ?? 'main');
    if (starting !== undefined) racing.push(`${starting} and ${run}`);
    starting = run;
  }
  return racing;
}

test('no scenario judges in which order processes come up that are started side by side', () => {
  const problems = data.scenarios.flatMap(({ name, file }) =>
    racingStarts(parseScenario(readFileSync(file, 'utf8'), file)).map((runs) => `${name}: ${runs}`),
  );
  expect(problems).toEqual([]);
});

test.each<[string, readonly Step[], readonly string[]]>([
  ['at once', [], ['a and b']],
  ['after a mark of the first', [{ reached: 'up' }], []],
  ['after a message of the first', [{ observe: { what: 'message' }, run: 'a' }], []],
])('a start %s', (_, between, expected) => {
  const start = (run: string): Step => ({ drive: { command: 'start', run, mode: 'query', prompt: 'x' } });
  const steps: readonly Step[] = [
    start('a'),
    ...between,
    start('b'),
    { spawn: {} },
    { mark: 'up' },
    { spawn: {} },
    { exit: 0 },
  ];
  expect(racingStarts(scenarioOf(steps, { scenario: 'x' }))).toEqual(expected);
});
