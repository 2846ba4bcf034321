import { CostShares } from './cost-shares.js';
import { computedCost, type LedgerEntry, type ModelPrice, nameDifference, type PriceTable } from './entry.js';
import { TurnUsage } from './turn-usage.js';
import { countsOfUsage, type FiguresByModel, isObject, largest, NO_TOKENS, sum, type TokenCounts } from './usage.js';

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

/** A sub-agent whose end is waited for, or whose entries wait for the cost of its models. */
interface Subagent {
  readonly toolUseId: string;
  /** The turn in which it began. */
  readonly turn: number;
  readonly answers: Map<string, Counted>;
  /** It is done, and its answers are complete; `undefined` while it runs. */
  isFinal: boolean | undefined;
}

/** Writes one run into the ledger: give it each message, then {@link end}. Never throws for a message of any shape. */
export class LedgerRun {
  readonly #options: LedgerRunOptions;
  readonly #shares: CostShares;
  readonly #answers = new Map<string, Counted>();
  readonly #settled = new Set<string>();
  /** By the call that started it: those that {@link beginSubagent} told of. */
  readonly #subagents = new Map<string, Subagent>();
  #usage: TurnUsage | undefined;
  #turn = 1;
  #sessionId: string | undefined;
  /** The answer that streams now, of each sub-agent and of the run itself. */
  readonly #streamed = new Map<string | undefined, Answer>();
  #hasEnded = false;

  /** @internal Made by {@link CostLedger.run}. */
  constructor(options: LedgerRunOptions) {
    this.#options = options;
    this.#shares = new CostShares((model) => this.#priceOf(model));
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

  /**
   * A sub-agent began. Its answers are then counted until {@link endSubagent}, also beyond the end of a turn; those of
   * other sub-agents count as a part of the turn that runs.
   */
  beginSubagent(toolUseId: string): void {
    if (this.#hasEnded || this.#subagents.has(toolUseId)) return;
    this.#subagents.set(toolUseId, { toolUseId, turn: this.#turn, answers: new Map(), isFinal: undefined });
  }

  /** All answers of a sub-agent were added. @param isFinal - Whether these are all that it had, with final counts. */
  endSubagent(toolUseId: string, isFinal: boolean): void {
    const subagent = this.#subagents.get(toolUseId);
    if (subagent === undefined) return;
    subagent.isFinal = isFinal;
    // Its turn was over before its transcript was read. Otherwise the result tells the costs of its models.
    const models = [...subagent.answers.values()].map(({ model }) => model);
    const isPriced = models.every((model) => this.#shares.has(model));
    if (subagent.turn < this.#turn && (isPriced || !isFinal)) this.#writeSubagent(subagent);
  }

  /** Counts an answer once, however often it is told: the largest figures count. */
  addAnswer({ messageId, model = UNKNOWN, toolUseId, usage }: Answer): void {
    const tokens = countsOfUsage(usage);
    // Claude Code's own words about a failed call have a model `<synthetic>` and no tokens.
    if (tokens === undefined || Object.values(tokens).every((count) => count === 0)) return;
    if (this.#hasEnded || messageId === '' || this.#settled.has(messageId)) return;
    const own = toolUseId === undefined ? undefined : this.#subagents.get(toolUseId);
    const answers = own?.answers ?? this.#answers;
    const counted = answers.get(messageId);
    answers.set(messageId, {
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
    this.#writeTurn(this.#usage.onResult(result));
    const { table } = this.#usage;
    if (table !== undefined) this.#options.onTable(this.#sessionId, table);
    this.#endTurn();
  }

  /**
   * The run is over. What was used after the last result is an estimate, unless the CLI's own account is known.
   * @param modelUsage - What the session has used, as the CLI says at its exit: `finalModelUsage` of a `QueryContext`.
   */
  end(modelUsage?: unknown): void {
    if (this.#hasEnded) return;
    this.#usage ??= new TurnUsage(this.#tableAtStart());
    const rest = this.#usage.onExit(modelUsage);
    const { table } = this.#usage;
    if (rest !== undefined && table !== undefined) this.#options.onTable(this.#sessionId, table);
    for (const subagent of this.#subagents.values()) subagent.isFinal ??= false;
    if (rest !== undefined || this.#answers.size > 0) this.#writeTurn(rest);
    else this.#writeSubagents();
    this.#endTurn();
    this.#hasEnded = true;
  }

  /** @param models - What the CLI reports; `undefined`: nothing, so the messages are counted. */
  #writeTurn(models: FiguresByModel | undefined): void {
    if (models === undefined) this.#writeCounted(true);
    else {
      this.#shares.add(models);
      for (const [model, { costUsd, ...tokens }] of models) {
        this.#write({ kind: 'turn', model, toolUseId: undefined, tokens, isEstimate: false }, costUsd);
      }
    }
    this.#writeSubagents();
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
    const subagents = [...this.#subagents.values()].filter(({ turn }) => turn === this.#turn);
    const counted = [this.#answers, ...subagents.map(({ answers }) => answers)].flatMap((each) => [...each.values()]);
    for (const [model, tokens] of byModel(counted))
      this.#write({ kind: 'turn', model, toolUseId: undefined, tokens, isEstimate });
  }

  /** Behind the turn that has what their models cost. */
  #writeSubagents(): void {
    for (const subagent of this.#subagents.values()) if (subagent.isFinal !== undefined) this.#writeSubagent(subagent);
    const others = new Set([...this.#answers.values()].flatMap(({ toolUseId }) => toolUseId ?? []));
    for (const toolUseId of others) {
      const counted = [...this.#answers.values()].filter((each) => each.toolUseId === toolUseId);
      this.#writePart(toolUseId, counted, { turn: this.#turn, isEstimate: true });
    }
  }

  #writeSubagent({ toolUseId, turn, answers, isFinal }: Subagent): void {
    this.#subagents.delete(toolUseId);
    this.#writePart(toolUseId, [...answers.values()], { turn, isEstimate: isFinal !== true });
  }

  #writePart(
    toolUseId: string,
    answers: readonly Counted[],
    { turn, isEstimate }: Pick<LedgerEntry, 'turn' | 'isEstimate'>,
  ): void {
    for (const [model, tokens] of byModel(answers)) {
      // A share of too few tokens would be too low as well.
      const share = isEstimate ? undefined : this.#shares.of(model, tokens);
      this.#write({ kind: 'subagent', model, toolUseId, tokens, isEstimate }, share, turn);
    }
  }

  #priceOf(model: string): ModelPrice | undefined {
    const { prices } = this.#options;
    return Object.hasOwn(prices, model) ? prices[model] : undefined;
  }

  #write(
    entry: Pick<LedgerEntry, 'kind' | 'model' | 'toolUseId' | 'tokens' | 'isEstimate'>,
    reportedUsd?: number | undefined,
    turn = this.#turn,
  ): void {
    const { run, tenant, onEntry } = this.#options;
    const computedUsd = computedCost(entry.tokens, this.#priceOf(entry.model));
    const hasBoth = reportedUsd !== undefined && computedUsd !== undefined;
    onEntry({
      ...entry,
      tenant,
      run,
      sessionId: this.#sessionId,
      turn,
      reportedUsd,
      computedUsd,
      differenceUsd: hasBoth ? reportedUsd - computedUsd : undefined,
      difference: nameDifference(entry, reportedUsd, computedUsd),
    });
  }
}

function byModel(answers: Iterable<Counted>): Map<string, TokenCounts> {
  const sums = new Map<string, TokenCounts>();
  for (const { model, tokens } of answers) sums.set(model, sum(sums.get(model) ?? NO_TOKENS, tokens));
  return sums;
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
