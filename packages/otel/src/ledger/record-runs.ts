import { InvalidOptionError, type QueryContext } from 'claudewire';
import { aFunction, check, checkOptionsOf, type Rule, withMethod } from '../check.js';
import { listen } from '../listen.js';
import type { CostLedger } from './cost-ledger.js';
import type { LedgerRun } from './ledger-run.js';

export interface RecordRunsOptions {
  /**
   * The tenant of a run; `undefined`: none, or not known yet, then it is asked once more with the first figures. When it
   * throws, or gives anything but a string, the run has no tenant, and a process warning says so once.
   */
  readonly tenantOf?: (query: QueryContext) => string | undefined;
}

const LEDGER = withMethod('a CostLedger: an object', 'run');
const OPTIONS: Record<keyof RecordRunsOptions, Rule> = { tenantOf: aFunction };

/** Ledgers that runs are written into: a second time would write every entry twice. */
const RECORDING = new WeakSet<CostLedger>();

/**
 * Writes every run of this program that starts from now on into a ledger, from the diagnostics channels.
 * @returns what stops it; runs that are open then are ended in the ledger.
 * @throws InvalidOptionError runs are written into this ledger already, it is none, or an option is unknown or of a
 * wrong type.
 */
export function recordRuns(ledger: CostLedger, options: RecordRunsOptions = {}): () => void {
  check('recordRuns()', 'ledger', ledger, LEDGER);
  checkOptionsOf('recordRuns()', options, OPTIONS);
  if (RECORDING.has(ledger)) {
    throw new InvalidOptionError('ledger', 'Runs are written into this ledger already. Stop that first.');
  }
  RECORDING.add(ledger);
  const labelOf = labeller(options.tenantOf);
  /** Runs whose start was seen, with their tenants. Of another one nobody knows what it had used before. */
  const begun = new WeakMap<QueryContext, string | undefined>();
  const runs = new Map<QueryContext, LedgerRun>();
  // When the run begins its session may not be known, so its account is opened with its first figures.
  const runOf = (query: QueryContext): LedgerRun | undefined => {
    const known = runs.get(query);
    if (known !== undefined || !begun.has(query)) return known;
    const run = ledger.run({ run: query.run, isResumed: query.isResumed, tenant: begun.get(query) ?? labelOf(query) });
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
    agent: {
      start: ({ query, toolUseId }) => runOf(query)?.beginSubagent(toolUseId),
      end: ({ query, toolUseId, isUsageFinal }) => runOf(query)?.endSubagent(toolUseId, isUsageFinal),
    },
    turn: { end: ({ query, result }) => result && runOf(query)?.addResult(result) },
    query: {
      // Inside the call that starts the run: later the request of an AsyncLocalStorage is gone.
      start: (query) => begun.set(query, labelOf(query)),
      end: (query) => {
        // A turn that was cut before its first answer may be known from the CLI's account alone.
        const run = query.finalModelUsage === undefined ? runs.get(query) : runOf(query);
        run?.add({ session_id: query.sessionId });
        run?.end(query.finalModelUsage);
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

/** Asks for tenants. Nothing that `tenantOf` does breaks a run. */
function labeller(tenantOf: RecordRunsOptions['tenantOf']): (query: QueryContext) => string | undefined {
  let hasWarned = false;
  const warn = (what: string): undefined => {
    if (hasWarned) return;
    hasWarned = true;
    const fix = 'It must return a string or undefined, at once. Such runs are in the ledger without a tenant.';
    process.emitWarning(`\`tenantOf\` of recordRuns() ${what}. ${fix}`, { code: 'CLAUDE_SDK_LEDGER_TENANT' });
  };
  return (query) => {
    try {
      const label: unknown = tenantOf?.(query);
      if (label === undefined || typeof label === 'string') return label;
      // Its rejection must not end the program.
      if (label instanceof Promise) label.catch(() => {});
      return warn(`returned ${label instanceof Promise ? 'a promise' : label === null ? 'null' : `a ${typeof label}`}`);
    } catch (error) {
      return warn(`threw ${error instanceof Error ? `${error.name}: ${error.message}` : `a ${typeof error}`}`);
    }
  };
}
