import type { SessionStore } from 'claudewire';
import { Agent } from './agent.js';
import type { ProcessPool } from './process-pool.js';
import type { TenantHomes } from './tenant-options.js';

interface Spare {
  readonly tenant: string;
  readonly agent: Agent;
  readonly timer: NodeJS.Timeout;
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
  readonly #starting = new Map<Promise<void>, string>();
  readonly #closing = new AbortController();

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
    const owned = [...this.#spares.map((spare) => spare.tenant), ...this.#starting.values()];
    for (let count = owned.filter((owner) => owner === tenant).length; count < perTenant; count += 1) {
      const slot = this.#closing.signal.aborted ? undefined : pool.tryAcquire(tenant);
      if (slot === undefined) return;
      const start = async (): Promise<void> => {
        const { homes, sessionStore, isGuarded } = this.#params;
        try {
          const options = await homes.optionsOf(tenant);
          this.#add(
            tenant,
            await Agent.start({ options, sessionStore, slot, isGuarded, signal: this.#closing.signal }),
          );
        } catch {
          slot.release();
        }
      };
      const starting = start();
      this.#starting.set(starting, tenant);
      void starting.finally(() => this.#starting.delete(starting));
    }
  }

  /** Stops the oldest. @param tenant - Of this one, if given. */
  evict(tenant?: string): Promise<void> | undefined {
    const oldest = this.#spares.find((spare) => tenant === undefined || spare.tenant === tenant);
    return oldest && this.#remove(oldest).stop();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#starting.keys());
    await Promise.all([...this.#spares].map((spare) => this.#remove(spare).stop()));
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
