import { expect, test } from 'vitest';
import { parseScenario } from '../../../../src/testing/index.js';
import { mayBeKilled } from '../../src/runner/may-be-killed.js';

const about = (requirement: string) =>
  parseScenario(`{"scenario":"x","version":1,"about":"A.","requirements":["${requirement}"]}\n{"exit":0}\n`);

test('the CLI of a driver that names close:kills may be killed before its section is over', () => {
  expect(mayBeKilled(about('L0-06'), ['query', 'close:kills'])).toBe(true);
});

test('no other driver may do that', () => {
  expect(mayBeKilled(about('L0-06'), ['query'])).toBe(false);
});

test('a scenario about the end of stdin fails when the CLI is killed', () => {
  expect(mayBeKilled(about('L7-08'), ['query', 'close:kills'])).toBe(false);
});
