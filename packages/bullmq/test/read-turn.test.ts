import type { SessionStoreEntry } from 'claudewire';
import { expect, test } from 'vitest';
import { readTurn } from '../src/session/read-turn.js';

const isOurs = (uuid: string): boolean => uuid.startsWith('ours');

function user(uuid: string, content: unknown = 'Hello.'): SessionStoreEntry {
  return { type: 'user', uuid, message: { role: 'user', content } };
}

function assistant(stop_reason: string | null, content: unknown, id = 'm1'): SessionStoreEntry {
  return { type: 'assistant', uuid: `a-${id}`, message: { id, role: 'assistant', stop_reason, content } };
}

const text = (words: string) => [{ type: 'text', text: words }];
const call = (id: string) => [{ type: 'tool_use', id, name: 'Bash', input: {} }];
const done = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: 'ok' }];

test('a turn is completed by its final message alone, whose blocks are entries of their own', () => {
  const whole = [user('ours'), assistant('end_turn', text('One. ')), assistant('end_turn', text('Two.'))];
  expect(readTurn(whole, isOurs)).toMatchObject({ hasPrompt: true, answer: 'One. Two.', unknownCalls: [] });
  for (const unfinished of [
    [user('ours')],
    [user('ours'), assistant('max_tokens', text('On'))],
    [user('ours'), assistant(null, text('On'))],
    [user('ours'), assistant('tool_use', call('t1')), user('r', done('t1'))],
    [user('ours'), { ...assistant('end_turn', text('API Error: 529')), isApiErrorMessage: true }],
    [user('ours'), assistant('end_turn', text('One.')), user('ours-2')],
  ]) {
    expect(readTurn(unfinished, isOurs)).toMatchObject({ hasPrompt: true, answer: undefined });
  }
});

test("another job's turn in the same session is neither completed nor cut for this one", () => {
  const entries = [
    user('ours'),
    assistant('tool_use', call('t1')),
    user('theirs'),
    assistant('end_turn', text('Theirs.')),
  ];
  const turn = readTurn(entries, isOurs);
  expect(turn).toMatchObject({ answer: undefined, unknownCalls: [{ id: 't1', name: 'Bash' }] });
  const foreign = [user('theirs'), assistant('tool_use', call('t2'))];
  expect(readTurn(foreign, isOurs)).toMatchObject({ hasPrompt: false, answer: undefined, unknownCalls: [] });
});

test('a call is open until its result is stored, whichever of several it is', () => {
  const two = [...call('t1'), ...call('t2')];
  const entries = [user('ours'), assistant('tool_use', two), user('r', done('t2'))];
  expect(readTurn(entries, isOurs).unknownCalls).toEqual([{ id: 't1', name: 'Bash' }]);
  expect(readTurn([...entries, user('r2', done('t1'))], isOurs).unknownCalls).toEqual([]);
});

const REJECT = "The user doesn't want to proceed";
const cut = (id: string, content: string, fields: object = {}): SessionStoreEntry => ({
  ...{ type: 'user', uuid: `r-${id}`, ...fields },
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content }] },
});
const begun = [{ id: 't1', name: 'Bash' }];
const NOTHING = new Map<string, never>();

test.each([
  ['cut by an interrupt', cut('t1', REJECT, { toolDenialKind: 'user-rejected' }), ['t1']],
  ['cut by the end of the process', cut('t1', 'Exit code 137'), ['t1']],
  ['cut, as a resume says', cut('t1', '[Tool call interrupted', { toolDenialKind: 'interrupted' }), ['t1']],
  ['cut by an old release', cut('t1', 'Exit code 137\n[Request interrupted by user for tool use]'), ['t1']],
  ['denied', cut('t1', 'No.', { toolDenialKind: 'permission-rule' }), []],
  ['never started', cut('t1', REJECT, { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true }), []],
] as const)('V-9: a call that was %s is known or not, whatever its result says', (_, result, unknown) => {
  const entries = [user('ours'), assistant('tool_use', call('t1')), result];
  const turn = readTurn(entries, isOurs, { calls: begun, ends: NOTHING });
  expect(turn.unknownCalls.map(({ id }) => id)).toEqual(unknown);
  expect(turn.known.has('t1')).toBe(unknown.length === 0);
});

test('V-9: a tool that failed like one that was cut is known by its hook, and by the turn that went on', () => {
  const entries = [user('ours'), assistant('tool_use', call('t1')), cut('t1', `Exit code 137\n${REJECT}`)];
  expect(readTurn(entries, isOurs, { calls: begun, ends: new Map([['t1', 'failed']]) }).unknownCalls).toEqual([]);
  expect(readTurn([...entries, assistant('end_turn', text('Failed.'), 'm2')], isOurs).unknownCalls).toEqual([]);
});

test('V-9: a call that ran, and whose result the model never saw, is named', () => {
  const lost = cut('t1', '[Tool call interrupted', { toolDenialKind: 'interrupted' });
  const entries = [user('ours'), assistant('tool_use', call('t1')), lost];
  expect(readTurn(entries, isOurs, { calls: begun, ends: new Map([['t1', 'ran']]) }).unknownCalls).toEqual(begun);
});

test('calls that did not start are told once, to the run that follows', () => {
  const result = cut('t1', REJECT, { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true });
  const entries = [user('ours'), assistant('tool_use', call('t1')), result];
  expect(readTurn(entries, isOurs).neverStarted).toEqual(begun);
  expect(readTurn([...entries, user('ours-2')], isOurs).neverStarted).toEqual([]);
});

test('a turn that ended after a call was cut is completed', () => {
  const result = cut('t1', REJECT, { toolDenialKind: 'user-rejected' });
  const entries = [user('ours'), assistant('tool_use', call('t1')), result, user('ours-2')];
  expect(readTurn([...entries, assistant('end_turn', text('Done.'), 'm2')], isOurs).answer).toBe('Done.');
});

test('poisoned entries are read without a throw, and prove nothing', () => {
  const poison: unknown[] = [
    { type: 'user' },
    { type: 'assistant', message: null },
    {
      type: 'assistant',
      message: { content: [null, 1, 'x', { type: 'tool_use', id: 7 }, { type: 'text', text: {} }] },
    },
    { type: 'user', message: { content: { length: 3 } } },
    { type: 'user', uuid: { toString: null }, message: { content: 'x' } },
    { type: 'assistant', isSidechain: true, message: { stop_reason: 'end_turn', content: text('Sub.') } },
    { type: '__proto__', message: { content: [] } },
  ];
  const entries = [user('ours'), ...(poison as SessionStoreEntry[])];
  expect(readTurn(entries, isOurs)).toMatchObject({ hasPrompt: true, answer: undefined, unknownCalls: [] });
});
