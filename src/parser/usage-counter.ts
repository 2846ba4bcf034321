import { isJsonObject, type JsonObject, omitUndefined, stringField } from '../util/json.js';
import { isAssistantMessage, isResultMessage, isStreamEvent, isTaskStartedMessage } from './guards.js';
import type { SDKAssistantMessage, SDKPartialAssistantMessage, SDKResultMessage } from './message.js';
import { fieldsOf } from './read-message.js';
import {
  addModels,
  addUsage,
  joinUsage,
  type ModelUsage,
  modelTable,
  sinceTable,
  subtractModels,
  sumOfModels,
  type TokenUsage,
  tokenCount,
} from './token-usage.js';

/** One model message, with the largest usage seen for it. */
interface Counted {
  readonly usage: TokenUsage;
  readonly model: string | undefined;
  /** The `Agent` call whose sub-agent it is from. */
  readonly parent: string | undefined;
}

export interface UsageCounterOptions {
  /** For a resumed session, whose per-model table starts with the tokens of earlier runs. */
  readonly resumed?: boolean | undefined;
}

/**
 * Counts the tokens of one run from its messages. While a turn runs this is an estimate. Its result has the CLI's own
 * figures. Never throws, whatever the shape of a message.
 */
export class UsageCounter {
  /** Of finished turns. */
  #settled: TokenUsage = {};
  #models: ModelUsage = {};
  /** Messages of the running turn by id, and their sum. */
  readonly #running = new Map<string, Counted>();
  #runningSum: TokenUsage = {};
  readonly #done = new Set<string>();
  /** The CLI's table at the last result; `undefined` while its starting values are unknown. */
  #table: ModelUsage | undefined;
  /** The CLI's running total at the last result, in US dollars; `undefined` as for the table. */
  #totalUsd: number | undefined;
  /** From answers to usage requests since the last result. */
  #asked: ModelUsage = {};
  /** Id of the API message that is being streamed. */
  #streamed = '';
  #turnUsage: TokenUsage = {};
  readonly #bySubagent = new Map<string, TokenUsage>();
  #subagents: TokenUsage = {};
  #other: TokenUsage = {};
  #hasSubagents = false;
  /** A turn used tokens of unknown cost. */
  #hasUnknownCost = false;

  constructor(options: UsageCounterOptions = {}) {
    if (options.resumed === true) return;
    this.#table = {};
    this.#totalUsd = 0;
  }

