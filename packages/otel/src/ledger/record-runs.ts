import { InvalidOptionError, type QueryContext } from 'claudewire';
import { listen } from '../listen.js';
import type { CostLedger } from './cost-ledger.js';
import type { LedgerRun } from './ledger-run.js';

export interface RecordRunsOptions {
  /** The tenant of a run. A label that it throws for is left out. */
  readonly tenantOf?: (query: QueryContext) => string | undefined;
}

/** Ledgers that runs are written into: a second time would write every entry twice. */
const RECORDING = new WeakSet<CostLedger>();

/**
 * Writes every run of this program that starts from now on into a ledger, from the diagnostics channels.
 * @returns what stops it; runs that are open then are ended in the ledger.
 * @throws InvalidOptionError runs are written into this ledger already.
 */
export function recordRuns(ledger: CostLedger, { tenantOf }: RecordRunsOptions = {}): () => void {
  if (RECORDING.has(ledger)) {
    throw new InvalidOptionError('ledger', 'Runs are written into this ledger already. Stop that first.');
  }
  RECORDING.add(ledger);
  /** Runs whose start was seen, with their tenants. Of another one nobody knows what it had used before. */
  const begun = new WeakMap<QueryContext, string | undefined>();
  const runs = new Map<QueryContext, LedgerRun>();
  // When the run begins its session may not be known, so its account is opened with its first figures.
  const runOf = (query: QueryContext): LedgerRun | undefined => {
    const known = runs.get(query);
    if (known !== undefined || !begun.has(query)) return known;
    const run = ledger.run({
      run: query.run,
      isResumed: query.isResumed,
      tenant: begun.get(query) ?? labelOf(query, tenantOf),
    });
    runs.set(query, run);
    return run;
  };
  const stop = listen({
    chat: {
      end: ({ query, messageId, model, agent, usage, sessionId }) => {
        const run = runOf(query);
        run?.add({ session_id: sessionId });
        run?.addAnswer({ messageId, model, toolUseId: agent?.toolUseId, usage });
      },
    },
    turn: { end: ({ query, result }) => result && runOf(query)?.addResult(result) },
    query: {
      // Inside the call that starts the run: later the request of an AsyncLocalStorage is gone.
      start: (query) => begun.set(query, labelOf(query, tenantOf)),
      end: (query) => {
        runs.get(query)?.end();
        runs.delete(query);
      },
    },
  });
  return () => {
    stop();
    RECORDING.delete(ledger);
    for (const run of runs.values()) run.end();
    runs.clear();
  };
}

function labelOf(query: QueryContext, tenantOf: RecordRunsOptions['tenantOf']): string | undefined {
  try {
    const label: unknown = tenantOf?.(query);
    return typeof label === 'string' ? label : undefined;
  } catch {
    return undefined;
  }
}
