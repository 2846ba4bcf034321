import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startPolicyProxy } from '../../../../src/adapter/isolation/proxy/policy-proxy.js';
import { createDeferred } from '../../../../src/util/deferred.js';
import {
  connectTo,
  FAR_AWAY,
  GREETING,
  get,
  RawClient,
  socksFor,
  startEcho,
  startTcp,
  startWorld,
  tryConnect,
  tryHttp,
  trySocks,
} from './support.js';

/** A sender that gets no further for so long is held back; without back-pressure it would be through by then. */
const QUIET_MS = 150;

test('domains and ports hold over CONNECT, SOCKS5 and plain HTTP (AD-227)', async () => {
  const upstream = await startEcho();
  const world = await startWorld({ allowedDomains: ['d.example'], allowedPorts: [443] }, upstream.port);
  const asks = [
    ['d.example', 443],
    ['d.example', 8443],
    ['other.example', 443],
  ] as const;
  const connects: string[] = [];
  const socks: (number | undefined)[] = [];
  for (const [host, port] of asks) connects.push(await tryConnect(world.port, host, port));
  for (const [host, port] of asks) socks.push(await trySocks(world.port, host, port));
  expect(connects).toEqual(['200', '403', '403']);
  expect(socks).toEqual([0, 2, 2]);
  expect(await tryHttp(world.port, 'd.example', 80)).toBe('403');
  expect(world.dialed).toEqual(Array(2).fill(`d.example:443 at ${FAR_AWAY}`));
  expect(world.resolved, 'a refused name is not even resolved').toEqual(['d.example', 'd.example']);
});

test('an admitted name of this machine is refused in each form; an allowed localhost is admitted in each (AD-391)', async () => {
  const upstream = await startEcho();
  const far = { allowedDomains: ['d.example'] };
  const world = await startWorld(far, upstream.port, { addresses: { 'd.example': ['127.0.0.1'] } });
  expect(await tryHttp(world.port, 'd.example', 80)).toBe('403');
  expect(await tryConnect(world.port, 'd.example', 443)).toBe('403');
  expect(await trySocks(world.port, 'd.example', 443)).toBe(2);
  expect(world.dialed).toEqual([]);

  const policy = { allowedDomains: [], allowedPorts: [upstream.port], allowLocalhost: true };
  // Resolved and connected by the system, as in a run.
  await using proxy = await startPolicyProxy({ policy });
  for (const name of ['localhost', '127.0.0.1']) {
    expect(await tryHttp(proxy.port, name, upstream.port)).toBe('200');
    expect(await tryConnect(proxy.port, name, upstream.port)).toBe('200');
    expect(await trySocks(proxy.port, name, upstream.port)).toBe(0);
    expect(await trySocks(proxy.port, name, upstream.port + 1)).toBe(2);
  }
  expect(await tryConnect(proxy.port, '[::1]', upstream.port)).toBe('403');
  expect(await tryConnect(proxy.port, '127.0.0.2', upstream.port)).toBe('403');
});

test.each([
  '10.127.0.1',
  '1.127.0.0',
  '128.0.0.1',
  FAR_AWAY,
  '::1:2',
  '2001:db8::1',
  '::ffff:127.0.0.1',
  '::',
  '0.0.0.0',
])('an allowed localhost that resolves to %s is refused: it is the loopback or nothing (AD-391)', async (address) => {
  const policy = { allowLocalhost: true, allowedPorts: [80] };
  const world = await startWorld(policy, 1, { addresses: { localhost: [address] } });
  expect(await tryConnect(world.port, 'localhost', 80)).toBe('403');
  expect(world.dialed).toEqual([]);
});

const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const own = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '::1', '::', ...interfaces.map(({ address }) => address)],
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd20:ce::254', '::ffff:192.0.0.192'],
  ...['169.254.169.254', 'fd00:ec2::254', 'fe80::1', 'fe80::1%lo', '224.0.0.1', 'ff02::1'],
  ...['::ffff:127.0.0.1', '::127.0.0.1', '::ffff:169.254.1.1', '64:ff9b::7f00:1'],
];
test.each([...new Set(own)])('a name that also resolves to %s is refused, and listed (AD-391)', async (address) => {
  for (const addresses of [
    [FAR_AWAY, address],
    [address, FAR_AWAY],
  ]) {
    const world = await startWorld({ allowedDomains: ['d.example'] }, 1, { addresses: { 'd.example': addresses } });
    expect(await tryConnect(world.port, 'd.example', 443)).toBe('403');
    expect(world.dialed).toEqual([]);
    const reason = 'The host resolves to an address of this machine or of its link';
    expect(world.refused).toEqual([{ form: 'connect', host: 'd.example', port: 443, reason, count: 1 }]);
  }
});

