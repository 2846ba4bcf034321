import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Variables } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { type HostOnly, readDeviations } from '../../src/deviations/deviation.js';
import { levelProblems, type StoredOutcomes } from '../../src/deviations/level-rule.js';
import { outcomeOf } from '../../src/deviations/outcome.js';
import { readRequirements } from '../requirements.js';

const levels = readDeviations(fileURLToPath(new URL('../../deviations/', import.meta.url)));
const stored: StoredOutcomes = JSON.parse(
  readFileSync(new URL('../../deviations/outcomes.json', import.meta.url), 'utf8'),
);

test('every MUST of the host has a deviation with an outcome, and levels follow outcomes', () => {
  expect(levelProblems(levels, stored, readRequirements())).toEqual([]);
});

test('a MUST that nobody would miss is a problem, and so is one without an entry', () => {
  const requirements = [
    { id: 'L0-01', party: 'host', text: 'The host MUST write a newline.' },
    { id: 'L0-02', party: 'host', text: 'The host MUST sing.' },
  ];
  const claim = { name: 'one', ids: ['L0-01'], does: 'does not', before: 'MUST', after: 'MUST' } as const;
  const level = {
    level: 'L0',
    groups: [{ group: 'a', about: 'A', deviations: [claim] }],
    hostOnly: [],
    neverSeen: [],
    notRun: [],
  };
  const ignored: StoredOutcomes = {
    cli: '1',
    date: '',
    census: {},
    outcomes: { one: { outcome: 'ignored', saw: [] } },
  };
  expect(levelProblems([level], ignored, requirements)).toEqual([
    'one: is ignored, and still a MUST',
    'L0-02: is a MUST, and no entry says what happens to a host that deviates',
  ]);
});

const hostOnly = levels.flatMap((level) => level.hostOnly);

test.each(hostOnly)('$name: a recording or a run has the occasion', ({ shown, run }: HostOnly) => {
  expect(shown.length + (run === undefined ? 0 : 1)).toBeGreaterThan(0);
  if (run !== undefined) expect(stored.outcomes[run]).toBeDefined();
  for (const { recording, has = {}, times = 1 } of shown) {
    const file = new URL(`../../../../test/fixtures/recordings/${recording}.jsonl`, import.meta.url);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const found = lines
      .map((line) => JSON.parse(line))
      .filter(({ dir, data }) => (dir === 'out' || dir === 'meta') && new Variables().match(has, data).ok);
    expect(found.length, `${recording}: lines with ${JSON.stringify(has)}`).toBeGreaterThanOrEqual(times);
  }
});

test.each([
  ['ignored', ['end: exit 0'], ['end: exit 0']],
  ['hang', ['end: exit 0', 'result success: a'], ['end: exit 0', 'waited in vain: {} did not come in time']],
  ['exit', ['end: exit 0', 'result success: a'], ['end: exit 1', 'waited in vain: {} did not come']],
  ['tool_not_called', ['tool ok: a'], ['tool error: no']],
  ['tool_called', ['tool error: no'], ['tool ok: a']],
  ['left_behind', ['end: exit 0'], ['end: the process was left behind']],
  ['error', ['answer a: 1'], ['answer a: error no']],
  ['degraded', ['the API saw A: 1 times'], ['the API saw A: 0 times']],
])('a difference is called %s by what it is', (outcome, control, deviation) => {
  expect(outcomeOf(control, deviation).outcome).toBe(outcome);
});

test('docs/evidence/deviations.md shows the outcomes as the data has them', () => {
  const script = fileURLToPath(new URL('../../scripts/deviations-doc.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
