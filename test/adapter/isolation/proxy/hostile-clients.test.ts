import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import '../../../helpers/property-seed.js';
import { connect, Socket } from 'node:net';
import { startPolicyProxy } from '../../../../src/adapter/isolation/proxy/policy-proxy.js';
import { createDeferred } from '../../../../src/util/deferred.js';
import { connectTo, FAR_AWAY, GREETING, get, RawClient, socksFor, startEcho, startTcp, startWorld } from './support.js';

const NAME = 'd.example';
const http = (target: string, ...headers: string[]): string =>
  [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n');

describe('requests that are refused before anything is contacted', () => {
  const heads: readonly (readonly [name: string, bytes: string, status: RegExp])[] = [
    ['no port', connectTo(NAME), /^HTTP\/1.1 400 /],
    ['port 0', connectTo(`${NAME}:0`), /^HTTP\/1.1 400 /],
    ['a port that wraps round to 443', connectTo(`${NAME}:65979`), /^HTTP\/1.1 400 /],
    ['a port of six digits', connectTo(`${NAME}:000443`), /^HTTP\/1.1 400 /],
    ['a signed port', connectTo(`${NAME}:+443`), /^HTTP\/1.1 400 /],
    ['two ports', connectTo(`${NAME}:80:443`), /^HTTP\/1.1 400 /],
    ['user info in CONNECT', connectTo(`${NAME}:443@evil.example:443`), /^HTTP\/1.1 400 /],
    ['a URL in CONNECT', connectTo(`http://${NAME}:443`), /^HTTP\/1.1 400 /],
    ['an escape in CONNECT', connectTo('d%2eexample:443'), /^HTTP\/1.1 400 /],
    ['IPv6 without brackets', connectTo('::1:443'), /^HTTP\/1.1 400 /],
    ['user info', http(`http://${NAME}@evil.example/`, 'Host: x'), /^HTTP\/1.1 400 /],
    ['user info with a password', http(`http://u:p@${NAME}/`, 'Host: x'), /^HTTP\/1.1 400 /],
    ['a backslash', http(`http://evil.example\\@${NAME}/`, 'Host: x'), /^HTTP\/1.1 400 /],
    ['a fragment', http(`http://evil.example#@${NAME}/`, 'Host: x'), /^HTTP\/1.1 400 /],
    ['another scheme', http(`https://${NAME}/`, 'Host: x'), /^HTTP\/1.1 400 /],
    ['a path', http('/', `Host: ${NAME}`), /^HTTP\/1.1 400 /],
    ['two hosts', http(`http://${NAME}/`, `Host: ${NAME}`, 'Host: evil.example'), /^HTTP\/1.1 400 /],
    ['no host', http(`http://${NAME}/`), /^HTTP\/1.1 400 /],
    ['an empty port', http(`http://${NAME}:/`, 'Host: x'), /^HTTP\/1.1 400 /],
    [
      'a length and chunks',
      http(`http://${NAME}/`, 'Host: x', 'Content-Length: 3', 'Transfer-Encoding: chunked'),
      /^HTTP\/1.1 400 /,
    ],
    ['two lengths', http(`http://${NAME}/`, 'Host: x', 'Content-Length: 3', 'Content-Length: 4'), /^HTTP\/1.1 400 /],
    ['a space before a colon', http(`http://${NAME}/`, 'Host: x', 'Content-Length : 3'), /^HTTP\/1.1 400 /],
    ['a folded header', http(`http://${NAME}/`, 'Host: x', 'A: b', ' c: d'), /^HTTP\/1.1 400 /],
    ['a bare line feed', `GET http://${NAME}/ HTTP/1.1\nHost: x\n\n`, /^HTTP\/1.1 400 /],
    ['a NUL in a header', http(`http://${NAME}/`, 'Host: x', 'A: \0'), /^HTTP\/1.1 400 /],
    ['a huge header', http(`http://${NAME}/`, 'Host: x', `A: ${'a'.repeat(20_000)}`), /^HTTP\/1.1 431 /],
    ['a huge target', http(`http://${NAME}/${'a'.repeat(20_000)}`, 'Host: x'), /^HTTP\/1.1 431 /],
    ['TLS', '\x16\x03\x01\x02\x00\x01', /^HTTP\/1.1 400 /],
    ['SOCKS4', '\x04\x01\x01\xbb\x7f\0\0\x01\0', /^HTTP\/1.1 400 /],
    ['an unlisted host', connectTo('evil.example:443'), /^HTTP\/1.1 403 /],
    ['a host below', connectTo(`evil.${NAME}:443`), /^HTTP\/1.1 403 /],
    ['localhost', connectTo('localhost:443'), /^HTTP\/1.1 403 /],
    ['loopback in hexadecimal', connectTo('0x7f.1:443'), /^HTTP\/1.1 403 /],
    ['loopback as one number', http('http://2130706433/', 'Host: x'), /^HTTP\/1.1 403 /],
    ['IPv6 loopback', http('http://[::1]/', 'Host: x'), /^HTTP\/1.1 403 /],
  ];

  test.each(heads)('%s', async (_name, bytes, status) => {
    const world = await startWorld({ allowedDomains: [NAME] }, 1);
    const client = new RawClient(world.port).write(Buffer.from(bytes, 'latin1'));
    expect(await client.text()).toMatch(status);
    expect([world.dialed, world.resolved]).toEqual([[], []]);
  });

  const answers: readonly (readonly [name: string, bytes: Uint8Array, answer: readonly number[]])[] = [
    ['a NUL in the name', socksFor(`${NAME}\0.evil`, 443), [5, 1]],
    ['an empty name', socksFor('', 443), [5, 1]],
    ['a name with a slash', socksFor(`${NAME}/`, 443), [5, 1]],
    ['a name with a port', socksFor(`${NAME}:443`, 443), [5, 1]],
    ['a name that is not ASCII', socksFor(Buffer.from('ｄ.example'), 443), [5, 1]],
    // Listed below by the name that a browser would make of it.
    ['a name in Latin-1', socksFor(Buffer.from('caf\u00e9.example', 'latin1'), 443), [5, 1]],
    ['port 0', socksFor(NAME, 0), [5, 1]],
    ['BIND', Uint8Array.of(5, 2, 0, 1, 1, 2, 3, 4, 0, 80), [5, 7]],
    ['UDP', Uint8Array.of(5, 3, 0, 1, 1, 2, 3, 4, 0, 80), [5, 7]],
    ['an unknown kind of address', Uint8Array.of(5, 1, 0, 9, 1, 2, 3, 4, 0, 80), [5, 8]],
    ['a reserved byte that is set', Uint8Array.of(5, 1, 1, 1, 1, 2, 3, 4, 0, 80), [5, 1]],
    ['another version in the request', Uint8Array.of(4, 1, 0, 1, 1, 2, 3, 4, 0, 80), [5, 1]],
    ['IPv4 loopback', Uint8Array.of(5, 1, 0, 1, 127, 0, 0, 1, 0, 80), [5, 2]],
    ['IPv6 loopback', Uint8Array.of(5, 1, 0, 4, ...Array<number>(15).fill(0), 1, 0, 80), [5, 2]],
    ['an unlisted name', socksFor('evil.example', 443), [5, 2]],
    ['a loopback address as a name', socksFor('127.0.0.1', 443), [5, 2]],
  ];

  test.each(answers)('SOCKS5: %s', async (_name, bytes, answer) => {
    const world = await startWorld({ allowedDomains: [NAME, 'xn--caf-dma.example'] }, 1);
    const client = new RawClient(world.port).write(GREETING).write(bytes);
    const got = await client.read();
    expect([...got.subarray(0, 4)]).toEqual([5, 0, ...answer]);
    expect([world.dialed, world.resolved]).toEqual([[], []]);
  });

  test('SOCKS5: a client that insists on a password is sent away', async () => {
    const world = await startWorld({ allowedDomains: [NAME] }, 1);
    expect([...(await new RawClient(world.port).write(Uint8Array.of(5, 1, 2)).read())]).toEqual([5, 255]);
  });

  test.each([
    ['all hosts', ['*']],
    ['the address itself', ['127.0.0.1.', '169.254.169.254', '::1']],
  ])('addresses of this machine, with %s listed', async (_name, allowedDomains) => {
    const world = await startWorld({ allowedDomains: allowedDomains.map((each) => each.replace(/\.$/, '')) }, 1);
    for (const host of ['169.254.169.254', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '[::]']) {
      expect(await new RawClient(world.port).write(connectTo(`${host}:80`)).text()).toMatch(/ 403 /);
    }
    expect(world.dialed).toEqual([]);
  });
});

describe('smuggling: a body never becomes a request of its own', () => {
  const HIDDEN = 'GET /smuggled HTTP/1.1\r\nHost: unlisted.example\r\n\r\n';
  const withBody = (method: string, ...headers: string[]): string =>
    [`${method} http://${NAME}/a HTTP/1.1`, 'Host: x', ...headers, '', HIDDEN].join('\r\n');
  const LENGTH = `Content-Length: ${HIDDEN.length}`;

  const hiding = ['content-length', 'Content-Length', 'close, content-length', 'a ,CONTENT-LENGTH, b']
    .concat(['transfer-encoding', 'close,Transfer-Encoding', 'host'])
    .flatMap((value) => ['GET', 'DELETE', 'POST'].map((method) => [method, value] as const));
  test.each(hiding)('%s with `Connection: %s` is refused', async (method, value) => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: [NAME] }, upstream.port);
    const text = await new RawClient(world.port).write(withBody(method, `Connection: ${value}`, LENGTH)).text();
    expect(text).toMatch(/^HTTP\/1.1 400 /);
    expect([world.dialed, upstream.requests]).toEqual([[], []]);
    expect(world.refused).toMatchObject([
      { form: 'http', host: NAME, port: 80, reason: expect.stringContaining('`Connection`') },
    ]);
  });

  test('also when the option stands in a second `Connection` header', async () => {
    const upstream = await startEcho();
    const world = await startWorld({ allowedDomains: [NAME] }, upstream.port);
    const bytes = withBody('GET', 'Connection: close', 'connection: content-length', LENGTH);
    expect(await new RawClient(world.port).write(bytes).text()).toMatch(/^HTTP\/1.1 400 /);
    expect(world.dialed).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT'])(
    'the body of %s arrives as its body',
    async (method) => {
      const upstream = await startEcho();
      const world = await startWorld({ allowedDomains: [NAME] }, upstream.port);
      const bytes = withBody(method, 'Connection: close, x-hop', 'X-Hop: 1', LENGTH);
      expect(await new RawClient(world.port).write(bytes).text()).toMatch(/^HTTP\/1.1 200 /);
      const [request, ...others] = upstream.requests;
      expect(others).toEqual([]);
      expect(request).toContain(`${method} /a\n`);
      expect(request).not.toContain('X-Hop');
      expect(request).toContain(`\n\n${HIDDEN}`);
    },
  );

  test('whatever the headers say', async () => {
    const got: Buffer[][] = [];
    const upstream = await startTcp((socket) => {
      const chunks: Buffer[] = [];
      got.push(chunks);
      const answer = (): void => void setTimeout(() => socket.end('HTTP/1.1 204 No Content\r\n\r\n'), 2);
      socket.on('data', (chunk) => chunks.push(chunk) === 1 && answer());
    });
    const world = await startWorld({ allowedDomains: [NAME] }, upstream);
    const option = fc.constantFrom('close', 'content-length', 'keep-alive', 'te', '"host"');
    const header = fc.oneof(
      fc.array(option, { minLength: 1, maxLength: 3 }).map((all) => `Connection: ${all}`),
      fc.constantFrom(LENGTH, LENGTH, 'Content-Length: 0', 'Transfer-Encoding: chunked'),
      fc.constantFrom('Proxy-Connection: content-length', 'Keep-Alive: content-length'),
    );
    const method = fc.constantFrom('GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'TRACE');
    await fc.assert(
      fc.asyncProperty(method, fc.array(header, { maxLength: 4 }), async (verb, headers) => {
        const client = new RawClient(world.port).write(withBody(verb, ...headers));
        await client.read(12);
        client.socket.destroy();
      }),
      { numRuns: 100 },
    );
    const requests = got.map((chunks) => Buffer.concat(chunks).toString('latin1'));
    const unframed = requests.filter((text) => {
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      return body !== '' && !/^(?:content-length|transfer-encoding):/im.test(head);
    });
    expect(unframed).toEqual([]);
    expect(requests.filter((text) => text.includes('/smuggled')).length).toBeGreaterThan(3);
  });
});

