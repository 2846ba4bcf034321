import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { resolveIsolation } from '../../../src/adapter/isolation/isolation-config.js';
import { NetworkPolicy, type NetworkPolicyOptions } from '../../../src/adapter/isolation/network-policy.js';
import { thrownBy } from '../support/thrown-by.js';

test('the factories list nothing, the API, the given domains (AD-211)', () => {
  expect(NetworkPolicy.noNetwork().allowedDomains).toEqual([]);
  expect(NetworkPolicy.apiOnly().allowedDomains).toEqual(['api.anthropic.com']);
  expect(NetworkPolicy.withDomains('a', 'b').allowedDomains).toEqual(['a', 'b']);
  for (const policy of [NetworkPolicy.noNetwork(), NetworkPolicy.withDomains('a')]) {
    expect(policy).toMatchObject({ allowLocalhost: false, allowUnixSockets: false, allowedPorts: null });
  }
});

test('a port that is none is refused when the policy is made (AD-233)', () => {
  for (const port of [0, 70_000, 1.5]) {
    const error = thrownBy(() => new NetworkPolicy({ allowedPorts: [443, port] }));
    expect(error, String(port)).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: ['networkPolicy.allowedPorts[1]'] });
    const networkPolicy = { allowedPorts: [port] };
    expect(() => resolveIsolation({ networkPolicy }, 'linux')).toThrow(AdapterConfigError);
  }
  expect(new NetworkPolicy({ allowedPorts: [1, 65_535] }).allowedPorts).toEqual([1, 65_535]);
});

describe('a policy that cannot be meant is refused', () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ['a scheme', { allowedDomains: ['https://a.example'] }, 'networkPolicy.allowedDomains[0]'],
    ['a port', { allowedDomains: ['a.example:443'] }, 'networkPolicy.allowedDomains[0]'],
    ['a path', { allowedDomains: ['a.example/x'] }, 'networkPolicy.allowedDomains[0]'],
    ['a star inside', { allowedDomains: ['a.*.example'] }, 'networkPolicy.allowedDomains[0]'],
    ['a space', { allowedDomains: ['a .example'] }, 'networkPolicy.allowedDomains[0]'],
    ['an empty name', { allowedDomains: ['a', ''] }, 'networkPolicy.allowedDomains[1]'],
    ['a dot at the end', { allowedDomains: ['a.example.'] }, 'networkPolicy.allowedDomains[0]'],
    ['no list', { allowedDomains: 'a.example' }, 'networkPolicy.allowedDomains'],
    ['all and one', { allowedDomains: ['*', 'a'] }, 'networkPolicy.allowedDomains'],
    ['no boolean', { allowLocalhost: 'yes' }, 'networkPolicy.allowLocalhost'],
    ['a relative socket', { allowUnixSockets: ['a.sock'] }, 'networkPolicy.allowUnixSockets[0]'],
    ['an unknown field', { domains: ['a'] }, 'networkPolicy.domains'],
    ['localhost without ports', { allowLocalhost: true, allowedPorts: [] }, 'networkPolicy.allowedPorts'],
    ['no object', null, 'networkPolicy'],
  ];
  test.each(cases)('%s', (_, options, field) => {
    const error = thrownBy(() => new NetworkPolicy(options as NetworkPolicyOptions));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect((error as AdapterConfigError).fields[0]).toBe(field);
  });

  test('a name that is not ASCII, with the form to write instead', () => {
    expect(() => NetworkPolicy.withDomains('bücher.example')).toThrow('"xn--bcher-kva.example"');
  });
});

test('addresses, deep wildcards and underscores are host names', () => {
  const domains = ['10.0.0.1', '::1', '*.b.example', '_dmarc.example', 'LOCALHOST', '*'];
  for (const domain of domains) {
    expect(NetworkPolicy.withDomains(domain).allowedDomains).toEqual([domain]);
  }
});

test('a policy does not change with the list that it was made of', () => {
  const allowedDomains = ['a'];
  const policy = new NetworkPolicy({ allowedDomains });
  allowedDomains.push('b');
  expect(policy.allowedDomains).toEqual(['a']);
  expect(() => (policy.allowedDomains as string[]).push('b')).toThrow(TypeError);
});
