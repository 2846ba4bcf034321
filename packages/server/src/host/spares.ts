import type { SessionStore } from 'claudewire';
import { Agent } from './agent.js';
import type { ProcessPool, Slot } from './process-pool.js';
import type { TenantHomes } from './tenant-options.js';

interface Spare {
  readonly tenant: string;
  readonly agent: Agent;
  readonly timer: NodeJS.Timeout;
}

interface StartingSpare {
  readonly tenant: string;
  /** Settles when it is ready, or its process is gone. */
  readonly settled: Promise<void>;
  readonly abort: AbortController;
}

export interface SparesParams {
  readonly perTenant: number;
  readonly idleMs: number;
  readonly pool: ProcessPool;
  readonly homes: TenantHomes;
  readonly sessionStore: SessionStore;
  readonly isGuarded: boolean;
}

/** Processes that were started ahead, each for one tenant. They take free slots only, and give way to everybody. */
export class Spares {
  readonly #params: SparesParams;
  readonly #spares: Spare[] = [];
  readonly #starting = new Set<StartingSpare>();
  #isClosed = false;

  constructor(params: SparesParams) {
    this.#params = params;
  }

  /** Those that are ready. */
  get count(): number {
    return this.#spares.length;
  }

  /** One that lives: it may have been killed while it waited. */
  take(tenant: string): Agent | undefined {
    for (;;) {
      const spare = this.#spares.find((each) => each.tenant === tenant);
      if (spare === undefined) return undefined;
      const agent = this.#remove(spare);
      if (agent.isAlive) return agent;
      void agent.stop();
    }
  }

  /** Starts what a tenant lacks. A failure is left to the message that will need a process. */
  refill(tenant: string): void {
    const { perTenant, pool } = this.#params;
    const owned = [...this.#spares, ...this.#starting].filter((each) => each.tenant === tenant);
    for (let count = owned.length; count < perTenant; count += 1) {
      const slot = this.#isClosed ? undefined : pool.tryAcquire(tenant);
      if (slot === undefined) return;
      const abort = new AbortController();
      const starting: StartingSpare = { tenant, abort, settled: this.#start(tenant, slot, abort.signal) };
      this.#starting.add(starting);
      void starting.settled.finally(() => this.#starting.delete(starting));
    }
  }

  /** Stops the oldest, or one that still starts. @param tenant - Of this one, if given. */
  evict(tenant?: string): Promise<void> | undefined {
    const isFitting = (each: { readonly tenant: string }): boolean => tenant === undefined || each.tenant === tenant;
    const oldest = this.#spares.find(isFitting);
    if (oldest !== undefined) return this.#remove(oldest).stop();
    const starting = [...this.#starting].find((each) => isFitting(each) && !each.abort.signal.aborted);
    starting?.abort.abort();
    return starting?.settled;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { abort } of this.#starting) abort.abort();
    await Promise.all([...this.#starting].map(({ settled }) => settled));
    await Promise.all([...this.#spares].map((spare) => this.#remove(spare).stop()));
  }

  async #start(tenant: string, slot: Slot, signal: AbortSignal): Promise<void> {
    const { homes, sessionStore, isGuarded } = this.#params;
    try {
      const options = await homes.optionsOf(tenant);
      const agent = await Agent.start({ tenant, options, sessionStore, slot, isGuarded, signal });
      if (signal.aborted) await agent.stop();
      else this.#add(tenant, agent);
    } catch {
      slot.release();
    }
  }

  #add(tenant: string, agent: Agent): void {
    const timer = setTimeout(() => void this.#remove(spare).stop(), this.#params.idleMs);
    const spare: Spare = { tenant, agent, timer };
    this.#spares.push(spare);
    this.#params.pool.makeRoom();
  }

  #remove(spare: Spare): Agent {
    clearTimeout(spare.timer);
    this.#spares.splice(this.#spares.indexOf(spare), 1);
    return spare.agent;
  }
}
