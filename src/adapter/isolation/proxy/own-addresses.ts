import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Tells which addresses no tool may reach by name. A function of the moment: interfaces come and go. */
export type IsOwnAddress = (address: string) => boolean;

/** What means this machine, or can only be on it or its link, wherever it runs. */
const FIXED: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  // On Linux a connection to 0.0.0.0 or :: reaches the loopback.
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  // Link-local; most clouds serve credentials of the machine at 169.254.169.254.
  ['169.254.0.0', 16, 'ipv4'],
  // The metadata services of Alibaba, Oracle and Azure, which lie elsewhere.
  ['100.100.100.200', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // The same of Amazon and Google.
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
];
/** Prefixes of IPv6 addresses that carry an IPv4 address in their last 32 bits: mapped, compatible, translated. */
const CARRIERS = ['::ffff:', '::', '64:ff9b::'];

/**
 * Whether an address belongs to this machine (loopback, unspecified, any interface) or to its link (link-local, the
 * clouds' metadata services, multicast). IPv4 addresses inside IPv6 ones are judged as IPv4.
 */
export function isOwnAddress(given: string): boolean {
  // A zone says by which interface, and belongs to link-local addresses alone.
  const address = withoutZone(given);
  const own = new BlockList();
  for (const [net, prefix, family] of FIXED) own.addSubnet(net, prefix, family);
  for (const each of Object.values(networkInterfaces()).flat()) {
    if (each) own.addAddress(withoutZone(each.address), familyOf(each.address));
  }
  const carried = carriedIPv4(address);
  if (carried !== undefined && own.check(carried, 'ipv4')) return true;
  return own.check(address, familyOf(address));
}

const withoutZone = (address: string): string => address.replace(/%.*/s, '');
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

function carriedIPv4(address: string): string | undefined {
  if (isIPv4(address)) return undefined;
  // The URL parser gives the one short spelling, with the last 32 bits as two groups.
  const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  for (const carrier of CARRIERS) {
    const rest = short.startsWith(carrier) ? short.slice(carrier.length) : '';
    const groups = /^(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/.exec(rest);
    if (groups === null) continue;
    const [high, low] = [groups[1] ?? '0', groups[2] ?? '0'].map((group) =>
      Number.parseInt(group, 16),
    );
    return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.');
  }
  return undefined;
}
