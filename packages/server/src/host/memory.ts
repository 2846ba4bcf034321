const MIB = 1024 * 1024;

/** What the machine has left, or the container that this process is in. In MiB. */
export function freeMemoryMb(): number {
  return process.availableMemory() / MIB;
}

/** Resident memory by pid, in MiB. Processes that are gone are left out. */
export async function memoryOf(pids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  // Loaded by hosts that have the limit.
  const { default: pidusage } = await import('pidusage');
  const found = await Promise.all(
    pids.map(async (pid) => {
      const usage = await pidusage(pid).catch(() => undefined);
      return usage === undefined ? [] : [[pid, usage.memory / MIB] as const];
    }),
  );
  // It remembers processes, for shares of processor time that nobody asks for here.
  pidusage.clear();
  return new Map(found.flat());
}

export interface MemoryWatchParams<T> {
  /** 0: nothing is watched. */
  readonly limitMb: number;
  readonly everyMs: number;
  /** The processes there are now, by pid. */
  readonly processes: () => ReadonlyMap<number, T>;
  readonly onOver: (owner: T) => void;
  readonly measure?: typeof memoryOf;
}

/** Looks at the memory of processes from time to time, until it is closed. */
export class MemoryWatch<T> {
  readonly #params: MemoryWatchParams<T>;
  readonly #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(params: MemoryWatchParams<T>) {
    this.#params = params;
    if (params.limitMb > 0) this.#timer = setInterval(() => void this.#look(), params.everyMs).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const { processes, measure = memoryOf, limitMb, onOver } = this.#params;
    const owners = processes();
    if (this.#isLooking || owners.size === 0) return;
    this.#isLooking = true;
    try {
      for (const [pid, mb] of await measure([...owners.keys()])) {
        const owner = owners.get(pid);
        // Another process may have the pid by now.
        if (mb > limitMb && owner !== undefined && processes().get(pid) === owner) onOver(owner);
      }
    } catch {
      // Looked at again soon.
    } finally {
      this.#isLooking = false;
    }
  }
}
