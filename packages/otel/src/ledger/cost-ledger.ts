import { InvalidOptionError } from 'claudewire';
import { aBoolean, checkOptionsOf, oneOf, type Rule } from '../check.js';
import { toCsv } from './csv.js';
import type { LedgerEntry, PriceTable } from './entry.js';
import { LedgerRun } from './ledger-run.js';
import { type FiguresByModel, isObject, NO_TOKENS, sum, type TokenCounts } from './usage.js';

export interface CostLedgerOptions {
  /**
   * US dollars for a million tokens, by the model's name as the CLI says it. Prices change, so there is no default.
   * @defaultValue {}
   */
  readonly prices?: PriceTable;
}

export interface LedgerRunLabels {
  readonly tenant?: string | undefined;
  /** @defaultValue a counted one */
  readonly run?: string | undefined;
  /**
   * The run resumes or continues a session. The totals that the CLI reports then begin with those of earlier runs.
   * @defaultValue false
   */
  readonly isResumed?: boolean | undefined;
}

export interface LedgerTotal {
  readonly tokens: TokenCounts;
  /** US dollars. Without what nobody knows: see {@link isComplete}. */
  readonly reportedUsd: number;
  /** US dollars of the entries whose model has a price; `undefined` when none has. */
  readonly computedUsd: number | undefined;
  /** Of `reportedUsd`. False when an entry has no reported cost, such as a turn whose process was killed. */
  readonly isComplete: boolean;
}

export type TotalBy = 'tenant' | 'session' | 'run' | 'model' | 'subagent';

const aText: Rule = ['a string', (value) => typeof value === 'string'];
const OPTIONS: Record<keyof CostLedgerOptions, Rule> = { prices: ['an object of prices by model', isObject] };
const LABELS: Record<keyof LedgerRunLabels, Rule> = { tenant: aText, run: aText, isResumed: aBoolean };
const [GROUPS, isGroup] = oneOf('tenant', 'session', 'run', 'model', 'subagent');

/** What runs cost, by turn, model, sub-agent, session and tenant. Keeps one small entry for each in memory. */
export class CostLedger {
  readonly #prices: PriceTable;
  readonly #entries: LedgerEntry[] = [];
  readonly #tables = new Map<string, FiguresByModel>();
  #runs = 0;

  /** @throws InvalidOptionError an option is unknown, or a price is not a number of at least 0. */
  constructor(options: CostLedgerOptions = {}) {
    checkOptionsOf('new CostLedger()', options, OPTIONS);
    const { prices = {} } = options;
    checkPrices(prices);
    this.#prices = prices;
  }

  /**
   * The account of one run.
   * @throws InvalidOptionError a label is unknown or of a wrong type.
   */
  run(labels: LedgerRunLabels = {}): LedgerRun {
    checkOptionsOf('CostLedger.run()', labels, LABELS);
    const { tenant, run, isResumed = false } = labels;
    this.#runs += 1;
    return new LedgerRun({
      run: run ?? `run-${this.#runs}`,
      tenant,
      isResumed,
      prices: this.#prices,
      tableOf: (sessionId) => (sessionId === undefined ? undefined : this.#tables.get(sessionId)),
      onTable: (sessionId, table) => {
        if (sessionId !== undefined) this.#tables.set(sessionId, table);
      },
      onEntry: (entry) => this.#entries.push(entry),
    });
  }

  /** In the order in which turns ended. */
  get entries(): readonly LedgerEntry[] {
    return this.#entries;
  }

  /**
   * Sums. Those by sub-agent are of their part alone; in all others each token counts once. Entries without a tenant or
   * a session are below the key `''`.
   * @throws InvalidOptionError it cannot add up by that.
   */
  totals(by: TotalBy): ReadonlyMap<string, LedgerTotal> {
    if (!isGroup(by)) {
      throw new InvalidOptionError('by', `Argument \`by\` of CostLedger.totals() must be ${GROUPS}, got ${named(by)}.`);
    }
    const totals = new Map<string, LedgerTotal>();
    for (const entry of this.#entries) {
      if ((entry.kind === 'subagent') !== (by === 'subagent')) continue;
      const key = keyOf(entry, by);
      totals.set(key, added(totals.get(key), entry));
    }
    return totals;
  }

  toJSON(): { readonly entries: readonly LedgerEntry[] } {
    return { entries: this.#entries };
  }

  /** RFC 4180, safe to open in a spreadsheet. */
  toCsv(): string {
    return toCsv(this.#entries);
  }
}

function keyOf({ tenant, sessionId, run, model, toolUseId }: LedgerEntry, by: TotalBy): string {
  switch (by) {
    case 'tenant':
      return tenant ?? '';
    case 'session':
      return sessionId ?? '';
    case 'run':
      return run;
    case 'model':
      return model;
    case 'subagent':
      return toolUseId ?? '';
  }
}

function added(before: LedgerTotal | undefined, { tokens, reportedUsd, computedUsd }: LedgerEntry): LedgerTotal {
  return {
    tokens: sum(before?.tokens ?? NO_TOKENS, tokens),
    reportedUsd: (before?.reportedUsd ?? 0) + (reportedUsd ?? 0),
    computedUsd: computedUsd === undefined ? before?.computedUsd : (before?.computedUsd ?? 0) + computedUsd,
    isComplete: (before?.isComplete ?? true) && reportedUsd !== undefined,
  };
}

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** What plain JavaScript passed. */
function named(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value === null ? null : typeof value);
}

function checkPrices(prices: PriceTable): void {
  for (const [model, price] of Object.entries<unknown>(prices)) {
    if (!isObject(price)) throw bad(`prices[${JSON.stringify(model)}]`, price);
    for (const kind of KINDS) {
      const value = price[kind];
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) continue;
      throw bad(`prices[${JSON.stringify(model)}].${kind}`, value);
    }
  }
}

function bad(path: string, value: unknown): InvalidOptionError {
  const got = value === null ? 'null' : typeof value;
  const shape = '{ input, output, cacheRead, cacheWrite } in US dollars for a million tokens, each at least 0';
  return new InvalidOptionError(path, `Option \`${path}\`: a price is ${shape}, got ${got}.`);
}
