import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, connect, isIP, isIPv4, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { codeOf } from '../../../util/error-code.js';
import { onAbort } from '../../../util/on-abort.js';
import { firstOf } from '../../../util/race.js';
import type { ProxyForm, RefusedConnection } from '../../report/run-report.js';
import { admitsLocalhost, type DomainRules, isHostAllowed, isPortAllowed } from '../network-policy.js';

/** The target of a client. */
export interface ProxyTarget {
  /** In the spelling of `canonicalHost()`. */
  readonly host: string;
  readonly port: number;
}

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Opens a connection to one of these addresses only. */
export type Dial = (target: ProxyTarget, addresses: readonly LookupAddress[]) => Socket;

export type Passage =
  | { readonly kind: 'open'; readonly socket: Socket }
  /** The policy refuses it. Nothing was contacted. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The policy admits it, but the connection failed. `code` is the system's, such as `ECONNREFUSED`. */
  | { readonly kind: 'failed'; readonly code: string };

interface GateInput {
  readonly policy: DomainRules;
  readonly limits: ProxyLimits;
  readonly refusals: Refusals;
  readonly resolve?: Resolve | undefined;
  readonly dial?: Dial | undefined;
  /** Aborts when the proxy closes, and ends every wait. */
  readonly signal: AbortSignal;
  /** Called with each connection, so that none outlives the proxy. */
  onSocket(socket: Socket): void;
}

/**
 * Decides about a target and opens the connection. The name is resolved once, after the policy admitted name and port,
 * and the connection goes to the checked addresses: a second answer of the name server has no effect.
 */
export class Gate {
  readonly #input: GateInput;
  readonly #resolve: Resolve;
  readonly #dial: Dial;

  constructor(input: GateInput) {
    this.#input = input;
    this.#resolve = input.resolve ?? resolveByName;
    this.#dial = input.dial ?? dialAddresses;
  }

  async pass(form: ProxyForm, target: ProxyTarget): Promise<Passage> {
    const { policy } = this.#input;
    if (!isHostAllowed(policy, target.host)) {
      return this.refuse(form, 'The network policy does not list this host', target);
    }
    if (!isPortAllowed(policy, target.port)) {
      return this.refuse(form, 'The network policy does not list this port', target);
    }
    let addresses: readonly LookupAddress[];
    try {
      addresses = await this.#addressesInTime(target.host);
    } catch (error) {
      return { kind: 'failed', code: codeOf(error) ?? 'EAI_FAIL' };
    }
    if (addresses.length === 0) return { kind: 'failed', code: 'ENOTFOUND' };
    if (addresses.some(({ address }) => this.#isForbidden(target.host, address))) {
      const reason = 'The host resolves to an address of this machine or of its link';
      return this.refuse(form, reason, target);
    }
    return await this.#connect(target, addresses);
  }

  refuse(form: ProxyForm, reason: string, target: ProxyTarget = { host: '', port: 0 }): Passage {
    this.#input.refusals.add({ form, host: target.host, port: target.port, reason });
    return { kind: 'refused', reason };
  }

  #addressesInTime(host: string): Promise<readonly LookupAddress[]> {
    const { limits, signal } = this.#input;
    return firstOf(
      () => this.#addressesOf(host),
      ({ reject }) => {
        const giveUp = (): void => reject(Object.assign(new Error('Not in time'), { code: 'ETIMEDOUT' }));
        const timer = setTimeout(giveUp, limits.connectMs);
        const forgetAbort = onAbort(signal, giveUp);
        return () => {
          clearTimeout(timer);
          forgetAbort();
        };
      },
    );
  }

  #addressesOf(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host);
    return family === 0 ? this.#resolve(host) : Promise.resolve([{ address: host, family }]);
  }

  /**
   * An admitted localhost may be the loopback, but no other address of this machine: its name may resolve to anything.
   */
  #isForbidden(host: string, address: string): boolean {
    if (isIP(address) === 0) return true;
    if (admitsLocalhost(this.#input.policy, host)) return !/^(?:127\.|::1$)/.test(address);
    return isOwnAddress(address);
  }

  #connect(target: ProxyTarget, addresses: readonly LookupAddress[]): Promise<Passage> {
    const socket = this.#dial(target, addresses);
    this.#input.onSocket(socket);
    return new Promise((resolve) => {
      const fail = (code: string): void => {
        clearTimeout(timer);
        socket.destroy();
        resolve({ kind: 'failed', code });
      };
      const timer = setTimeout(fail, this.#input.limits.connectMs, 'ETIMEDOUT');
      socket.once('connect', () => {
        clearTimeout(timer);
        resolve({ kind: 'open', socket });
      });
      socket.on('error', (error) => fail(codeOf(error) ?? 'ECONNRESET'));
      socket.once('close', () => fail('ECONNRESET'));
    });
  }
}

