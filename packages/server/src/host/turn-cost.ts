import type { SDKResultMessage } from 'claudewire';

/**
 * What turns cost. `total_cost_usd` of a result counts on over the whole session, earlier processes included. Newer
 * releases also say what came since the result before.
 */
export class TurnCost {
  /** Of the session, at the last result. `undefined`: not known, as when a process has just resumed it. */
  #total: number | undefined;
  #added: (number | undefined)[] = [];

  processStarted(isResumed: boolean): void {
    this.#total = isResumed ? undefined : 0;
    this.#added = [];
  }

  add(result: SDKResultMessage): void {
    const before = this.#total;
    this.#total = amountOf(result.total_cost_usd);
    this.#added.push(sumOf(result.model_usage_since_last_result) ?? difference(this.#total, before));
  }

  /** US dollars of the results since the last call. `undefined`: there were none, or one does not say it. */
  take(): number | undefined {
    const added = this.#added.splice(0);
    return added.length === 0 ? undefined : sum(added);
  }
}

/** A total that fell began anew, with another session: then all of it counts. */
function difference(total: number | undefined, before: number | undefined): number | undefined {
  if (total === undefined || before === undefined) return undefined;
  return total < before ? total : total - before;
}

function sumOf(models: SDKResultMessage['model_usage_since_last_result']): number | undefined {
  if (typeof models !== 'object' || models === null) return undefined;
  return sum(Object.values(models).map((row) => amountOf(row?.costUSD)));
}

function sum(parts: readonly (number | undefined)[]): number | undefined {
  return parts.reduce((all, part) => (all === undefined || part === undefined ? undefined : all + part), 0);
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : undefined;
}
