import { isIPv6 } from 'node:net';

/** Characters that end a host for a URL parser, or that it drops. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const NOT_IN_A_HOST = /[\u0000-\u0020\u007f/\\?#@%:[\]*]/;
const MAX_NAME_LENGTH = 253;

/**
 * The one spelling for comparing hosts: lower case, punycode, IPv4 in four decimals (`0x7f.1` becomes `127.0.0.1`),
 * IPv6 compressed and without brackets, no dot at the end. Connections go to this spelling too, so that the compared
 * host and the reached one cannot differ.
 *
 * @returns `undefined` when the text is not a host
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

/** A host as written in a URL: an IPv6 address has brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

export function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
