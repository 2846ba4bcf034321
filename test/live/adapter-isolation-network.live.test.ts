import { describe, expect, test } from 'vitest';
import { NetworkPolicy } from '../../src/adapter/index.js';
import { fetchPage, PAGE_WAS_READ, setIsolatedStage, sh } from './support/isolated.js';
import { CERTIFICATE, PAGE, startServer, type Visits } from './support/local-servers.js';
import { describeSandboxed } from './support/sandbox.js';

/** Not 8080, which the example of another file has: files run side by side. */
const PORT = 8081;
/**
 * `--noproxy ''`: the CLI's `NO_PROXY` names the loopback. On a busy machine the sandbox starts a command before its way to the
 * proxy is there, and then nobody listens yet.
 */
const CURL = "curl -sS -m 10 --retry 5 --retry-delay 1 --retry-connrefused --noproxy ''";
/** Every way out of the sandbox that a client has. */
const ways = (url: string) => ({
  http: sh(`${CURL} -x "$HTTP_PROXY" ${url}`),
  connect: sh(`${CURL} -x "$HTTPS_PROXY" -p ${url}`),
  socks: sh(`${CURL} -x "$FTP_PROXY" ${url}`),
});
const direct = (url: string) => sh(`curl -sS -m 5 --noproxy '*' ${url}`);
const watch = { description: 'Watch', timeout_ms: 1000 };
const refusedByCli = /blocked by network allowlist|response 403|Can't complete SOCKS5|connection to proxy closed/;
const refusedByUs = /network policy does not list|response 403|Can't complete SOCKS5/;

