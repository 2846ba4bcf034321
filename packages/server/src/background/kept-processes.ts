/** How many processes may be kept only because something still runs in them. */
export class KeptProcesses {
  readonly #limit: number;
  readonly #perTenant: number;
  readonly #tenants = new Map<object, string>();

  constructor({
    backgroundProcesses,
    backgroundPerTenant,
  }: { backgroundProcesses: number; backgroundPerTenant: number }) {
    this.#limit = backgroundProcesses;
    this.#perTenant = backgroundPerTenant;
  }

  get count(): number {
    return this.#tenants.size;
  }

  has(owner: object): boolean {
    return this.#tenants.has(owner);
  }

  /** @returns whether it may stay. */
  keep(owner: object, tenant: string): boolean {
    if (this.#tenants.has(owner)) return true;
    const own = [...this.#tenants.values()].filter((each) => each === tenant).length;
    if (this.#tenants.size >= this.#limit || own >= this.#perTenant) return false;
    this.#tenants.set(owner, tenant);
    return true;
  }

  release(owner: object): void {
    this.#tenants.delete(owner);
  }
}
