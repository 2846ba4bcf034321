import { HostError } from '../errors.js';
import { FairQueue } from './fair-queue.js';
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
  readonly queuedPerTenant: number;
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
 * Bounds the processes of a host and of each tenant: who gets none waits for a bounded time. Tenants are served by turns,
 * and one who waits for a process of its own tenant holds up nobody else. Where too many wait, the tenant with the most
 * loses its newest.
 */
export class ProcessPool {
  readonly #params: PoolParams;
  readonly #waiters = new FairQueue<Waiter>();
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
    return this.#waiters.size;
  }

  /** A slot only if there is one to spare. */
  tryAcquire(tenant: string): Slot | undefined {
    const isWanted = this.#waiters.tenants.some((each) => this.#hasRoom(each));
    return this.#closedBy === undefined && !isWanted && this.#hasRoom(tenant) ? this.#slot(tenant) : undefined;
  }

  /**
   * @param signal - Ends the wait with its reason.
   * @throws HostError `busy`: the queue is full, or the wait was too long. `draining`.
   */
  async acquire(tenant: string, signal?: AbortSignal): Promise<Slot> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    signal?.throwIfAborted();
    const free = this.tryAcquire(tenant);
    if (free !== undefined) return free;
    const slot = new Promise<Slot>((resolve, reject) => {
      const stop = (): void => waiter.fail(signal?.reason);
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        this.#waiters.remove(waiter);
      };
      const waiter: Waiter = {
        tenant,
        isMadeRoomFor: false,
        grant: (granted) => {
          settle();
          resolve(granted);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiter.fail(this.#busy(tenant)), this.#params.queueMs);
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiters.add(waiter);
      this.makeRoom();
      if (this.#waiters.has(waiter)) this.#refuseExcess(waiter);
    });
    return await slot;
  }

  /** Whoever a process is ending for has its place already. */
  #refuseExcess(newcomer: Waiter): void {
    const { queue, queuedPerTenant } = this.#params;
    const isQueued = ({ isMadeRoomFor }: Waiter): boolean => !isMadeRoomFor;
    const { tenant } = newcomer;
    if (isQueued(newcomer) && this.#waiters.count(isQueued, tenant) > queuedPerTenant) {
      newcomer.fail(this.#busy(tenant, 'queuedPerTenant'));
    } else if (this.#waiters.count(isQueued) > queue) {
      const excess = this.#waiters.excess(isQueued, newcomer);
      excess.fail(this.#busy(excess.tenant, 'queue'));
    }
  }

  /** Serves those who wait, or evicts for them. To be called when a process has become idle. */
  makeRoom(): void {
    this.#serve();
    /** Tenants that have nothing to evict. It is looked for once, however many wait. */
    const without = new Set<string>();
    for (const waiter of this.#waiters.inOrder()) {
      if (waiter.isMadeRoomFor || without.has(waiter.tenant)) continue;
      const isAtLimit = this.#isAtLimit(waiter.tenant);
      const gone = this.#params.evict(isAtLimit ? waiter.tenant : undefined);
      if (gone === undefined) {
        // Nobody has anything.
        if (!isAtLimit) return;
        without.add(waiter.tenant);
        continue;
      }
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
    for (const waiter of [...this.#waiters.inOrder()]) waiter.fail(error);
  }

  /** Where memory was short, there may be room for several at once, or without a process that has ended. */
  #serve(): void {
    for (;;) {
      const waiter = this.#waiters.take((tenant) => this.#hasRoom(tenant));
      if (waiter === undefined) return;
      waiter.grant(this.#slot(waiter.tenant));
    }
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
        this.#serve();
      },
    };
  }

  #count(tenant: string, change: number): void {
    this.#used += change;
    const used = (this.#usedBy.get(tenant) ?? 0) + change;
    if (used === 0) this.#usedBy.delete(tenant);
    else this.#usedBy.set(tenant, used);
  }

  /** @param full - The place in the queue that there is not. Absent: the wait was too long. */
  #busy(tenant: string, full?: 'queue' | 'queuedPerTenant'): HostError {
    const { queue, queuedPerTenant, queueMs } = this.#params;
    const retryAfterMs = Math.max(1_000, queueMs);
    const again = `Try again in ${Math.ceil(retryAfterMs / 1_000)} s`;
    if (full === 'queuedPerTenant') {
      const message = `${queuedPerTenant} messages of this tenant wait for a process. ${again}, or raise \`limits.${full}\`.`;
      const forClients = `${queuedPerTenant} of your messages wait already, and this one was not sent. ${again}.`;
      return new HostError('busy', message, { retryAfterMs, forClients });
    }
    const { why, advice } = this.#shortage(tenant);
    const message =
      full === 'queue'
        ? `The queue is full: ${queue} messages wait for a process. ${why} ${again}, raise \`limits.queue\`, or ${advice}.`
        : `No process was free within ${queueMs} ms. ${why} ${again}, or ${advice}.`;
    const forClients = `The server is busy, and this was not sent. ${again}.`;
    return new HostError('busy', message, { retryAfterMs, forClients });
  }

  /** What keeps a tenant from a process, and which limit helps. */
  #shortage(tenant: string): { readonly why: string; readonly advice: string } {
    const { processes, processesPerTenant, freeMemoryMb } = this.#params;
    if (!this.#hasMemory()) {
      const why = `The machine has less than ${freeMemoryMb} MiB of memory left.`;
      return { why, advice: 'lower `limits.freeMemoryMb`' };
    }
    // Where a tenant may have all of the host's processes, more for the tenant changes nothing.
    if (processesPerTenant < processes && this.#isAtLimit(tenant)) {
      const why = `All ${processesPerTenant} processes of this tenant are at work.`;
      const also = this.#used < processes ? '' : ' and `limits.processes`';
      return { why, advice: `raise \`limits.processesPerTenant\`${also}` };
    }
    return { why: `All ${processes} processes are at work.`, advice: 'raise `limits.processes`' };
  }
}
