/** Events behind what compresses, and over HTTP/2 (V-6). Behind real proxies: test/proxies. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { compressing } from '../helpers/compressing.js';
import { readEvents } from '../helpers/event-reader.js';
import { cliFor, hostOn, newKey } from '../helpers/hosts.js';
import { MOUNTS } from '../helpers/mounts.js';

async function portOf(listener: RequestListener, protocol: 'HTTP/1.1' | 'HTTP/2'): Promise<number> {
  // Both give a request and a response of the same form.
  const server = protocol === 'HTTP/2' ? createHttp2Server(listener as never) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const cases = Object.keys(MOUNTS).flatMap((mount) =>
  (['HTTP/1.1', 'HTTP/2'] as const)
    // Express does not speak HTTP/2.
    .filter((protocol) => protocol === 'HTTP/1.1' || !mount.startsWith('Express'))
    .flatMap((protocol) => [false, true].map((compresses) => ({ mount, protocol, compresses }))),
);

test.each(cases)(
  'by $mount over $protocol, compression $compresses, events come as they happen',
  async ({ mount, protocol, compresses }) => {
    const host = hostOn(
      cliFor(({ prompt, init, partialText, expectRequest, errorResult }) => [
        ...[prompt(), init(), ...partialText(['Once upon ', 'a time']), expectRequest('interrupt')],
        errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
      ]),
    );
    const listener = MOUNTS[mount]!(createHandler({ host }));
    const port = await portOf(compresses ? compressing(listener) : listener, protocol);
    const key = await newKey(host, 'local');
    const base = `http://127.0.0.1:${port}/claude/conversations`;
    const list = await readEvents(base, protocol);
    await list.until(key.id);
    expect(list.encoding).toBe(compresses ? 'gzip' : '');
    list.leave();

    const reader = await readEvents(`${base}/${key.id}/events`, protocol);
    await reader.until('retry:');
    await host.send({ ...key, text: 'Tell me a story' });
    await reader.until('a time');
    await host.interrupt(key);
    await reader.until('turn_ended');
    reader.leave();
    await expect.poll(() => host.metrics().viewers).toBe(0);
  },
);
