import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { methods } from '../helpers/session-case/query-methods.js';

/** Not one control request with one answer, or the answer to `initialize`: they have tests of their own. */
const OTHERS = [
  ...['close', 'streamInput', 'request', 'initializationResult', 'reinitialize'],
  ...['supportedCommands', 'supportedModels', 'supportedAgents', 'accountInfo'],
];

test('the table of methods has a row for every method of Query that writes a control request', () => {
  const types = readFileSync(new URL('../../src/query/query-types.ts', import.meta.url), 'utf8');
  const body = /^export interface Query [\s\S]*?^}/m.exec(types)?.[0] ?? '';
  const declared = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name = '']) => name);
  expect(declared.length).toBeGreaterThan(20);
  const calls = methods.map(({ call }) => String(call)).join('\n');
  const advice = 'add what it writes and returns to test/helpers/session-case/query-methods.ts';
  expect(
    declared.filter((name) => !calls.includes(`.${name}(`) && !OTHERS.includes(name)),
    advice,
  ).toEqual([]);
});
