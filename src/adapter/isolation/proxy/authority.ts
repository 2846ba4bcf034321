import { canonicalHost } from '../host-name.js';

/** Where a client of the proxy wants to go. */
export interface ProxyTarget {
  /** As `canonicalHost()` spells it. */
  readonly host: string;
  readonly port: number;
}

export interface HttpTarget extends ProxyTarget {
  /** Path and query, as they came. */
  readonly path: string;
}

const HTTP_DEFAULT_PORT = 80;
/** No user info, no fragment, no backslash: URL parsers disagree about where the host ends in front of them. */
const ABSOLUTE_FORM = /^http:\/\/([^/?#\\@\s]+)([/?][^\s#\\]*)?$/i;
const AUTHORITY = /^(\[[\da-f:.]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i;

/** `host:port` of a CONNECT request. The port must be there. */
export function parseAuthority(text: string): ProxyTarget | undefined {
  return readAuthority(text, undefined);
}

/** The target of a plain HTTP request through a proxy: `http://host[:port]/path`. */
export function parseAbsoluteForm(text: string): HttpTarget | undefined {
  const match = ABSOLUTE_FORM.exec(text);
  if (match === null) return undefined;
  const target = readAuthority(match[1] ?? '', HTTP_DEFAULT_PORT);
  if (target === undefined) return undefined;
  const path = match[2] ?? '/';
  return { ...target, path: path.startsWith('?') ? `/${path}` : path };
}

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

function readAuthority(text: string, defaultPort: number | undefined): ProxyTarget | undefined {
  const match = AUTHORITY.exec(text);
  if (match === null) return undefined;
  const host = canonicalHost(match[1] ?? '');
  const port = match[2] === undefined ? defaultPort : Number(match[2]);
  return host !== undefined && port !== undefined && isPort(port) ? { host, port } : undefined;
}
