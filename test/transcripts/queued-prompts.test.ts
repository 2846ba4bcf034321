import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forkSession } from '../../src/transcripts/fork-session.js';
import { getSessionMessages, getSubagentMessages } from '../../src/transcripts/session-messages.js';
import type { SessionMessage } from '../../src/transcripts/session-types.js';
import { importSessionToStore } from '../../src/transcripts/store/import-session.js';
import { InMemorySessionStore } from '../../src/transcripts/store/in-memory-session-store.js';
import { assistant, type Entry, linked, SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

const folder = useSessionFolder();
const result = (n: number, parent: number) => user(n, parent, [{ type: 'tool_result', tool_use_id: 't' }]);
const call = (n: number, parent: number) =>
  linked('assistant', n, parent, { message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash' }] } });
/** As CLI 2.1.330 stores a message that is sent while a turn runs. */
const queued = (n: number, parent: number, fields: Entry = {}, more: Entry = {}) =>
  linked('attachment', n, parent, {
    attachment: {
      type: 'queued_command',
      prompt: 'Steer me.',
      source_uuid: uuid(n + 100),
      delivery_id: `d${n}`,
      commandMode: 'prompt',
      ...fields,
    },
    ...more,
  });
const note = (n: number): Entry => ({
  type: 'queue-operation',
  operation: 'remove',
  reason: 'absorbed_mid_turn',
  commandUuid: uuid(n + 100),
  deliveryId: `d${n}`,
});
const turn = [user(1, null, 'Start.'), call(2, 1), result(3, 2)];
const shown = (messages: readonly SessionMessage[]) =>
  messages.map((each) => Number(each.uuid.slice(-12)) * (each.isQueuedCommand === true ? -1 : 1));

test('a prompt that was sent in mid-turn is a user message at its place', async () => {
  folder.put([...turn, queued(4, 3), assistant(5, 4, 'Done.')]);
  expect((await getSessionMessages(SESSION))[3]).toEqual({
    type: 'user',
    uuid: uuid(104),
    session_id: SESSION,
    message: { role: 'user', content: 'Steer me.' },
    parent_tool_use_id: null,
    parent_agent_id: null,
    isQueuedCommand: true,
    timestamp: '2026-01-01T00:00:04.000Z',
  });
});

test('its blocks and its origin are passed on', async () => {
  const prompt = [{ type: 'text', text: 'Look:' }, { type: 'image' }];
  folder.put([...turn, queued(4, 3, { prompt, origin: { kind: 'peer' } }), assistant(5, 4, 'Done.')]);
  expect((await getSessionMessages(SESSION))[3]).toMatchObject({
    message: { role: 'user', content: prompt },
    origin: { kind: 'peer' },
  });
});

/** Negative numbers are queued prompts. Each reading is that of the official SDK 0.3.330. */
const chains: readonly {
  readonly name: string;
  readonly lines: readonly Entry[];
  readonly chain: readonly number[];
}[] = [
  { name: 'at the end', lines: [...turn, queued(4, 3)], chain: [1, 2, 3, -104] },
  {
    name: 'before an interrupt',
    lines: [...turn, queued(4, 3), user(5, 4, [{ type: 'text', text: '[Request interrupted by user]' }])],
    chain: [1, 2, 3, -104, 5],
  },
  {
    name: 'not before the next prompt, which the turn did not see',
    lines: [...turn, queued(4, 3), user(5, 4, 'Next.'), assistant(6, 5, 'x')],
    chain: [1, 2, 3, 5, 6],
  },
  {
    name: 'before the next prompt when the CLI noted that the turn saw it',
    lines: [...turn, queued(4, 3), note(4), user(5, 4, 'Next.'), assistant(6, 5, 'x')],
    chain: [1, 2, 3, -104, 5, 6],
  },
  {
    name: 'before a slash command that ran inside the CLI',
    lines: [
      ...turn,
      queued(4, 3),
      user(5, 4, '<local-command-caveat>x', { isMeta: true }),
      user(6, 5, '<command-name>/usage</command-name>'),
      assistant(7, 6, 'x'),
    ],
    chain: [1, 2, 3, -104, 6, 7],
  },
  {
    name: 'once, when it was stored twice and noted once: the second time',
    lines: [...turn, queued(4, 3), queued(5, 4, { delivery_id: 'd4' }), note(4), assistant(6, 5, 'x')],
    chain: [1, 2, 3, -105, 6],
  },
  {
    name: 'not when the prompt is in the chain as a message',
    lines: [...turn, queued(4, 3, { source_uuid: uuid(1) }), assistant(5, 4, 'x')],
    chain: [1, 2, 3, 5],
  },
  {
    name: 'not when a program wrote it for the model',
    lines: [...turn, queued(4, 3, { isMeta: true }), assistant(5, 4, 'x')],
    chain: [1, 2, 3, 5],
  },
  {
    name: 'not when it is no prompt',
    lines: [...turn, queued(4, 3, { prompt: 5 }), assistant(5, 4, 'x')],
    chain: [1, 2, 3, 5],
  },
];

describe('a queued prompt is shown', () => {
  test.each(chains)('$name', async ({ lines, chain }) => {
    folder.put(lines);
    expect(shown(await getSessionMessages(SESSION))).toEqual(chain);
    const store = new InMemorySessionStore();
    await importSessionToStore(SESSION, store);
    expect(shown(await getSessionMessages(SESSION, { sessionStore: store }))).toEqual(chain);
  });
});

test('a message to a running subagent is in its conversation, from the file and from an imported store', async () => {
  const side = { isSidechain: true, agentId: 'a' };
  const sent = { isMeta: true, origin: { kind: 'coordinator' }, delivery_id: undefined, commandMode: undefined };
  const lines = [...turn, queued(4, 3, sent), assistant(5, 4, 'x')].map((entry) => ({ ...entry, ...side }));
  const path = join(dirname(folder.put([user(1, null, 'hi')])), SESSION, 'subagents', 'agent-a.jsonl');
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const store = new InMemorySessionStore();
  await importSessionToStore(SESSION, store);
  for (const options of [{}, { sessionStore: store }]) {
    const messages = await getSubagentMessages(SESSION, 'a', options);
    expect(shown(messages)).toEqual([1, 2, 3, -104, 5]);
    expect(messages[3]).toMatchObject({ is_meta: true, origin: { kind: 'coordinator' } });
  }
});

test('a fork keeps it, and can end at the id that it is shown with', async () => {
  folder.put([...turn, queued(4, 3), assistant(5, 4, 'Done.')]);
  const { sessionId } = await forkSession(SESSION, { upToMessageId: uuid(104) });
  const messages = await getSessionMessages(sessionId);
  expect(messages.map(({ isQueuedCommand }) => isQueuedCommand)).toEqual([undefined, undefined, undefined, true]);
});

test('a fork keeps the tools that the session has used', async () => {
  const used = (...tools: unknown[]): Entry => ({ type: 'tools-used', tools, sessionId: SESSION });
  folder.put([...turn, used('Read'), used('Read', 'Bash', 5)]);
  const { sessionId } = await forkSession(SESSION);
  const entries = folder.lines(folder.path(sessionId)).filter(({ type }) => type === 'tools-used');
  expect(entries).toEqual([{ type: 'tools-used', tools: ['Read', 'Bash'], sessionId }]);
});

test('a fork keeps the newest latch of the session', async () => {
  const latch = (atis: unknown, sessionId = SESSION): Entry => ({ type: 'atis-latch', atis, sessionId, extra: 1 });
  folder.put([latch('A'), ...turn, latch('B'), latch(5), latch('C', uuid(9))]);
  const { sessionId } = await forkSession(SESSION);
  const entries = folder.lines(folder.path(sessionId));
  expect(entries.at(-2)).toEqual({ type: 'atis-latch', atis: 'B', sessionId });
  expect(entries.filter(({ type }) => type === 'atis-latch')).toHaveLength(1);
});

test('a fork names the session that asked for an answer, which is not always that of the file', async () => {
  const answer = (n: number, fields: Entry) => assistant(n, n - 1, 'x', fields);
  folder.put([
    ...[user(1, null, 'a'), answer(2, {}), answer(3, { sessionId: uuid(5) })],
    ...[answer(4, { sessionId: uuid(5), requestSessionId: 'earlier' }), answer(5, { sessionId: undefined })],
  ]);
  const { sessionId } = await forkSession(SESSION);
  const answers = folder.lines(folder.path(sessionId)).filter(({ type }) => type === 'assistant');
  expect(answers.map((each) => each.requestSessionId)).toEqual([SESSION, uuid(5), 'earlier', undefined]);
});
