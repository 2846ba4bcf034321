/** Readers that leave a stream of events are not failures (V-5). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { eventStream } from '../../src/http/sse.js';
import { ask, cliFor, hostOn, newKey } from '../helpers/hosts.js';
import { MOUNTS, mountedServer } from '../helpers/mounts.js';

const EVENT = { id: 1, at: 1, event: { type: 'user_message', text: 'Hi' } } as const;

/** A stream whose events are settled by the test. */
async function streamOf(next: (signal: AbortSignal) => Promise<IteratorResult<typeof EVENT, void>>) {
  const failures: unknown[] = [];
  let signal: AbortSignal | undefined;
  const response = await eventStream(
    async (given) => {
      signal = given;
      return { next: () => next(given) };
    },
    new AbortController().signal,
    { heartbeatMs: 60_000, retryMs: 1, show: (event) => event, onFailure: (error) => failures.push(error) },
  );
  return { failures, signal: signal!, reader: response.body!.getReader() };
}

const onAbort = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
const untilLeft = async (signal: AbortSignal) => {
  await onAbort(signal);
  return { done: true as const, value: undefined };
};

test.each<[string, number, Parameters<typeof streamOf>[0]]>([
  ['before the first read', 0, untilLeft],
  ['while an event is waited for, which then ends the events', 1, untilLeft],
  [
    'while an event is waited for, which comes all the same',
    1,
    async (signal) => {
      await onAbort(signal);
      return { done: false, value: EVENT };
    },
  ],
  [
    'while an event is waited for, and the log fails then',
    1,
    async (signal) => {
      await onAbort(signal);
      throw new Error('gone');
    },
  ],
  ['after the end', 2, async () => ({ done: true, value: undefined })],
])('a reader that cancels %s is not reported, and its viewer leaves', async (_, reads, next) => {
  const { failures, signal, reader } = await streamOf(next);
  for (let count = 0; count < reads; count += 1) await reader.read();
  await reader.cancel();
  expect(signal.aborted).toBe(true);
  // What was pending has settled after this turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([]);
});

test('a log that fails while somebody reads is reported', async () => {
  const { failures, reader } = await streamOf(() => Promise.reject(new Error('gone')));
  await reader.read();
  await expect(reader.read()).rejects.toThrow('gone');
  expect(failures).toEqual([new Error('gone')]);
});

test.each(Object.keys(MOUNTS))('by %s, readers that close their connections are not reported', async (name) => {
  const heard: unknown[] = [];
  const host = hostOn(cliFor(({ turn }) => [turn('Hello.', 'Hi')]));
  const handler = createHandler({ host, onError: (error) => heard.push(error) });
  const server = await mountedServer(MOUNTS[name]!(handler));
  onTestFinished(() => server.close());
  const key = await newKey(host, 'local');
  const { host: address, port } = new URL(server.url);
  const readers = Array.from({ length: 5 }, () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET /claude/conversations/${key.id}/events HTTP/1.1\r\nHost: ${address}\r\n\r\n`);
    return socket;
  });
  await Promise.all(readers.map((socket) => once(socket, 'data')));
  await expect.poll(() => host.metrics().viewers).toBe(5);
  for (const socket of readers) socket.destroy();
  await expect.poll(() => host.metrics().viewers).toBe(0);
  // Whatever a reader left behind is settled by the turn that follows.
  expect(await ask(host, key, 'Hi')).toBe('completed');
  expect(heard).toEqual([]);
});
