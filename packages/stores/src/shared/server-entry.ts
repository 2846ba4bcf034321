import type { ListOptions } from 'claudewire-server';
import { StoreError } from '../errors.js';

/**
 * `claudewire-server`, loaded by the first call that needs it: its errors and checks are part of its contracts, and
 * whoever only keeps sessions need not install it.
 * @throws StoreError `not_ready`: it is not installed.
 */
export async function serverEntry(): Promise<typeof import('claudewire-server')> {
  // Inside of `try` a bundler leaves a package that is not installed as it is.
  try {
    return await import('claudewire-server');
  } catch (cause) {
    throw new StoreError(
      'not_ready',
      'Event logs, conversations, approvals and wake-ups need the package `claudewire-server`.',
      { cause, hint: 'Install it beside `claudewire-stores`.' },
    );
  }
}

/** @throws HostError `invalid`. */
export async function checkTenant(tenant: string): Promise<void> {
  const { assertTenant } = await serverEntry();
  const check: (value: unknown) => void = assertTenant;
  check(tenant);
}

/** @throws HostError `invalid`. */
export async function checkList(tenant: string, options: ListOptions): Promise<void> {
  const { assertListOptions } = await serverEntry();
  const check: (tenant: unknown, options: unknown) => void = assertListOptions;
  check(tenant, options);
}
