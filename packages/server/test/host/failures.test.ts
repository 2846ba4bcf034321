import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FileSessionStore } from 'claudewire';
import { faults } from 'claudewire/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { createHandler } from '../../src/http/handler.js';
import { serve } from '../../src/http/serve.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test('a host that has lost its lease stops its process and writes no more events', async () => {
  const store = new InMemoryConversationStore();
  let isLost = false;
  const { renew } = store;
  store.renew = async (...args) => !isLost && (await renew.apply(store, args));
  const eventLog = new InMemoryEventLog();
  const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
  const host = hostOn(cli, { store, eventLog, limits: { leaseMs: 300, interruptMs: 1 } });
  const key = await newKey(host);
  await host.send({ ...key, text: 'Go' });
  isLost = true;
  await expect.poll(() => host.metrics().processes).toBe(0);
  const { events } = await eventLog.read(key, 0, 100);
  expect(events.map(({ event }) => event.type)).not.toContain('turn_ended');
  expect(host.metrics().conversations).toMatchObject({ busy: 0, starting: 0 });
});

describe('the end of a turn that the log did not take, once it takes events again', () => {
  async function turnWithLostEnd() {
    const eventLog = new InMemoryEventLog();
    const { append } = eventLog;
    let isDown = false;
    eventLog.append = async (key, events, token) => {
      isDown ||= events.some(({ type }) => type === 'turn_ended');
      if (isDown) throw new Error('connection reset');
      return await append.call(eventLog, key, events, token);
    };
    const heard: string[] = [];
    const cli = cliFor((kit) => [kit.turn('Yes.', 'Go'), kit.turn('Again.', 'Go on')]);
    const onEvent: SessionHostOptions['onEvent'] = (_, event) => {
      if (event.type === 'turn_ended') heard.push(event.outcome);
    };
    const host = hostOn(cli, { eventLog, onEvent });
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    await expect.poll(() => host.metrics().conversations.idle).toBe(1);
    isDown = false;
    eventLog.append = append;
    return { host, key, heard };
  }

  test('is said as it was to whoever looks next', async () => {
    const { host, key, heard } = await turnWithLostEnd();
    const events = await turnOf(host, key);
    expect(events.at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    expect(heard).toEqual(['completed']);
    expect(await ask(host, key, 'Go on')).toBe('completed');
  });

  test('comes before the next message', async () => {
    const { host, key } = await turnWithLostEnd();
    expect(await ask(host, key, 'Go on')).toBe('completed');
    const events = (
      await eventsUntil(host, key, ({ event }) => event.type === 'user_message' && event.text === 'Go on')
    )
      .map(({ event }) => event.type)
      .filter((type) => type !== 'message');
    expect(events).toEqual(['user_message', 'events_dropped', 'turn_ended', 'user_message']);
  });
});

test('with stores in files another host has the conversation and its events, and waits for the lease of a dead one', async () => {
  const folder = tempFolder();
  const stores = () => ({
    store: new FileConversationStore(`${folder}/conversations`),
    sessionStore: new FileSessionStore(`${folder}/sessions`),
    eventLog: new FileEventLog(`${folder}/events`),
  });
  const cli = cliFor(({ process, turn }) => [
    [process(), turn('One.', '1')],
    [process(), turn('Two.', '2')],
  ]);
  const one = hostOn(cli, stores());
  const key = await newKey(one);
  expect(await ask(one, key, '1')).toBe('completed');
  await one.close();

  const two = hostOn(cli, stores());
  // What a host leaves that was killed in a turn.
  const { store } = stores();
  const token = await store.acquire(key, 60_000);
  await expect(two.send({ ...key, text: '2' })).rejects.toMatchObject({ code: 'conflict' });
  await store.release(key, token!);
  expect(await ask(two, key, '2')).toBe('completed');
  const ids = (await eventsUntil(two, key, ({ id }) => id === 10)).map(({ id }) => id);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('a message whose event cannot be stored is not sent', async () => {
  const eventLog = new InMemoryEventLog();
  eventLog.append = () => Promise.reject(new Error('disk full'));
  const host = hostOn(
    cliFor(({ endOfInput }) => [endOfInput()]),
    { eventLog },
  );
  const key = await newKey(host);
  await expect(host.send({ ...key, text: 'Go' })).rejects.toMatchObject({ code: 'store_failed' });
  expect(host.metrics()).toMatchObject({ processes: 0, conversations: { busy: 0, starting: 0 } });
});

test('a reader that takes nothing is cut off', async () => {
  const eventLog = new InMemoryEventLog({ maxBytes: 1e9 });
  const host = hostOn(cliFor(NONE), { eventLog });
  const key = await newKey(host, 'local');
  const text = 'x'.repeat(100_000);
  await eventLog.append(
    key,
    Array.from({ length: 400 }, () => ({ type: 'user_message', text })),
  );
  const server = await serve({ handler: createHandler({ host }), port: 0, slowReaderMs: 20 });
  onTestFinished(() => server.close());
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(`GET /conversations/${key.id}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await expect.poll(() => host.metrics().viewers).toBe(1);
  await expect
    .poll(() => {
      // What only a signal holds is gone then.
      collectGarbage();
      return host.metrics().viewers;
    })
    .toBe(0);
});
