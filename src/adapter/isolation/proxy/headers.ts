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

/** `[name, value, name, value, …]` without what is not for the other side, nor what `Connection` names. */
export function endToEndHeaders(raw: readonly string[], also: readonly string[] = []): string[] {
  const pairs = toPairs(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((each) => each.trim().toLowerCase()));
  const dropped = new Set([...HOP_BY_HOP, ...named, ...also]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

export function countHeader(raw: readonly string[], wanted: string): number {
  return toPairs(raw).filter(([name]) => name.toLowerCase() === wanted).length;
}

function toPairs(raw: readonly string[]): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}
