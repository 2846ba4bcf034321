import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  type ConversationEvent,
  createHandler,
  createSessionHost,
  type HostLimits,
  InMemoryConversationStore,
  type RunningServer,
  type SessionHost,
  serve,
  type TenantOptions,
} from '../../packages/server/src/index.js';
import { InMemorySessionStore } from '../../src/index.js';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';
import { call, TOUCH } from './support/turns.js';

const running: { host: SessionHost; server: RunningServer }[] = [];

// Before the stage looks for processes that were left behind.
afterEach(async () => {
  for (const { host, server } of running.splice(0)) {
    await host.close();
    await server.close();
  }
});

/** A service on the real CLI, and one conversation of it. */
async function serviceOn(turns: MessagesApiOptions['turns'], limits: HostLimits = {}) {
  const stage = await setStage(CURRENT, { turns });
  const home = join(stage.folder, 'tenant');
  mkdirSync(home);
  const host = createSessionHost({
    ...{ store: new InMemoryConversationStore(), sessionStore: new InMemorySessionStore() },
    limits,
    optionsFor: () => stage.options({}, { CLAUDE_CONFIG_DIR: home }) as TenantOptions,
  });
  const server = await serve({ handler: createHandler({ host }), port: 0 });
  running.push({ host, server });
  const post = async (path: string, body: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json' };
    return await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const { id } = (await (await post('/conversations', {})).json()) as { id: string };
  const path = `/conversations/${id}`;
  /** Sends a message, answers what is asked, and gives the events of the turn. */
  const say = async (
    text: string,
    answer?: (event: ConversationEvent & { type: 'question' }) => object | undefined,
  ) => {
    const { eventId } = (await (await post(`${path}/messages`, { text })).json()) as { eventId: number };
    const stream = await fetch(`${server.url}${path}/events`, { headers: { 'last-event-id': String(eventId) } });
    const events: ConversationEvent[] = [];
    for await (const event of eventsOf(stream)) {
      events.push(event);
      const given = event.type === 'question' ? answer?.(event) : undefined;
      if (event.type === 'question' && given !== undefined) {
        expect((await post(`${path}/questions/${event.questionId}`, given)).status).toBe(204);
      }
      if (event.type === 'turn_ended') return events;
    }
    return events;
  };
  return { stage, host, say };
}

async function* eventsOf(stream: Response): AsyncGenerator<ConversationEvent> {
  let text = '';
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data) as ConversationEvent;
    }
  }
}

test('a permission is asked for and answered over HTTP, behind the message that it is about', async () => {
  const { stage, say } = await serviceOn([TOUCH, 'Made.']);
  const events = await say('Go.', () => ({ behavior: 'allow' }));
  expect(existsSync(join(stage.cwd, 'made.txt'))).toBe(true);
  const asked = events.findIndex(({ type }) => type === 'question');
  const question = events[asked];
  if (question?.type !== 'question') throw new Error('nothing was asked');
  expect(JSON.stringify(events.slice(0, asked))).toContain(`"id":"${question.toolUseId}"`);
  expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
});

test('a conversation goes on in another process', async () => {
  const { stage, host, say } = await serviceOn(['I am Claude.', 'You are Ada.'], { idleMs: 0 });
  await say('I am Ada.');
  await expect.poll(() => host.metrics().processes).toBe(0);
  expect((await say('Who am I?')).at(-1)).toMatchObject({ outcome: 'completed' });
  expect(JSON.stringify(stage.api.requests.at(-1)?.body)).toContain('I am Ada.');
  expect(host.metrics()).toMatchObject({ started: 2, resumed: 1 });
});

test('what the user chose reaches the model', async () => {
  const options = ['Red', 'Blue'].map((label) => ({ label, description: `The colour ${label}` }));
  const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options }];
  const { stage, say } = await serviceOn([call('AskUserQuestion', { questions }), 'Fine.']);
  const events = await say('Ask me.', ({ input }) => ({
    behavior: 'allow',
    updatedInput: { ...input, answers: { 'Which colour?': 'Blue' } },
  }));
  expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
  const told = JSON.stringify(stage.api.requests.at(-1)?.body);
  expect(told).toMatch(/Which colour\?[^}]*Blue/);
});

test('a process that has more memory than it may is ended, with its turn while it works', async () => {
  const turns = ['Hello.', TOUCH];
  const { host, say } = await serviceOn(turns, { processMemoryMb: 50, memoryCheckMs: 3_000 });
  await say('Hi.');
  await expect.poll(() => host.metrics().processes, { timeout: 20_000 }).toBe(0);
  const events = await say('Go.');
  expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'memory_limit' });
  await expect.poll(() => host.metrics().processes).toBe(0);
  expect(host.metrics()).toMatchObject({ started: 2, resumed: 1, turns: { completed: 1, memory_limit: 1 } });
});
