import { type LookupAddress, lookup } from 'node:dns';
import { connect, isIP, type Socket } from 'node:net';
import { codeOf } from '../../../util/error-code.js';
import { onAbort } from '../../../util/on-abort.js';
import { firstOf } from '../../../util/race.js';
import {
  admitsLocalhost,
  type DomainRules,
  isHostAllowed,
  isPortAllowed,
} from '../matches-domain.js';
import type { ProxyTarget } from './authority.js';
import type { ProxyLimits } from './limits.js';
import { isOwnAddress } from './own-addresses.js';
import type { ProxyForm, Refusals } from './refusals.js';

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

/** Opens a connection to one of the addresses, and to nothing else. */
export type Dial = (target: ProxyTarget, addresses: readonly LookupAddress[]) => Socket;

export type Passage =
  | { readonly kind: 'open'; readonly socket: Socket }
  /** The policy does not admit it. Nothing was contacted. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Admitted, and it did not work: `code` is the system's, such as `ECONNREFUSED`. */
  | { readonly kind: 'failed'; readonly code: string };

export interface GateInput {
  readonly policy: DomainRules;
  readonly limits: ProxyLimits;
  readonly refusals: Refusals;
  readonly resolve?: Resolve | undefined;
  readonly dial?: Dial | undefined;
  /** Fires when the proxy closes: nothing is waited for any more. */
  readonly signal: AbortSignal;
  /** Told of each connection, so that none outlives the proxy. */
  onSocket(socket: Socket): void;
}

/**
 * Decides on one target and opens the connection. The name is resolved once, after the name and the port were admitted,
 * and the connection goes to the very addresses that were checked: a second answer of the name server changes nothing.
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
        const giveUp = (): void =>
          reject(Object.assign(new Error('Not in time'), { code: 'ETIMEDOUT' }));
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

  /** An admitted localhost may be the loopback, but nothing else of this machine: its name is not to be trusted more. */
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
