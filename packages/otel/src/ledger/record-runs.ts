import type { QueryContext } from 'claudewire';
import { listen } from '../listen.js';
import type { CostLedger } from './cost-ledger.js';
import type { LedgerRun } from './ledger-run.js';

export interface RecordRunsOptions {
  /** The tenant of a run. A label that it throws for is left out. */
  readonly tenantOf?: (query: QueryContext) => string | undefined;
}

/**
 * Writes every run of this program that starts from now on into a ledger, from the diagnostics channels.
 * @returns what stops it; runs that are open then are ended in the ledger.
 */
export function recordRuns(ledger: CostLedger, { tenantOf }: RecordRunsOptions = {}): () => void {
  const runs = new Map<QueryContext, LedgerRun>();
  // When the run begins its session may not be known, so its account is opened with its first figures.
  const runOf = (query: QueryContext): LedgerRun => {
    const known = runs.get(query);
    if (known !== undefined) return known;
    const run = ledger.run({ run: query.run, isResumed: query.isResumed, tenant: labelOf(query, tenantOf) });
    runs.set(query, run);
    return run;
  };
  const stop = listen({
    chat: {
      end: ({ query, messageId, model, agent, usage, sessionId }) => {
        const run = runOf(query);
        run.add({ session_id: sessionId });
        run.addAnswer({ messageId, model, toolUseId: agent?.toolUseId, usage });
      },
    },
    turn: { end: ({ query, result }) => result && runOf(query).addResult(result) },
    query: {
      end: (query) => {
        runs.get(query)?.end();
        runs.delete(query);
      },
    },
  });
  return () => {
    stop();
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