function resolveByName(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

function dialAddresses({ host, port }: ProxyTarget, addresses: readonly LookupAddress[]): Socket {
  return connect({
    host,
    port,
    allowHalfOpen: true,
    keepAlive: true,
    autoSelectFamily: true,
    lookup: (_host, { all }, done) => {
      const [first] = addresses;
      if (all === true) done(null, [...addresses]);
      else done(null, first?.address ?? '', first?.family);
    },
  });
}

/** Addresses that mean this machine or its link on every machine. */
const FIXED: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  // On Linux a connection to 0.0.0.0 or :: reaches the loopback.
  ['0.0.0.0', 8, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  // Link-local. Most clouds serve credentials of the machine at 169.254.169.254.
  ['169.254.0.0', 16, 'ipv4'],
  // The metadata services of Alibaba, Oracle and Azure.
  ['100.100.100.200', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['::1', 128, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // The metadata services of Amazon and Google.
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
];
/** Prefixes of IPv6 addresses with an IPv4 address in their last 32 bits: mapped, compatible, translated. */
const CARRIERS = ['::ffff:', '::', '64:ff9b::'];

/**
 * Whether an address belongs to this machine (loopback, unspecified, any interface) or to its link (link-local, the
 * clouds' metadata services, multicast). IPv4 addresses inside IPv6 ones are judged as IPv4.
 */
function isOwnAddress(given: string): boolean {
  // A zone names the interface of a link-local address.
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
    const [high, low] = [groups[1] ?? '0', groups[2] ?? '0'].map((group) => Number.parseInt(group, 16));
    return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.');
  }
  return undefined;
}

/** The limits of one proxy. Times in milliseconds. */
export interface ProxyLimits {
  /** To the end of the request's head, or of the SOCKS handshake. @defaultValue 10_000 */
  readonly handshakeMs: number;
  /** To resolve a name, and again to connect. @defaultValue 30_000 */
  readonly connectMs: number;
  /** Without a byte, once one side of a tunnel has ended. @defaultValue 30_000 */
  readonly halfClosedMs: number;
  /** Clients at a time; more are dropped. @defaultValue 256 */
  readonly maxConnections: number;
  /** Of one request's head. @defaultValue 16_384 */
  readonly maxHeaderBytes: number;
  /** Kinds of refusals in the list. @defaultValue 100 */
  readonly maxRefusals: number;
}

export const PROXY_LIMITS: ProxyLimits = {
  handshakeMs: 10_000,
  connectMs: 30_000,
  halfClosedMs: 30_000,
  maxConnections: 256,
  maxHeaderBytes: 16_384,
  maxRefusals: 100,
};

/** The refusals of one run, in the order of their first occurrence. Kinds beyond the limit are counted as one. */
export class Refusals {
  readonly #maxKinds: number;
  readonly #kinds = new Map<string, { -readonly [K in keyof RefusedConnection]: RefusedConnection[K] }>();

  constructor(maxKinds: number) {
    this.#maxKinds = maxKinds;
  }

  add(refusal: Omit<RefusedConnection, 'count'>): void {
    const isNew = !this.#kinds.has(keyOf(refusal));
    const seen =
      isNew && this.#kinds.size >= this.#maxKinds
        ? { form: refusal.form, host: '', port: 0, reason: 'More than can be listed' }
        : refusal;
    const known = this.#kinds.get(keyOf(seen));
    if (known === undefined) this.#kinds.set(keyOf(seen), { ...seen, count: 1 });
    else known.count += 1;
  }

  list(): readonly RefusedConnection[] {
    return [...this.#kinds.values()].map((each) => ({ ...each }));
  }
}

function keyOf({ form, host, port, reason }: Omit<RefusedConnection, 'count'>): string {
  return JSON.stringify([form, host, port, reason]);
}

/** How long a refused client may take to read the reason. */
const LAST_WORDS_MS = 1_000;

/** Joins two connections until both have ended. `pipe` applies back-pressure in both directions. */
export function joinSockets(client: Socket, upstream: Socket, halfClosedMs: number): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.once('end', () => {
      from.setTimeout(halfClosedMs, () => from.destroy());
      to.setTimeout(halfClosedMs, () => to.destroy());
    });
    // After an orderly end, buffered bytes still go to the other side. The timers above limit that.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
  }
  client.resume();
}

/** Sends the last bytes and closes the connection, whatever the client does. */
export function endWith(client: Duplex, bytes: string | Uint8Array): void {
  if (client.destroyed) return;
  const timer = setTimeout(() => client.destroy(), LAST_WORDS_MS);
  client.once('close', () => clearTimeout(timer));
  client.on('error', () => client.destroy());
  client.end(bytes);
  // Unread input would turn the end into a reset, which can overtake the last bytes.
  client.resume();
}
