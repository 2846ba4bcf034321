import { AsyncLocalStorage } from 'node:async_hooks';

const TENANT = new AsyncLocalStorage<string>();

/** Starts a process as one of this tenant. */
export async function asTenant<T>(tenant: string, start: () => Promise<T>): Promise<T> {
  return await TENANT.run(tenant, start);
}

/**
 * Whose process a host is starting now, for whoever is told of its runs: `recordRuns(ledger, { tenantOf: currentTenant })`
 * of claudewire-otel. `undefined` outside of that.
 */
export function currentTenant(): string | undefined {
  return TENANT.getStore();
}
