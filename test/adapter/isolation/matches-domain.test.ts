import fc from 'fast-check';
import '../../helpers/property-seed.js';
import { describe, expect, test } from 'vitest';
import {
  admitsLocalhost,
  canonicalHost,
  isHostAllowed,
  isPortAllowed,
} from '../../../src/adapter/isolation/network-policy.js';

const rules = (
  allowedDomains: readonly string[],
  allowedPorts: readonly number[] | null = null,
  allowLocalhost = false,
) => ({ allowedDomains, allowedPorts, allowLocalhost });

const hosts: readonly (readonly [name: string, text: string, expected: string | undefined])[] = [
  ['capitals', 'Example.COM', 'example.com'],
  ['one dot at the end', 'example.com.', 'example.com'],
  ['two dots at the end', 'example.com..', undefined],
  ['a dot at the start', '.example.com', undefined],
  ['an empty label', 'a..b', undefined],
  ['only a dot', '.', undefined],
  ['nothing', '', undefined],
  ['a name beyond ASCII', 'bücher.de', 'xn--bcher-kva.de'],
  ['wide letters', 'ｅxample.com', 'example.com'],
  ['a wide dot', 'example。com', 'example.com'],
  // Without a letter beyond ASCII, newer releases of Node take it as it stands, which is one spelling too.
  ['broken punycode', 'xn--ä', undefined],
  ['IPv4 in hexadecimal', '0x7f.1', '127.0.0.1'],
  ['IPv4 as one number', '2130706433', '127.0.0.1'],
  ['IPv4 in octal', '0177.0.0.01', '127.0.0.1'],
  ['IPv4 with a dot at the end', '127.0.0.1.', '127.0.0.1'],
  ['IPv4 out of range', '256.1.1.1', undefined],
  ['IPv6', '0:0::0:1', '::1'],
  ['IPv6 in brackets', '[::1]', '::1'],
  ['IPv4 in IPv6', '::FFFF:127.0.0.1', '::ffff:7f00:1'],
  ['a zone', 'fe80::1%eth0', undefined],
  ['a name in brackets', '[example.com]', undefined],
  ['a bracket too few', '[::1', undefined],
  ['a port', 'example.com:80', undefined],
  ['user info', 'user@example.com', undefined],
  ['a path', 'example.com/x', undefined],
  ['a backslash', 'example.com\\x', undefined],
  ['a query', 'example.com?x', undefined],
  ['a fragment', 'example.com#x', undefined],
  ['an escape', 'ex%61mple.com', undefined],
  ['a NUL', 'example.com\0.other', undefined],
  ['a line end, which URL parsers drop', 'exam\nple.com', undefined],
  ['a tab', 'exam\tple.com', undefined],
  ['a star', '*.example.com', undefined],
  ['a name that is too long', `${'a.'.repeat(127)}com`, undefined],
];

describe('canonicalHost', () => {
  test.each(hosts)('%s', (_name, text, expected) => {
    expect(canonicalHost(text)).toBe(expected);
  });

  test('what it gives stays as it is, and is a host for the URL parser', () => {
    const piece = fc.constantFrom('a', 'B', '.', '0', '7', 'x', ':', '[', ']', '@', '%', '/', 'ü', '-', '\0', '*');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.domain(),
          fc.ipV4(),
          fc.ipV6(),
          fc.array(piece).map((all) => all.join('')),
        ),
        (text) => {
          const host = canonicalHost(text);
          if (host === undefined) return;
          expect(canonicalHost(host)).toBe(host);
          expect(new URL(`http://${host.includes(':') ? `[${host}]` : host}/`).href).toMatch(/^http:\/\/[^/@]+\/$/);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

const matches: readonly (readonly [
  name: string,
  policy: ReturnType<typeof rules>,
  host: string,
  port: number,
  expected: boolean,
])[] = [
  ['the host itself', rules(['a.example']), 'A.example', 80, true],
  ['a host below a plain name', rules(['a.example']), 'b.a.example', 80, false],
  ['a look-alike', rules(['a.example']), 'xa.example', 80, false],
  ['a host that goes on', rules(['a.example']), 'a.example.evil', 80, false],
  ['below a wildcard', rules(['*.example']), 'a.b.example', 80, true],
  ['the wildcard itself', rules(['*.example']), 'example', 80, false],
  ['a look-alike of a wildcard', rules(['*.a.example']), 'xa.example', 80, false],
  ['an address is not below a wildcard of numbers', rules(['*.0.0.1']), '127.0.0.1', 80, false],
  ['all', rules(['*']), 'any.where', 1, true],
  ['all, but no host', rules(['*']), 'any/where', 1, false],
  ['a listed port', rules(['a.example'], [443]), 'a.example', 443, true],
  ['another port', rules(['a.example'], [443]), 'a.example', 8443, false],
  ['all hosts, another port', rules(['*'], [443]), 'a.example', 80, false],
  ['no port', rules(['*'], []), 'a.example', 443, false],
  ['no domain', rules([]), 'a.example', 443, false],
  ['localhost allowed', rules([], null, true), 'localhost', 80, true],
  ['localhost allowed, as a number', rules([], null, true), '0x7f000001', 80, true],
  ['localhost allowed, another loopback address', rules([], null, true), '127.0.0.2', 80, false],
  ['localhost allowed, IPv6', rules([], null, true), '::1', 80, false],
  ['localhost not allowed', rules(['a.example']), 'localhost', 80, false],
];

describe('hosts and ports', () => {
  test.each(matches)('%s', (_name, policy, host, port, expected) => {
    expect(isHostAllowed(policy, host) && isPortAllowed(policy, port)).toBe(expected);
  });

  test('localhost may be this machine when it is allowed or listed by name, not by `*`', () => {
    expect(admitsLocalhost(rules([], null, true), 'LOCALHOST.')).toBe(true);
    expect(admitsLocalhost(rules(['localhost']), 'localhost')).toBe(true);
    expect(admitsLocalhost(rules(['localhost']), '127.0.0.1')).toBe(false);
    expect(admitsLocalhost(rules(['*']), 'localhost')).toBe(false);
    expect(admitsLocalhost(rules(['a.example'], null, true), 'a.example')).toBe(false);
  });
});