  /** Of the whole run so far, sub-agents included. */
  get usage(): TokenUsage {
    const running = joinUsage(this.#runningSum, sumOfModels(this.#asked), Math.max);
    return addUsage(this.#settled, running);
  }

  /** US dollars of the whole run, as far as the CLI reported them. */
  get costUsd(): number {
    return costOf(this.#models) + costOf(this.#asked);
  }

  /** US dollars of the whole run; `undefined` when a part is unknown, such as a turn without a result. */
  get exactCostUsd(): number | undefined {
    if (this.#hasUnknownCost || this.#running.size > 0) return undefined;
    return this.costUsd;
  }

  /** Of the finished turns, by their results; empty when no result had a usage. */
  get settled(): TokenUsage {
    return this.#settled;
  }

  /** Of the last finished turn, by its result; empty before the first, and when the result has no usage. */
  get turnUsage(): TokenUsage {
    return this.#turnUsage;
  }

  /** Of the whole run by model. Costs come with the results. */
  get byModel(): ModelUsage {
    let models = this.#models;
    for (const { model, usage } of this.#running.values()) {
      if (model !== undefined) models = addModels(models, { [model]: usage });
    }
    return models;
  }

  /** All sub-agents together, by the results. Includes the CLI's own calls from the turn of the first sub-agent on. */
  get subagents(): TokenUsage {
    return this.#subagents;
  }

  /** The CLI's own calls, such as the one for the session's title. */
  get other(): TokenUsage {
    return this.#other;
  }

  /**
   * Usage in the messages of each sub-agent, by the `Agent` call that started it. Usually too low: the CLI does not
   * forward every message, and the counts are from before the message was complete.
   */
  get bySubagent(): ReadonlyMap<string, TokenUsage> {
    return this.#bySubagent;
  }

  /**
   * Takes the table of a usage answer. It is exact, unlike the output counts in messages, which are from before the
   * message was complete. A table older than the last result is ignored.
   */
  onTable(value: unknown): void {
    const table = modelTable(value) ?? {};
    // A resumed session: its first table is what earlier runs used.
    if (this.#table === undefined) {
      if (this.#isUntouched) this.#table = table;
      return;
    }
    const asked = sinceTable(table, this.#table);
    if (asked !== undefined) this.#asked = asked;
  }

  /** Call with every message. */
  onMessage(message: object): void {
    if (isStreamEvent(message)) this.onStreamEvent(message);
    else if (isAssistantMessage(message)) this.#onAssistant(message);
    else if (isResultMessage(message)) this.#onResult(message);
    else if (isTaskStartedMessage(message) && fieldsOf(message).task_type === 'local_agent') {
      this.#hasSubagents = true;
    }
  }

  /**
   * As {@link onMessage}, for the messages that come by the thousand. Only the main thread streams, with
   * `includePartialMessages`. The last event has the final count.
   */
  onStreamEvent(streamed: SDKPartialAssistantMessage): void {
    const { event, parent_tool_use_id: parent } = fieldsOf(streamed);
    if (!isJsonObject(event)) return;
    const { type, message } = event;
    if (type === 'message_start') {
      this.#streamed = isJsonObject(message) ? (stringField(message, 'id') ?? '') : '';
    } else if (type === 'message_delta') this.#count(this.#streamed, event, parent);
  }

  #onAssistant(assistant: SDKAssistantMessage): void {
    const { message, parent_tool_use_id: parent } = fieldsOf(assistant);
    if (isJsonObject(message)) this.#count(stringField(message, 'id') ?? '', message, parent);
  }

  #count(id: string, told: JsonObject, parent: unknown): void {
    const usage = usageOf(told.usage);
    if (usage === undefined || this.#done.has(id)) return;
    const counted = this.#running.get(id);
    const before = counted?.usage ?? {};
    const largest = joinUsage(before, usage, Math.max);
    const from = typeof parent === 'string' ? parent : undefined;
    if (from !== undefined) this.#hasSubagents = true;
    const model = stringField(told, 'model') ?? counted?.model;
    this.#running.set(id, { usage: largest, model, parent: from });
    const more = joinUsage(largest, before, (now, then) => now - then);
    this.#runningSum = addUsage(this.#runningSum, more);
    if (from === undefined) return;
    this.#bySubagent.set(from, addUsage(this.#bySubagent.get(from) ?? {}, more));
  }

  #onResult(result: SDKResultMessage): void {
    this.#asked = {};
    const own = usageOf(fieldsOf(result).usage);
    const models = this.#modelsOfTurn(result);
    const turn = models === undefined ? this.#withSubagents(own) : sumOfModels(models);
    if (!this.#isCostIn(models, turn) || this.#isTotalAhead(result, models)) this.#hasUnknownCost = true;
    this.#turnUsage = turn ?? {};
    // A result without a usage: the estimate stays.
    if (turn === undefined) return;
    this.#settled = addUsage(this.#settled, turn);
    if (models !== undefined) {
      this.#models = addModels(this.#models, models);
      const rest = joinUsage(turn, own ?? turn, (all, main) => Math.max(0, all - main));
      // The CLI reports only the sum. Without a sub-agent, it was the CLI itself.
      const nothing = joinUsage(rest, rest, () => 0);
      this.#subagents = addUsage(this.#subagents, this.#hasSubagents ? rest : nothing);
      this.#other = addUsage(this.#other, this.#hasSubagents ? nothing : rest);
    }
    for (const id of this.#running.keys()) this.#done.add(id);
    this.#running.clear();
    this.#runningSum = {};
  }

  /** Nothing of this run was counted yet. */
  get #isUntouched(): boolean {
    return this.#running.size === 0 && this.#done.size === 0;
  }

  #isCostIn(models: ModelUsage | undefined, turn: TokenUsage | undefined): boolean {
    if (models !== undefined) return Object.values(models).every(({ costUsd }) => costUsd !== undefined);
    // A turn that the model never answered: nothing in the table, and a message of the CLI's own without tokens.
    return [turn ?? {}, this.#runningSum].every((usage) => Object.values(usage).every((count) => count === 0));
  }

  /** The total of the session has grown, and the costs by model have not. */
  #isTotalAhead(result: SDKResultMessage, models: ModelUsage = {}): boolean {
    const { total_cost_usd: told, modelUsage } = fieldsOf(result);
    const total = tokenCount(told);
    if (total === undefined) return false;
    // A resumed session: with a table, the total is also that of earlier runs.
    const before = this.#totalUsd ?? (modelTable(modelUsage) === undefined ? 0 : total);
    this.#totalUsd = total;
    return total > before && costOf(models) === 0;
  }

  /** The turn by model. The CLI's table is a running total of the session, resumed runs included. */
  #modelsOfTurn(result: SDKResultMessage): ModelUsage | undefined {
    const { modelUsage, model_usage_since_last_result: added } = fieldsOf(result);
    const table = modelTable(modelUsage);
    const sinceLast = modelTable(added);
    const before = this.#table;
    if (table === undefined) return sinceLast;
    this.#table = table;
    return before === undefined ? sinceLast : subtractModels(table, before);
  }

  /** The `usage` of a result is that of the main thread only. */
  #withSubagents(own: TokenUsage | undefined): TokenUsage | undefined {
    if (own === undefined) return undefined;
    let usage = own;
    for (const counted of this.#running.values()) {
      if (counted.parent !== undefined) usage = addUsage(usage, counted.usage);
    }
    return usage;
  }
}

function costOf(models: ModelUsage): number {
  return Object.values(models).reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
}

/** The API's usage; `undefined` when there is no count in it. */
function usageOf(value: unknown): TokenUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = tokenCount(value.input_tokens);
  const outputTokens = tokenCount(value.output_tokens);
  const reads = tokenCount(value.cache_read_input_tokens);
  const writes = tokenCount(value.cache_creation_input_tokens);
  const cachedTokens = reads === undefined && writes === undefined ? undefined : (reads ?? 0) + (writes ?? 0);
  const usage: TokenUsage = omitUndefined({ inputTokens, outputTokens, cachedTokens });
  return Object.keys(usage).length === 0 ? undefined : usage;
}
