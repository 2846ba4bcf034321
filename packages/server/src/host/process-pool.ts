import { HostError } from '../errors.js';

/** The right to have one process. Given back when the process is gone. */
export interface Slot {
  release(): void;
}

interface Waiter {
  grant(slot: Slot): void;
  fail(error: HostError): void;
}

export interface PoolParams {
  readonly processes: number;
  readonly queue: number;
  readonly queueMs: number;
  /** Stops a process that nobody needs now, and resolves when it is gone. `undefined`: there is none. */
  readonly evict: () => Promise<void> | undefined;
}

/** Bounds the processes of a host: who gets none waits, in order, for a bounded time. */
export class ProcessPool {
  readonly #params: PoolParams;
  readonly #waiters: Waiter[] = [];
  #used = 0;
  #evicting = 0;
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
  tryAcquire(): Slot | undefined {
    if (this.#closedBy !== undefined || this.#used >= this.#params.processes || this.waiting > 0) return undefined;
    return this.#slot();
  }

  /** @throws HostError `busy`: the queue is full, or the wait was too long. `draining`. */
  async acquire(): Promise<Slot> {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    const free = this.tryAcquire();
    if (free !== undefined) return free;
    const { queue, queueMs } = this.#params;
    const slot = new Promise<Slot>((resolve, reject) => {
      const waiter: Waiter = {
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
      const timer = setTimeout(() => waiter.fail(this.#busy()), queueMs);
      this.#waiters.push(waiter);
      this.makeRoom();
      // One for whom room is being made does not count as waiting in the queue.
      if (this.waiting - this.#evicting > queue) waiter.fail(this.#busy());
    });
    return await slot;
  }

  /** Evicts for those who wait. To be called when a process has become idle. */
  makeRoom(): void {
    while (this.waiting > this.#evicting) {
      const gone = this.#params.evict();
      if (gone === undefined) return;
      this.#evicting += 1;
      void gone.finally(() => {
        this.#evicting -= 1;
        this.makeRoom();
      });
    }
  }

  /** Refuses everybody who waits, and whoever comes. */
  close(error: HostError): void {
    this.#closedBy = error;
    for (const waiter of [...this.#waiters]) waiter.fail(error);
  }

  #slot(): Slot {
    this.#used += 1;
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#used -= 1;
        const next = this.#waiters.shift();
        if (next !== undefined) next.grant(this.#slot());
      },
    };
  }

  #busy(): HostError {
    const { processes, queueMs } = this.#params;
    const message = `All ${processes} processes are at work. Try again later, or raise \`limits.processes\`.`;
    return new HostError('busy', message, { retryAfterMs: Math.max(1_000, queueMs) });
  }
}