test('SOCKS5 arrives byte by byte as well', async () => {
  const upstream = await startEcho();
  const world = await startWorld({ allowedDomains: [NAME] }, upstream.port);
  const client = new RawClient(world.port);
  client.socket.setNoDelay(true);
  const bytes = Buffer.concat([GREETING, socksFor(NAME, 80), Buffer.from(get('/x'))]);
  for (const byte of bytes) {
    client.write(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await client.text()).toContain('GET /x\nHost: x');
});

test.each([
  ['says nothing', ''],
  ['stops in its head', 'GET http://d.example/ HT'],
  ['stops in its headers', 'GET http://d.example/ HTTP/1.1\r\nHost: x\r\nA: '],
  ['stops in the SOCKS greeting', '\x05'],
  ['stops in the SOCKS request', '\x05\x01\0\x05\x01\0'],
])('a client that %s is let go in time', async (_name, bytes) => {
  const world = await startWorld({ allowedDomains: [NAME] }, 1, { limits: { handshakeMs: 40 } });
  const client = new RawClient(world.port).write(Buffer.from(bytes, 'latin1'));
  // Keeps the connection from being quiet, without ever ending its head.
  const drip = setInterval(() => bytes.startsWith('GET') && client.write('a'), 10);
  await client.read();
  clearInterval(drip);
  expect(world.dialed).toEqual([]);
});

test('more clients than the limit are dropped, and the next is served again', async () => {
  const upstream = await startEcho();
  const world = await startWorld({ allowedDomains: [NAME] }, upstream.port, { limits: { maxConnections: 2 } });
  const held = [new RawClient(world.port).write(GREETING), new RawClient(world.port).write(GREETING)];
  for (const client of held) await client.read(2);
  expect(await new RawClient(world.port).write(get(`http://${NAME}/`)).text()).toBe('');
  for (const client of held) client.socket.destroy();
  let text = '';
  while (text === '') text = await new RawClient(world.port).write(get(`http://${NAME}/`)).text();
  expect(text).toMatch(/^HTTP\/1.1 200 /);
});

test('a listed name that resolves for ever, or connects for ever, fails in time', async () => {
  const slow = await startWorld({ allowedDomains: [NAME] }, 1, {
    resolve: () => new Promise(() => {}),
    limits: { connectMs: 20 },
  });
  const far = await startWorld({ allowedDomains: [NAME] }, 1, { dial: () => new Socket(), limits: { connectMs: 20 } });
  for (const { port } of [slow, far]) {
    expect(await new RawClient(port).write(connectTo(`${NAME}:443`)).text()).toMatch(/ 504 /);
  }
});

describe('close()', () => {
  test('ends listener, clients, tunnels and requests, whatever they do, and can be repeated', async () => {
    const seen = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()];
    const gone: Promise<void>[] = [];
    let count = 0;
    const upstream = await startTcp((socket) => {
      const end = createDeferred<void>();
      gone.push(end.promise);
      socket.on('end', () => end.resolve()).on('close', () => end.resolve());
      socket.resume();
      seen[count++]?.resolve();
    });
    const world = await startWorld({ allowedDomains: [NAME] }, upstream);
    const clients = [
      new RawClient(world.port),
      new RawClient(world.port).write('GET http://'),
      new RawClient(world.port).write(GREETING),
      new RawClient(world.port).write(connectTo(`${NAME}:443`)),
      new RawClient(world.port).write(GREETING).write(socksFor(NAME, 443)),
      new RawClient(world.port).write(get(`http://${NAME}/`)),
    ];
    await Promise.all(seen.map((each) => each.promise));
    await Promise.all([world.close(), world.close()]);
    await Promise.all([...clients.map((client) => client.read()), ...gone]);
    await expect(
      new Promise((resolve, reject) => connect(world.port, '127.0.0.1', () => resolve(1)).on('error', reject)),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await world.close();
  });

  test('leaves no timer behind a name that is still being resolved', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const asked = createDeferred<void>();
    const world = await startWorld({ allowedDomains: [NAME] }, 1, {
      resolve: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    new RawClient(world.port).write(connectTo(`${NAME}:443`));
    await asked.promise;
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await world.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a connection that would open after it does not live', async () => {
    const answer = createDeferred<void>();
    const asked = createDeferred<void>();
    const upstream = await startTcp((socket) => void socket.resume());
    const world = await startWorld({ allowedDomains: [NAME] }, upstream, {
      resolve: async () => {
        asked.resolve();
        await answer.promise;
        return [{ address: FAR_AWAY, family: 4 }];
      },
    });
    const client = new RawClient(world.port).write(connectTo(`${NAME}:443`));
    await asked.promise;
    await world.close();
    answer.resolve();
    await client.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(process.getActiveResourcesInfo().filter((each) => each === 'TCPServerWrap')).toHaveLength(1);
  });
});

test('whatever bytes come, only listed targets are contacted and the proxy lives on', async () => {
  const upstream = await startEcho();
  const world = await startWorld({ allowedDomains: [NAME, '*.w.example'], allowedPorts: [80, 443] }, upstream.port, {
    limits: { handshakeMs: 200 },
  });
  const host = fc.oneof(
    fc.constantFrom(NAME, 'x.w.example'),
    fc.constantFrom(
      NAME,
      'x.w.example',
      'evil.example',
      '127.0.0.1',
      'localhost',
      '[::1]',
      `${NAME}.`,
      `${NAME}\0`,
      'w.example',
    ),
    fc.domain(),
  );
  const port = fc.constantFrom(':80', ':443', '', ':80', ':443', ':22', ':0', ':65979', ':80:443');
  const extra = fc.constantFrom(
    '',
    'Host: y\r\n',
    'Content-Length: 4\r\n',
    'Transfer-Encoding: chunked\r\n',
    'Upgrade: x\r\n',
    '\r\n',
    '\0',
  );
  const request = fc.oneof(
    fc.tuple(host, port, extra).map(([h, p, e]) => `GET http://${h}${p}/ HTTP/1.1\r\nHost: x\r\n${e}\r\n`),
    fc.tuple(host, port, extra).map(([h, p, e]) => `CONNECT ${h}${p} HTTP/1.1\r\nHost: x\r\n${e}\r\n`),
    fc
      .tuple(host, fc.constantFrom(80, 443, 22, 0))
      .map(([h, p]) => `\x05\x01\0${Buffer.from(socksFor(h, p)).toString('latin1')}`),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 3 }), async (requests) => {
      const client = new RawClient(world.port).write(Buffer.from(requests.join(''), 'latin1'));
      client.socket.end();
      await client.read();
      client.socket.destroy();
    }),
    { numRuns: 200 },
  );
  const listed = /^(?:d\.example|[\w.-]+\.w\.example):(?:80|443) at 203\.0\.113\.7$/;
  expect(world.dialed.filter((each) => !listed.test(each))).toEqual([]);
  expect(world.dialed.length).toBeGreaterThan(20);
  expect(await new RawClient(world.port).write(get(`http://${NAME}/`)).text()).toMatch(/ 200 OK/);
});

