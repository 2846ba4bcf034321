import { HostError } from '../errors.js';
import { freeMemoryMb as freeMemory } from './memory.js';

/** The right to have one process. Given back when the process is gone. */
export interface Slot {
  release(): void;
}

interface Waiter {
  readonly tenant: string;
  /** A process is ending for it. It does not count as waiting in the queue. */
  isMadeRoomFor: boolean;
  grant(slot: Slot): void;
  fail(error: HostError): void;
}

export interface PoolParams {
  readonly processes: number;
  readonly processesPerTenant: number;
  readonly queue: number;
  readonly queueMs: number;
  /** In MiB. 0: no limit. */
  readonly freeMemoryMb: number;
  /** @defaultValue what the machine has left */
  readonly measureFree?: () => number;
  /**
   * Stops a process that nobody needs now, and resolves when it is gone. `undefined`: there is none.
   * @param tenant - Of this one, if given.
   */
  readonly evict: (tenant?: string) => Promise<void> | undefined;
}

/**
 * Bounds the processes of a host and of each tenant: who gets none waits, in order, for a bounded time. One who waits
 * for a process of its own tenant holds up nobody else.
 */
export class ProcessPool {
  readonly #params: PoolParams;
  readonly #waiters: Waiter[] = [];
  readonly #usedBy = new Map<string, number>();
  #used = 0;
  #closedBy: HostError | undefined;

  constructor(params: PoolParams) {
    this.#params = params;
  }

  get used(): number {
    return this.#used;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** A slot only if there is one to spare. */
  tryAcquire(tenant: string): Slot | undefined {
    const isWanted = this.#waiters.some((waiter) => this.#hasRoom(waiter.tenant));
    return this.#closedBy === undefined && !isWanted && this.#hasRoom(tenant) ? this.#slot(tenant) : undefined;
  }

  /** @throws HostError `busy`: the queue is full, or the wait was too long. `draining`. */
  async acquire(tenant: string): Promise<Slot> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const free = this.tryAcquire(tenant);
    if (free !== undefined) return free;
    const { queue, queueMs } = this.#params;
    const slot = new Promise<Slot>((resolve, reject) => {
      const waiter: Waiter = {
        tenant,
        isMadeRoomFor: false,
        grant: (granted) => {
          clearTimeout(timer);
          resolve(granted);
        },
        fail: (error) => {
          clearTimeout(timer);
          this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
          reject(error);
        },
      };
      const timer = setTimeout(() => waiter.fail(this.#busy(tenant)), queueMs);
      this.#waiters.push(waiter);
      this.makeRoom();
      const queued = this.#waiters.filter(({ isMadeRoomFor }) => !isMadeRoomFor);
      if (queued.length > queue && this.#waiters.includes(waiter)) waiter.fail(this.#busy(tenant));
    });
    return await slot;
  }

  /** Evicts for those who wait. To be called when a process has become idle. */
  makeRoom(): void {
    for (const waiter of this.#waiters.filter(({ isMadeRoomFor }) => !isMadeRoomFor)) {
      const gone = this.#params.evict(this.#isAtLimit(waiter.tenant) ? waiter.tenant : undefined);
      if (gone === undefined) continue;
      waiter.isMadeRoomFor = true;
      void gone.finally(() => {
        waiter.isMadeRoomFor = false;
        this.makeRoom();
      });
    }
  }

  /** Refuses everybody who waits, and whoever comes. */
  close(error: HostError): void {
    this.#closedBy = error;
    for (const waiter of [...this.#waiters]) waiter.fail(error);
  }

  #hasRoom(tenant: string): boolean {
    return this.#used < this.#params.processes && !this.#isAtLimit(tenant) && this.#hasMemory();
  }

  /** One process may always run, or nothing would ever change. */
  #hasMemory(): boolean {
    const { freeMemoryMb, measureFree = freeMemory } = this.#params;
    return freeMemoryMb === 0 || this.#used === 0 || measureFree() >= freeMemoryMb;
  }

  #isAtLimit(tenant: string): boolean {
    return (this.#usedBy.get(tenant) ?? 0) >= this.#params.processesPerTenant;
  }

  #slot(tenant: string): Slot {
    this.#count(tenant, 1);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#count(tenant, -1);
        const next = this.#waiters.findIndex((waiter) => this.#hasRoom(waiter.tenant));
        const [waiter] = next < 0 ? [] : this.#waiters.splice(next, 1);
        waiter?.grant(this.#slot(waiter.tenant));
      },
    };
  }

  #count(tenant: string, change: number): void {
    this.#used += change;
    const used = (this.#usedBy.get(tenant) ?? 0) + change;
    if (used === 0) this.#usedBy.delete(tenant);
    else this.#usedBy.set(tenant, used);
  }

  #busy(tenant: string): HostError {
    const { processes, processesPerTenant, queueMs, freeMemoryMb } = this.#params;
    const message = !this.#hasMemory()
      ? `The machine has less than ${freeMemoryMb} MiB of memory left. Try again later, or lower \`limits.freeMemoryMb\`.`
      : this.#isAtLimit(tenant)
        ? `All ${processesPerTenant} processes of this tenant are at work. Try again later, or raise \`limits.processesPerTenant\`.`
        : `All ${processes} processes are at work. Try again later, or raise \`limits.processes\`.`;
    return new HostError('busy', message, { retryAfterMs: Math.max(1_000, queueMs) });
  }
}
