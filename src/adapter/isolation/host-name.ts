import { isIPv6 } from 'node:net';

/** What may not stand in a host: it would end the host for a URL parser, or be dropped by it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const NOT_IN_A_HOST = /[\u0000-\u0020\u007f/\\?#@%:[\]*]/;
const MAX_NAME_LENGTH = 253;

/**
 * The one spelling under which hosts are compared: lower case, punycode, IPv4 in four decimals (`0x7f.1` becomes
 * `127.0.0.1`), IPv6 compressed and without brackets, no dot at the end. What it returns is also what is connected to, so
 * that what was compared and what is reached cannot differ.
 *
 * @returns `undefined` for what is no host
 */
export function canonicalHost(text: string): string | undefined {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : undefined;
  const isAddress = isIPv6(inner ?? text);
  if (inner !== undefined && !isAddress) return undefined;
  if (!isAddress && NOT_IN_A_HOST.test(text)) return undefined;
  // A zone (`fe80::1%eth0`) passes `isIPv6` and fails here.
  const parsed = parseUrl(isAddress ? `http://[${inner ?? text}]/` : `http://${text}/`);
  if (parsed === undefined) return undefined;
  if (isAddress) return parsed.hostname.slice(1, -1);
  const name = parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname;
  const isName = name !== '' && name.length <= MAX_NAME_LENGTH;
  return isName && !name.split('.').includes('') ? name : undefined;
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