test.each(['203.0.113.7', '10.0.0.1', '2001:db8::1', '::ffff:203.0.113.7', '64:ff9b::cb00:7107'])(
  'a name that resolves to %s is not taken for this machine (AD-391)',
  async (address) => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: ['d.example'] }, upstream.port, {
      addresses: { 'd.example': [address] },
    });
    expect(await tryConnect(world.port, 'd.example', 443)).toBe('200');
  },
);

describe('plain HTTP', () => {
  test('the request reaches the host without what was meant for the proxy; Host is what was checked', async () => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: ['d.example'] }, upstream.port);
    const text = await new RawClient(world.port)
      .write(
        get(
          'http://D.example:8080/a%20b?q=1',
          'Proxy-Authorization: Basic c2VjcmV0',
          'Proxy-Connection: keep-alive',
          'X-Hop: 1',
          'Connection: x-hop',
          'TE: trailers',
          'Upgrade: websocket',
          'Accept: */*',
        ),
      )
      .text();
    expect(upstream.requests).toEqual(['GET /a%20b?q=1\nHost: d.example:8080\nAccept: */*\nConnection: close\n\n']);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).not.toMatch(/proxy-/i);
    expect(text).not.toMatch(/^via:/im);
  });

  test('a body arrives with its length or in chunks, also with GET', async () => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: ['d.example'] }, upstream.port);
    for (const method of ['POST', 'GET']) {
      await new RawClient(world.port)
        .write(`${method} http://d.example/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello`)
        .text();
      await new RawClient(world.port)
        .write(
          `${method} http://d.example/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
        )
        .text();
    }
    expect(upstream.requests).toHaveLength(4);
    for (const request of upstream.requests) expect(request).toMatch(/\n\nhello$/);
  });

  test('each request of one connection is judged', async () => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: ['d.example'] }, upstream.port);
    const text = await new RawClient(world.port)
      .write('GET http://d.example/1 HTTP/1.1\r\nHost: d.example\r\n\r\n')
      .write('GET http://other.example/2 HTTP/1.1\r\nHost: d.example\r\n\r\n')
      .text();
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 403']);
    expect(world.dialed).toHaveLength(1);
  });

  test('a redirect is handed back, not followed', async () => {
    const port = await startTcp((socket) => {
      socket.end('HTTP/1.1 302 Found\r\nLocation: http://other.example/\r\nContent-Length: 0\r\n\r\n');
    });
    const world = await startWorld({ allowedDomains: ['d.example'] }, port);
    const text = await new RawClient(world.port).write(get('http://d.example/')).text();
    expect(text).toMatch(/^HTTP\/1\.1 302 Found\r\nLocation: http:\/\/other\.example\/\r\n/);
    expect(await tryHttp(world.port, 'other.example', 80)).toBe('403');
    expect(world.dialed).toEqual([`d.example:80 at ${FAR_AWAY}`]);
  });

  test.each([
    ['nobody listens', 'refuse'],
    ['an answer that is no HTTP', 'garbage\r\n\r\n'],
    ['no answer', ''],
  ])('%s: 502', async (_name, answer) => {
    const port = answer === 'refuse' ? 1 : await startTcp((socket) => void socket.end(answer));
    const world = await startWorld({ allowedDomains: ['d.example'] }, port);
    expect(await tryHttp(world.port, 'd.example', 80)).toBe('502');
  });
});

describe('tunnels', () => {
  const forms = [
    ['CONNECT', connectTo('d.example:443'), 39],
    ['SOCKS5', Buffer.concat([GREETING, socksFor('d.example', 443)]), 12],
  ] as const;

  test.each(forms)('%s: early bytes, both directions and both ends pass', async (_name, opening, head) => {
    const port = await startTcp((socket) => {
      let got = '';
      socket.on('data', (chunk: Buffer) => {
        got += chunk.toString();
      });
      // Answers only after the other side has ended: a half-closed tunnel still delivers.
      socket.on('end', () => socket.end(`got ${got}`));
    });
    const world = await startWorld({ allowedDomains: ['d.example'] }, port);
    const client = new RawClient(world.port).write(Buffer.concat([Buffer.from(opening), Buffer.from('early ')]));
    await client.read(head);
    client.write('late');
    client.socket.end();
    expect((await client.text()).slice(head)).toBe('got early late');
  });

  test.each(forms)('%s: a client that does not read holds the upstream back', async (_name, opening, head) => {
    let sent = 0;
    const stalled = createDeferred<void>();
    const total = 32 * 1024 * 1024;
    const port = await startTcp((socket) => {
      const chunk = Buffer.alloc(1024 * 1024);
      const quiet = setTimeout(() => stalled.resolve(), QUIET_MS);
      socket.on('close', () => clearTimeout(quiet));
      const pump = (): void => {
        quiet.refresh();
        while (sent < total) {
          sent += chunk.length;
          if (!socket.write(chunk)) {
            socket.once('drain', pump);
            return;
          }
        }
        socket.end();
      };
      pump();
    });
    const world = await startWorld({ allowedDomains: ['d.example'] }, port);
    const client = new RawClient(world.port);
    client.socket.pause();
    client.write(opening);
    await stalled.promise;
    expect(sent).toBeLessThan(total);
    client.socket.resume();
    expect((await client.read()).length).toBe(head + total);
  });

  test.each(forms)('%s: a reset of either side ends the other', async (_name, opening, head) => {
    const gone = createDeferred<void>();
    let kill: () => void = () => {};
    const port = await startTcp((socket) => {
      kill = () => socket.resetAndDestroy();
      socket.on('end', () => gone.resolve()).on('close', () => gone.resolve());
      socket.resume();
    });
    const world = await startWorld({ allowedDomains: ['d.example'] }, port);
    const first = new RawClient(world.port).write(opening);
    await first.read(head);
    first.socket.resetAndDestroy();
    await gone.promise;
    const second = new RawClient(world.port).write(opening);
    await second.read(head);
    kill();
    await second.read();
  });

  test.each(forms)('%s: half closed and silent, it is ended', async (_name, opening, head) => {
    // Never ends its own side.
    const port = await startTcp((socket) => void socket.resume());
    const world = await startWorld({ allowedDomains: ['d.example'] }, port, { limits: { halfClosedMs: 20 } });
    const client = new RawClient(world.port).write(opening);
    await client.read(head);
    client.socket.end();
    expect(await client.read()).toHaveLength(head);
  });
});

test.each([FAR_AWAY, '169.254.169.254', '192.0.2.1', '::'])(
  'a localhost that resolves to %s is refused: its name alone admits nothing (AD-391)',
  async (address) => {
    const world = await startWorld({ allowLocalhost: true }, 1, { addresses: { localhost: [address] } });
    expect(await tryConnect(world.port, 'localhost', 80)).toBe('403');
    expect(world.dialed).toEqual([]);
  },
);

test('what was refused is listed once with a count, and the list is bounded', async () => {
  const world = await startWorld({ allowedDomains: ['d.example'] }, 1, { limits: { maxRefusals: 2 } });
  await tryConnect(world.port, 'x.example', 443);
  await tryConnect(world.port, 'X.example.', 443);
  await trySocks(world.port, 'x.example', 443);
  await tryHttp(world.port, 'y.example', 80);
  await tryHttp(world.port, 'z.example', 80);
  const reason = 'The network policy does not list this host';
  expect(world.refused).toEqual([
    { form: 'connect', host: 'x.example', port: 443, reason, count: 2 },
    { form: 'socks', host: 'x.example', port: 443, reason, count: 1 },
    { form: 'http', host: '', port: 0, reason: 'More than can be listed', count: 2 },
  ]);
});

test('a name is resolved once, and a second answer of the name server is not asked for', async () => {
  const upstream = await startEcho();
  const answers = [FAR_AWAY, '127.0.0.1'];
  let asked = 0;
  const world = await startWorld({ allowedDomains: ['d.example'] }, upstream.port, {
    resolve: async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }],
  });
  expect(await tryConnect(world.port, 'd.example', 443)).toBe('200');
  expect(world.dialed).toEqual([`d.example:443 at ${FAR_AWAY}`]);
  expect(asked).toBe(1);
  expect(await tryConnect(world.port, 'd.example', 443)).toBe('403');
});

test('a name that cannot be resolved fails and is not called refused', async () => {
  const world = await startWorld({ allowedDomains: ['*'] }, 1, {
    resolve: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
  });
  expect(await tryConnect(world.port, 'd.example', 443)).toBe('502');
  expect(await trySocks(world.port, 'd.example', 443)).toBe(4);
  expect(world.refused).toEqual([]);
});

test('a name without an address fails and is not called refused', async () => {
  const world = await startWorld({ allowedDomains: ['*'] }, 1, { addresses: { 'd.example': [] } });
  expect(await tryConnect(world.port, 'd.example', 443)).toBe('502');
  expect([world.dialed, world.refused]).toEqual([[], []]);
});
