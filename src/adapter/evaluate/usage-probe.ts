import type { RuntimeQuery } from '../runtime/agent-runtime.js';

/** Asks the CLI what its session used: one question at a time, however often somebody wants to know. */
export class UsageProbe {
  readonly #query: Pick<RuntimeQuery, 'getUsage'>;
  readonly #onTable: (table: unknown) => void;
  #running: Promise<void> | undefined;
  #isWanted = false;
  /** The CLI cannot say, or did not answer: it is not asked again. */
  #isSilent: boolean;

  constructor(query: Pick<RuntimeQuery, 'getUsage'>, onTable: (table: unknown) => void) {
    this.#query = query;
    this.#onTable = onTable;
    this.#isSilent = query.getUsage === undefined;
  }

  /** Resolves when an answer that was asked for after this call was counted, or none will come. Never rejects. */
  ask(): Promise<void> {
    this.#isWanted = true;
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#isSilent) {
      this.#isWanted = false;
      try {
        const table = await this.#query.getUsage?.();
        if (table === undefined) this.#isSilent = true;
        else this.#onTable(table);
      } catch {
        this.#isSilent = true;
      }
    }
    this.#running = undefined;
  }
}
