import { HostError } from '../errors.js';

/**
 * Runs a write with the token of the lease that this host holds.
 * @throws HostError `conflict`: it holds none, or a store has seen a newer one.
 */
export type WithLease = <T>(write: (token?: number) => Promise<T>) => Promise<T>;

/** Of whoever needs no lease. */
export const withoutLease: WithLease = (write) => write();

/** For stores. @throws HostError `invalid`. */
export function assertLeaseToken(token: number | undefined): void {
  if (token === undefined || (Number.isSafeInteger(token) && token > 0)) return;
  const got = typeof token === 'number' ? String(token) : typeof token;
  throw new HostError('invalid', `The token of a lease must be a whole number above 0, got ${got}.`);
}

/** What a store answers a host whose lease has passed to another one. */
export function leasePassed(): HostError {
  return new HostError(
    'conflict',
    'Another host has had this conversation since. What this host knows is out of date.',
  );
}

/** Whether a write was refused because of its token. Writes with one have no other conflict. */
export function isLeasePassed(error: unknown): boolean {
  return error instanceof HostError && error.code === 'conflict';
}
