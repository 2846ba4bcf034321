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
  expect(readTurn(whole, isOurs)).toMatchObject({ hasPrompt: true, answer: 'One. Two.', openCalls: [] });
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
  expect(turn).toMatchObject({ answer: undefined, openCalls: [{ id: 't1', name: 'Bash' }] });
  const foreign = [user('theirs'), assistant('tool_use', call('t2'))];
  expect(readTurn(foreign, isOurs)).toMatchObject({ hasPrompt: false, answer: undefined, openCalls: [] });
});

test('a call is open until its result is stored, whichever of several it is', () => {
  const two = [...call('t1'), ...call('t2')];
  const entries = [user('ours'), assistant('tool_use', two), user('r', done('t2'))];
  expect(readTurn(entries, isOurs).openCalls).toEqual([{ id: 't1', name: 'Bash' }]);
  expect(readTurn([...entries, user('r2', done('t1'))], isOurs).openCalls).toEqual([]);
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
  expect(readTurn(entries, isOurs)).toMatchObject({ hasPrompt: true, answer: undefined, openCalls: [] });
});
