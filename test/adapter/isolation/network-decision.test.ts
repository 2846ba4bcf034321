import { describe, expect, test } from 'vitest';
import { NetworkPolicy, networkDecision } from '../../../src/adapter/isolation/network-policy.js';

const listed = new NetworkPolicy({ allowedDomains: ['d', '*.e'], allowedPorts: [443] });
const fetches = (policy: NetworkPolicy, url: unknown): boolean =>
  networkDecision(policy, 'WebFetch', { url } as Record<string, unknown>).allowed;

describe('WebFetch', () => {
  const cases: readonly (readonly [url: unknown, allowed: boolean])[] = [
    ['https://d', true],
    ['https://D/path?q#f', true],
    ['https://d.', true],
    ['https://d:443/', true],
    ['http://d', false],
    ['http://d:443', true],
    ['https://d:8443', false],
    ['https://x.e', true],
    ['https://y.x.e', true],
    ['https://e', false],
    ['https://other', false],
    ['https://d@other/', false],
    ['https://d:443@other/', false],
    ['https://d\\@other/', true],
    ['https://other#@d/', false],
    ['https://other\\.d/', false],
    ['//d/', false],
    ['d', false],
    ['ftp://d:443/', false],
    ['file:///etc/passwd', false],
    ['data:text/plain,d', false],
    ['https://', false],
    ['', false],
    [undefined, false],
    [null, false],
    [['https://d'], false],
    [{ href: 'https://d' }, false],
  ];
  test.each(cases)('%j', (url, allowed) => {
    expect(fetches(listed, url)).toBe(allowed);
  });

  test('nothing is denied without a rule, not even what is no URL', () => {
    const all = NetworkPolicy.withDomains('*');
    expect([fetches(all, 'ftp://x'), fetches(all, undefined)]).toEqual([true, true]);
  });

  test('all hosts with a list of ports, and no port at all', () => {
    const ports = new NetworkPolicy({ allowedDomains: ['*'], allowedPorts: [443] });
    expect([fetches(ports, 'https://x'), fetches(ports, 'http://x')]).toEqual([true, false]);
    expect(fetches(new NetworkPolicy({ allowedDomains: ['*'], allowedPorts: [] }), 'https://x')).toBe(false);
  });

  test('an http URL needs port 443 as well: the CLI fetches it with https', () => {
    const ports = (...allowedPorts: number[]) =>
      fetches(new NetworkPolicy({ allowedDomains: ['d'], allowedPorts }), 'http://d/');
    expect([ports(80), ports(443), ports(80, 443)]).toEqual([false, false, true]);
    const other = new NetworkPolicy({ allowedDomains: ['d'], allowedPorts: [8080] });
    expect(fetches(other, 'http://d:8080/')).toBe(true);
  });

  test('the reason names the host or the port, and no user info', () => {
    expect(networkDecision(listed, 'WebFetch', { url: 'https://u:secret@other/' })).toEqual({
      allowed: false,
      reason: 'The network policy does not list the host other',
    });
    expect(networkDecision(listed, 'WebFetch', { url: 'https://d:8443' })).toEqual({
      allowed: false,
      reason: 'The network policy does not list port 8443',
    });
  });
});

test('WebSearch is denied while no domain is listed', () => {
  const search = (policy: NetworkPolicy) => networkDecision(policy, 'WebSearch', { query: 'x' }).allowed;
  expect(search(NetworkPolicy.noNetwork())).toBe(false);
  expect(search(new NetworkPolicy({ allowLocalhost: true }))).toBe(false);
  expect(search(new NetworkPolicy({ allowedDomains: ['*'], allowedPorts: [] }))).toBe(false);
  expect(search(NetworkPolicy.withDomains('*'))).toBe(true);
});

describe('other tools that reach the network from the CLI', () => {
  const monitor = (ws: unknown, policy = listed): boolean =>
    networkDecision(policy, 'Monitor', { description: 'x', timeout_ms: 1000, ws }).allowed;

  test('the WebSocket of Monitor is held to the list; its commands run in the sandbox', () => {
    expect([monitor({ url: 'wss://d/' }), monitor({ url: 'wss://x.e' })]).toEqual([true, true]);
    for (const ws of [
      { url: 'ws://d/' },
      { url: 'wss://d:8443/' },
      { url: 'wss://other/' },
      { url: 'wss://d@other/' },
      { url: 7 },
      {},
      'wss://d/',
      [],
      false,
    ]) {
      expect(monitor(ws), JSON.stringify(ws)).toBe(false);
    }
    expect(monitor({ url: 'wss://other' }, NetworkPolicy.withDomains('*'))).toBe(true);
    expect(monitor({ url: 'wss://d' }, NetworkPolicy.noNetwork())).toBe(false);
    expect(monitor(undefined, NetworkPolicy.noNetwork())).toBe(true);
  });

  test('tools of the vendor’s service need its host', () => {
    const artifact = (policy: NetworkPolicy) => networkDecision(policy, 'Artifact', {}).allowed;
    expect([
      artifact(NetworkPolicy.noNetwork()),
      artifact(listed),
      artifact(NetworkPolicy.withDomains('claude.ai')),
      artifact(NetworkPolicy.withDomains('*')),
    ]).toEqual([false, false, true, true]);
  });
});

test('other tools are not judged', () => {
  expect(networkDecision(NetworkPolicy.noNetwork(), 'Bash', { command: 'curl x' }).allowed).toBe(true);
});