describeSandboxed('network policy on the real CLI, in bypass mode', () => {
  test('without a network nothing is reached, and the web tools are gone (AD-388)', async () => {
    const visits: Visits = [];
    await startServer({ port: PORT, visits });
    const url = `http://localhost:${PORT}/`;
    const stage = await setIsolatedStage([
      ...Object.values(ways(url)),
      direct(url),
      sh(`${CURL} http://unlisted.example/`),
      sh(`${CURL} https://unlisted.example/`),
      fetchPage('https://unlisted.example/'),
      ['WebSearch', { query: 'anything' }],
      ['Monitor', { ...watch, ws: { url: `ws://localhost:${PORT}/` } }],
      ['Monitor', { ...watch, command: `curl -sS --noproxy '' ${url}` }],
      ['Bash', { command: `curl ${url}`, run_in_background: true }],
      ['Bash', { command: `curl ${url}`, dangerouslyDisableSandbox: true }],
      sh('sleep 1'),
    ]);
    const { said, init } = await stage.run({ networkPolicy: NetworkPolicy.noNetwork() });
    for (const text of said.slice(0, 3)) expect(text).toMatch(refusedByCli);
    expect(said[3]).toMatch(/Failed to connect/);
    for (const text of said.slice(4, 6)) expect(text).toMatch(refusedByCli);
    for (const text of said.slice(6, 8)) expect(text).toMatch(/No such tool available/);
    expect(said[8]).toContain('The network policy does not list the host localhost');
    expect(said[11]).toContain('outside the sandbox are not allowed');
    expect(init.tools).toContain('Bash');
    expect(init.tools.filter((name) => name.startsWith('Web'))).toEqual([]);
    expect(visits).toEqual([]);
  });

  test('the listed host is reached in every way, another is not, nor by redirect; `*` reaches both (AD-389, AD-398)', async () => {
    const visits: Visits = [];
    await startServer({ port: PORT, visits, redirects: { '/away': `http://127.0.0.1:${PORT}/secret` } });
    // Both names are one server: only the policy tells them apart.
    const [listed, other] = [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`];
    const spellings = ['0.0.0.0', '0x7f.1', '2130706433', '127.0.0.2', '[::1]', '[::ffff:127.0.0.1]', 'other.example'];
    const calls = [
      ...Object.values(ways(`${listed}/ok`)),
      ...Object.values(ways(`${other}/secret`)),
      direct(`${other}/secret`),
      sh(`${CURL} -L ${listed}/away`),
      ...spellings.map((host) => sh(`${CURL} -g http://${host}:${PORT}/secret`)),
    ];
    const stage = await setIsolatedStage(calls);
    const { said } = await stage.run({ networkPolicy: NetworkPolicy.withDomains('localhost') });
    expect(said.slice(0, 3)).toEqual([PAGE, PAGE, PAGE]);
    for (const text of said.slice(3, 6)) expect(text).toMatch(refusedByCli);
    expect(said[6]).toMatch(/Failed to connect/);
    for (const text of said.slice(7)) expect(text).toMatch(refusedByCli);
    expect(visits).toEqual([...Array(3).fill(`127.0.0.1:${PORT} /ok`), `127.0.0.1:${PORT} /away`]);

    const open = await setIsolatedStage(Object.values(ways(`${other}/any`)));
    const all = await open.run({ networkPolicy: NetworkPolicy.withDomains('*') });
    expect(all.said).toEqual([PAGE, PAGE, PAGE]);
  });

  test('a port that is not listed is refused through both proxies, also by redirect; the listed one is reached (AD-390)', async () => {
    const visits: Visits = [];
    await startServer({ port: 443, visits, redirects: { '/away': 'http://localhost:8443/secret' } });
    await startServer({ port: 8443, visits });
    const stage = await setIsolatedStage([
      ...Object.values(ways('http://localhost:443/ok')),
      ...Object.values(ways('http://localhost:8443/secret')),
      direct('http://localhost:8443/secret'),
      sh(`${CURL} -L http://localhost:443/away`),
      ...Object.values(ways('http://127.0.0.2:443/secret')),
      ...Object.values(ways('http://other.example:443/secret')),
    ]);
    const { said, response } = await stage.run({
      networkPolicy: new NetworkPolicy({ allowedDomains: ['localhost'], allowedPorts: [443] }),
    });
    expect(said.slice(0, 3)).toEqual([PAGE, PAGE, PAGE]);
    for (const text of said.slice(3, 6)) expect(text).toMatch(refusedByUs);
    expect(said[6]).toMatch(/Failed to connect/);
    for (const text of said.slice(7)) expect(text).toMatch(refusedByUs);
    expect(visits).toEqual([...Array(3).fill('127.0.0.1:443 /ok'), '127.0.0.1:443 /away']);
    expect(response.isolation?.settingsConfirmed).toBe(true);
    expect(response.report.connectionsRefused).toContainEqual({
      form: 'socks',
      host: 'localhost',
      port: 8443,
      reason: 'The network policy does not list this port',
      count: 1,
    });
  });

  test('an admitted name of this machine is refused by our proxy, whatever it is called', async () => {
    const visits: Visits = [];
    await startServer({ port: 443, visits });
    const stage = await setIsolatedStage([
      ...Object.values(ways('http://localhost:443/')),
      ...Object.values(ways('http://127.0.0.1:443/')),
      sh(`${CURL} -g 'http://[::ffff:127.0.0.1]:443/'`),
    ]);
    const { said } = await stage.run({
      networkPolicy: new NetworkPolicy({ allowedDomains: ['*'], allowedPorts: [443] }),
    });
    for (const text of said) expect(text).toMatch(/address of this machine|response 403|Can't complete SOCKS5/);
    expect(visits).toEqual([]);
  });

  test('a sub-agent is held to the same policy', async () => {
    const visits: Visits = [];
    await startServer({ port: PORT, visits });
    const url = `http://localhost:${PORT}/`;
    const stage = await setIsolatedStage(
      [
        ...Object.values(ways(url)),
        direct(url),
        fetchPage('https://other.example/'),
        ['Monitor', { ...watch, ws: { url: `ws://localhost:${PORT}/` } }],
      ],
      { inSubagent: true },
    );
    await stage.run({ networkPolicy: NetworkPolicy.apiOnly() });
    // The results go to the model of the sub-agent.
    const told = JSON.stringify(stage.api.requests.map(({ body }) => body));
    expect(told).toContain('Connection blocked by network allowlist');
    expect(told).toContain('The network policy does not list the host other.example');
    expect(told).toContain('The network policy does not list the host localhost');
    expect(visits).toEqual([]);
    expect(stage.api.remainingTurns).toBe(0);
  });

  describe('web tools', () => {
    const redirects = {
      '/same': 'https://127.0.0.1/end',
      '/port': 'https://127.0.0.1:8443/secret',
      '/host': 'https://127.0.0.2/secret',
      '/plain': 'http://127.0.0.1:8443/secret',
    };
    const startWeb = async (visits: Visits): Promise<void> => {
      await startServer({ port: 443, visits, redirects, tls: true });
      await startServer({ port: 8443, visits, tls: true });
      await startServer({ port: 8081, visits });
      await startServer({ port: 443, host: '127.0.0.2', visits, tls: true });
    };
    const isolation = (networkPolicy: NetworkPolicy) => ({
      networkPolicy,
      skipWebFetchPreflight: true,
      env: { NODE_EXTRA_CA_CERTS: CERTIFICATE },
    });

    test('WebFetch and Monitor reach the listed host and port and nothing else, redirects included', async () => {
      const visits: Visits = [];
      await startWeb(visits);
      const stage = await setIsolatedStage([
        fetchPage('https://127.0.0.1/ok'),
        ...Object.keys(redirects).map((path) => fetchPage(`https://127.0.0.1${path}`)),
        fetchPage('https://127.0.0.2/secret'),
        fetchPage('https://127.0.0.1:8443/secret'),
        fetchPage('http://127.0.0.1/secret'),
        fetchPage('https://127.0.0.1@127.0.0.2/secret'),
        ['Monitor', { ...watch, ws: { url: 'ws://127.0.0.1:8081/secret' } }],
        ['WebFetch', { prompt: 'No URL' }],
      ]);
      const policy = new NetworkPolicy({ allowedDomains: ['127.0.0.1'], allowedPorts: [443] });
      const { said } = await stage.run(isolation(policy));
      expect(said.slice(0, 2)).toEqual(Array(2).fill(PAGE_WAS_READ));
      for (const text of said.slice(2, 5)) expect(text).toMatch(/^REDIRECT DETECTED/);
      for (const text of said.slice(5, 10)) expect(text).toMatch(/The network policy does not list/);
      expect([...visits].sort()).toEqual(
        ['/end', '/host', '/ok', '/plain', '/port', '/same'].map((path) => `127.0.0.1:443 ${path}`),
      );
    });

    test('without the policy the same tools reach what was refused above', async () => {
      const visits: Visits = [];
      await startWeb(visits);
      const stage = await setIsolatedStage([
        fetchPage('https://127.0.0.2/open'),
        fetchPage('https://127.0.0.1:8443/open'),
        fetchPage('http://127.0.0.1/open'),
        ['Monitor', { ...watch, ws: { url: 'ws://127.0.0.1:8081/open' } }],
        sh('sleep 1'),
      ]);
      const { said } = await stage.run(isolation(NetworkPolicy.withDomains('*')));
      expect(said.slice(0, 3)).toEqual(Array(3).fill(PAGE_WAS_READ));
      // The third asked for port 80: the CLI takes https.
      expect([...visits].sort()).toEqual([
        '127.0.0.1:443 /open',
        '127.0.0.1:8081 /open',
        '127.0.0.1:8443 /open',
        '127.0.0.2:443 /open',
      ]);
    });
  });
});
