import { computedCost, type LedgerEntry, nameDifference, type PriceTable } from './entry.js';
import { TurnUsage } from './turn-usage.js';
import { countsOfUsage, type FiguresByModel, isObject, largest, sum, type TokenCounts } from './usage.js';

/** One answer of the model in the turn that runs. */
export interface Answer {
  readonly messageId: string;
  readonly model: string | undefined;
  /** The `Agent` call of the sub-agent that it is from. */
  readonly toolUseId: string | undefined;
  readonly usage: unknown;
}

interface Counted {
  readonly model: string;
  readonly toolUseId: string | undefined;
  readonly tokens: TokenCounts;
}

export interface LedgerRunOptions {
  readonly run: string;
  readonly tenant: string | undefined;
  readonly isResumed: boolean;
  readonly prices: PriceTable;
  /** The table of a session as this ledger saw it last. */
  readonly tableOf: (sessionId: string | undefined) => FiguresByModel | undefined;
  readonly onTable: (sessionId: string | undefined, table: FiguresByModel) => void;
  readonly onEntry: (entry: LedgerEntry) => void;
}

/** Model of an answer that does not name it. */
const UNKNOWN = '(unknown)';

/** Writes one run into the ledger: give it each message, then {@link end}. Never throws for a message of any shape. */
export class LedgerRun {
  readonly #options: LedgerRunOptions;
  readonly #answers = new Map<string, Counted>();
  readonly #settled = new Set<string>();
  #usage: TurnUsage | undefined;
  #turn = 1;
  #sessionId: string | undefined;
  /** The answer that streams now, of each sub-agent and of the run itself. */
  readonly #streamed = new Map<string | undefined, Answer>();
  #hasEnded = false;

  /** @internal Made by {@link CostLedger.run}. */
  constructor(options: LedgerRunOptions) {
    this.#options = options;
  }

  /** Takes a message of the run; others than answers and results are ignored. */
  add(message: unknown): void {
    if (!isObject(message)) return;
    if (typeof message.session_id === 'string') this.#sessionId ??= message.session_id;
    const toolUseId = typeof message.parent_tool_use_id === 'string' ? message.parent_tool_use_id : undefined;
    if (message.type === 'result') this.addResult(message);
    else if (message.type === 'assistant' && isObject(message.message)) {
      this.addAnswer(answerOf(message.message, toolUseId));
    } else if (message.type === 'stream_event' && isObject(message.event)) {
      const { event } = message;
      if (event.type === 'message_start' && isObject(event.message)) {
        this.#streamed.set(toolUseId, answerOf(event.message, toolUseId));
      } else if (event.type === 'message_delta') {
        const streamed = this.#streamed.get(toolUseId);
        if (streamed !== undefined) this.addAnswer({ ...streamed, usage: event.usage });
      }
    }
  }

  /** Counts an answer once, however often it is told: the largest figures count. */
  addAnswer({ messageId, model = UNKNOWN, toolUseId, usage }: Answer): void {
    const tokens = countsOfUsage(usage);
    // Claude Code's own words about a failed call have a model `<synthetic>` and no tokens.
    if (tokens === undefined || Object.values(tokens).every((count) => count === 0)) return;
    if (this.#hasEnded || messageId === '' || this.#settled.has(messageId)) return;
    const counted = this.#answers.get(messageId);
    this.#answers.set(messageId, {
      model: counted?.model ?? model,
      toolUseId: counted?.toolUseId ?? toolUseId,
      tokens: counted === undefined ? tokens : largest(counted.tokens, tokens),
    });
  }

  /** Ends a turn by its result. */
  addResult(result: unknown): void {
    if (this.#hasEnded || !isObject(result)) return;
    if (typeof result.session_id === 'string') this.#sessionId = result.session_id;
    this.#usage ??= new TurnUsage(this.#tableAtStart());
    const models = this.#usage.onResult(result);
    if (models === undefined) this.#writeCounted(true);
    else {
      for (const [model, { costUsd, ...tokens }] of models) {
        this.#write({ kind: 'turn', model, toolUseId: undefined, tokens, isEstimate: false }, costUsd);
      }
    }
    this.#writeSubagents();
    const { table } = this.#usage;
    if (table !== undefined) this.#options.onTable(this.#sessionId, table);
    this.#endTurn();
  }

  /** The run is over. What a turn without a result used, is written as an estimate. */
  end(): void {
    if (this.#hasEnded) return;
    if (this.#answers.size > 0) {
      this.#writeCounted(true);
      this.#writeSubagents();
    }
    this.#endTurn();
    this.#hasEnded = true;
  }

  #endTurn(): void {
    this.#settled.clear();
    for (const id of this.#answers.keys()) this.#settled.add(id);
    this.#answers.clear();
    this.#streamed.clear();
    this.#turn += 1;
  }

  #tableAtStart(): FiguresByModel | undefined {
    return this.#options.isResumed ? this.#options.tableOf(this.#sessionId) : new Map();
  }

  #writeCounted(isEstimate: boolean): void {
    const byModel = new Map<string, TokenCounts>();
    for (const { model, tokens } of this.#answers.values()) {
      const before = byModel.get(model);
      byModel.set(model, before === undefined ? tokens : sum(before, tokens));
    }
    for (const [model, tokens] of byModel)
      this.#write({ kind: 'turn', model, toolUseId: undefined, tokens, isEstimate });
  }

  #writeSubagents(): void {
    const bySubagent = new Map<string, Counted & { readonly toolUseId: string }>();
    for (const { model, toolUseId, tokens } of this.#answers.values()) {
      if (toolUseId === undefined) continue;
      const key = JSON.stringify([toolUseId, model]);
      const before = bySubagent.get(key);
      bySubagent.set(key, { model, toolUseId, tokens: before === undefined ? tokens : sum(before.tokens, tokens) });
    }
    for (const counted of bySubagent.values()) this.#write({ kind: 'subagent', ...counted, isEstimate: true });
  }

  #write(
    entry: Pick<LedgerEntry, 'kind' | 'model' | 'toolUseId' | 'tokens' | 'isEstimate'>,
    reportedUsd?: number | undefined,
  ): void {
    const { run, tenant, prices, onEntry } = this.#options;
    const price = Object.hasOwn(prices, entry.model) ? prices[entry.model] : undefined;
    const computedUsd = computedCost(entry.tokens, price);
    const hasBoth = reportedUsd !== undefined && computedUsd !== undefined;
    onEntry({
      ...entry,
      tenant,
      run,
      sessionId: this.#sessionId,
      turn: this.#turn,
      reportedUsd,
      computedUsd,
      differenceUsd: hasBoth ? reportedUsd - computedUsd : undefined,
      difference: nameDifference(entry, reportedUsd, computedUsd),
    });
  }
}

function answerOf(message: Readonly<Record<string, unknown>>, toolUseId: string | undefined): Answer {
  const { id, model, usage } = message;
  return {
    messageId: typeof id === 'string' ? id : '',
    model: typeof model === 'string' ? model : undefined,
    toolUseId,
    usage,
  };
}
