/** The entry point `claudewire-otel/ledger`: it does not need OpenTelemetry. */

export {
  CostLedger,
  type CostLedgerOptions,
  type LedgerRunLabels,
  type LedgerTotal,
  type TotalBy,
} from './cost-ledger.js';
export type { Difference, LedgerEntry, ModelPrice, PriceTable } from './entry.js';
export type { Answer, LedgerRun } from './ledger-run.js';
export { type RecordRunsOptions, recordRuns } from './record-runs.js';
export type { TokenCounts } from './usage.js';