test('a resolver that answers nonsense lets nothing through, and harms nobody else', async () => {
  const upstream = await startEcho();
  const answers = ['no address', '', 'd.example', '300.1.1.1'];
  const world = await startWorld({ allowedDomains: ['*'] }, upstream.port, {
    resolve: async (host) =>
      host === NAME
        ? [{ address: FAR_AWAY, family: 4 }]
        : host === 'null.example'
          ? (null as never)
          : [{ address: answers[Number(host[0])] ?? '', family: 4 }],
  });
  for (const host of ['0.x', '1.x', '2.x', '3.x', 'null.example']) {
    const text = await new RawClient(world.port).write(connectTo(`${host}:443`)).text();
    expect(text).not.toMatch(/ 200 /);
  }
  expect(world.dialed).toEqual([]);
  expect(await new RawClient(world.port).write(get(`http://${NAME}/`)).text()).toMatch(/ 200 OK/);
});

test('without `dial` a connection goes to the checked address and to no other', async () => {
  const upstream = await startEcho();
  await using proxy = await startPolicyProxy({
    policy: { allowedDomains: ['localhost'], allowedPorts: null, allowLocalhost: false },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });
  const text = await new RawClient(proxy.port).write(get(`http://localhost:${upstream.port}/`)).text();
  expect(text).toMatch(/ 200 OK/);
});
