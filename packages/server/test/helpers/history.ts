import { randomUUID } from 'node:crypto';
import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import type { ConversationEvent } from '../../src/events/conversation-event.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { SESSION } from './hosts.js';
import { tempFolder } from './temp-folder.js';

export interface HistoryOptions {
  readonly turns: number;
  /** Messages of the assistant in each turn. */
  readonly answers?: number;
  /** Of each message, as it was streamed. */
  readonly deltas?: number;
  /** What the event log keeps. @defaultValue everything */
  readonly maxEvents?: number;
}

const stream = (event: object) =>
  ({
    type: 'message',
    message: { type: 'stream_event', uuid: randomUUID(), parent_tool_use_id: null, event },
  }) as never;

/** An answer as Claude Code streams it. */
function* streamed(text: string, uuid: string, deltas: number): Generator<ConversationEvent> {
  if (deltas > 0) {
    yield stream({ type: 'message_start' });
    yield stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    const size = Math.ceil(text.length / deltas);
    for (let place = 0; place < deltas; place += 1) {
      const delta = { type: 'text_delta', text: text.slice(place * size, (place + 1) * size) };
      yield stream({ type: 'content_block_delta', index: 0, delta });
    }
  }
  const content = [{ type: 'text', text }];
  const message = { type: 'assistant', uuid, parent_tool_use_id: null, message: { role: 'assistant', content } };
  yield { type: 'message', message } as never;
  if (deltas > 0) for (const type of ['content_block_stop', 'message_delta', 'message_stop']) yield stream({ type });
}

/** Stores with a conversation `local` that has a past: its events, and the transcript of all of it. */
export async function history({ turns, answers = 1, deltas = 0, maxEvents = 1_000_000 }: HistoryOptions) {
  const cwd = tempFolder();
  const key = { tenant: 'local', id: randomUUID() };
  const store = new InMemoryConversationStore();
  const sessionStore = new InMemorySessionStore();
  const eventLog = new InMemoryEventLog({ maxEvents, maxBytes: 1e9 });
  const events: ConversationEvent[] = [];
  const entries: { uuid: string }[] = [];
  const said: string[] = [];
  const enter = (type: 'user' | 'assistant', uuid: string, content: unknown): void => {
    const message = { role: type, content };
    const parentUuid = entries.at(-1)?.uuid ?? null;
    const at = { sessionId: SESSION, cwd, timestamp: '2026-01-01T00:00:00.000Z', isSidechain: false };
    entries.push({ ...at, ...{ type, uuid, parentUuid, message } } as never);
  };
  for (let turn = 0; turn < turns; turn += 1) {
    // The same words again and again, as people write.
    const prompt = turn % 2 === 0 ? `Question ${turn}` : 'Go on';
    events.push({ type: 'user_message', text: prompt });
    enter('user', randomUUID(), prompt);
    said.push(prompt);
    for (let answer = 0; answer < answers; answer += 1) {
      const text = `Answer ${turn}.${answer}: ${'so it is and '.repeat(6)}so on.`;
      const uuid = randomUUID();
      events.push(...streamed(text, uuid, deltas));
      enter('assistant', uuid, [{ type: 'text', text }]);
      said.push(text);
    }
    events.push({ type: 'turn_ended', outcome: 'completed' });
  }
  const now = Date.now();
  await store.create({ ...key, createdAt: now, updatedAt: now, title: 'History', sessionId: SESSION });
  await sessionStore.append({ projectKey: projectKeyForDirectory(cwd), sessionId: SESSION }, entries as never);
  await eventLog.append(key, events);
  return { key, cwd, said, options: { store, sessionStore, eventLog } };
}
