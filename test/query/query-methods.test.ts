import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SessionQuery } from '../../src/query/query.js';
import { methods } from '../helpers/session-case/query-methods.js';
import { memorySession, settled } from './memory-session.js';

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

test('`null` in the place of options is no options', async () => {
  const { session, peer } = memorySession();
  const query = new SessionQuery(session);
  const none = null as never;
  void query.reloadPlugins(none).catch(() => {});
  void query.readFile('a', none);
  void query.rewindFiles('u', none).catch(() => {});
  void query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(none).catch(() => {});
  await settled();
  expect(peer.received.slice(-4).map(({ request }) => request)).toEqual([
    { subtype: 'reload_plugins' },
    { subtype: 'read_file', path: 'a' },
    { subtype: 'rewind_files', user_message_id: 'u' },
    { subtype: 'get_usage' },
  ]);
});
