/**
 * `claudewire-server`, loaded by the first call that needs it: its errors and checks are part of its contracts, and
 * whoever only keeps sessions need not install it.
 */
export async function serverEntry(): Promise<typeof import('claudewire-server')> {
  return await import('claudewire-server');
}

/** @throws HostError `invalid`. */
export async function checkTenant(tenant: string): Promise<void> {
  const { assertTenant } = await serverEntry();
  const check: (value: unknown) => void = assertTenant;
  check(tenant);
}
