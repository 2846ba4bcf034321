/** Requests beside as many viewers as there may be (V-18). */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { serve } from '../../src/http/serve.js';
import { cliFor, hostOn, NONE, newKey } from '../helpers/hosts.js';

test('beside 1,000 viewers every request is answered, and a viewer too many is refused', async () => {
  const host = hostOn(cliFor(NONE));
  const server = await serve({ handler: createHandler({ host }), port: 0 });
  onTestFinished(() => server.close());
  const { id } = await newKey(host, 'local');
  const { port, host: name } = new URL(server.url);
  const viewers: Socket[] = [];
  onTestFinished(() => {
    for (const socket of viewers) socket.destroy();
  });
  const view = async () => {
    const socket = connect(Number(port), '127.0.0.1');
    viewers.push(socket);
    socket.on('error', () => {});
    socket.write(`GET /conversations/${id}/events HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString().split('\r\n')[0];
  };
  const opened = await Promise.all(Array.from({ length: 1_000 }, view));
  expect(new Set(opened)).toEqual(new Set(['HTTP/1.1 200 OK']));
  expect(await view()).toBe('HTTP/1.1 503 Service Unavailable');
  const headers = { connection: 'close' };
  const answers = Array.from({ length: 60 }, () => fetch(`${server.url}/conversations/${id}`, { headers }));
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
});
