/** Events behind real proxies, with their own defaults for buffering (V-6). */

import { expect, onTestFinished, test } from 'vitest';
import { startHaproxy, startNginx } from '../../../../scripts/servers/proxies.mjs';
import { createHandler } from '../../src/http/handler.js';
import { serve } from '../../src/http/serve.js';
import { readEvents } from '../helpers/event-reader.js';
import { cliFor, hostOn, newKey } from '../helpers/hosts.js';

const PROXIES = { nginx: startNginx, HAProxy: startHaproxy };
const cases = (['nginx', 'HAProxy'] as const).flatMap((name) =>
  [false, true].flatMap((compresses) =>
    (['HTTP/1.1', 'HTTP/2'] as const).map((protocol) => ({ name, compresses, protocol })),
  ),
);

test.each(cases)(
  'events pass $name as they happen, over $protocol, compression $compresses',
  async ({ name, compresses, protocol }) => {
    const host = hostOn(
      cliFor(({ prompt, init, partialText, expectRequest, errorResult }) => [
        ...[prompt(), init(), ...partialText(['Once upon ', 'a time']), expectRequest('interrupt')],
        errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
      ]),
    );
    const server = await serve({ handler: createHandler({ host, heartbeatMs: 300 }), port: 0 });
    onTestFinished(() => server.close());
    const proxy = await PROXIES[name]({ to: Number(new URL(server.url).port), compresses });
    onTestFinished(async () => void (await proxy.stop()));
    const base = `http://127.0.0.1:${protocol === 'HTTP/2' ? proxy.http2 : proxy.http1}`;
    const key = await newKey(host, 'local');

    const reader = await readEvents(`${base}/conversations/${key.id}/events`, protocol);
    await reader.until('retry:');
    await host.send({ ...key, text: 'Tell me a story' });
    // The turn is open, so there is nothing that would push this out.
    await reader.until('a time');
    await host.interrupt(key);
    await reader.until('turn_ended');
    reader.leave();
    // HAProxy finds out by the heartbeats that it cannot pass on.
    await expect.poll(() => host.metrics().viewers).toBe(0);
  },
);
