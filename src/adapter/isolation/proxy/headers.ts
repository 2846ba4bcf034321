/** Meant for the next hop alone (RFC 9110, 7.6.1), and what clients say to proxies. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Say where a message ends and for whom it is: no option of a connection, whatever `Connection` says. */
const NEVER_OPTIONS = ['content-length', 'transfer-encoding', 'host'];

/**
 * Whether `Connection` names a header that frames or addresses the message. Nobody honest sends that. A body without its
 * length would be the next request to the other side, and nobody would have looked at that one.
 */
export function hidesFraming(raw: readonly string[]): boolean {
  const options = connectionOptions(toPairs(raw));
  return NEVER_OPTIONS.some((name) => options.includes(name));
}

/** `[name, value, name, value, …]` without what is not for the other side, nor what `Connection` names. */
export function endToEndHeaders(raw: readonly string[], also: readonly string[] = []): string[] {
  const pairs = toPairs(raw);
  const named = connectionOptions(pairs).filter((name) => !NEVER_OPTIONS.includes(name));
  const dropped = new Set([...HOP_BY_HOP, ...named, ...also]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

export function countHeader(raw: readonly string[], wanted: string): number {
  return toPairs(raw).filter(([name]) => name.toLowerCase() === wanted).length;
}

function connectionOptions(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  return pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()));
}

function toPairs(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
