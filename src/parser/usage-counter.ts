import { isJsonObject, type JsonObject, stringField } from '../util/json.js';
import {
  isAssistantMessage,
  isResultMessage,
  isStreamEvent,
  isTaskStartedMessage,
} from './guards.js';
import type {
  SDKAssistantMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
} from './message.js';
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
  /** The CLI resumes a session: its per-model table then starts with what earlier runs used. */
  readonly resumed?: boolean | undefined;
}

/**
 * Counts the tokens of one run from its messages: an estimate while a turn runs, the CLI's own figures once its result is
 * there. Never throws, however odd a message.
 */
export class UsageCounter {
  /** Of finished turns. */
  #settled: TokenUsage = {};
  #models: ModelUsage = {};
  /** Messages of the running turn by id, and their sum. */
  readonly #running = new Map<string, Counted>();
  #runningSum: TokenUsage = {};
  readonly #done = new Set<string>();
  /** The CLI's table as of the last result; `undefined`: what it began with is not known. */
  #table: ModelUsage | undefined;
  /** What the CLI answered since the last result, when it was asked. */
  #asked: ModelUsage = {};
  /** Of the stream events that come. */
  #streamed = '';
  #turnUsage: TokenUsage = {};
  readonly #bySubagent = new Map<string, TokenUsage>();
  #subagents: TokenUsage = {};
  #other: TokenUsage = {};
  #hasSubagents = false;
  /** A turn used tokens and nothing said what they cost. */
  #hasUnknownCost = false;

  constructor(options: UsageCounterOptions = {}) {
    this.#table = options.resumed === true ? undefined : {};
  }

  /** Of the whole run so far. Sub-agents are in it. */
  get usage(): TokenUsage {
    const running = joinUsage(this.#runningSum, sumOfModels(this.#asked), Math.max);
    return addUsage(this.#settled, running);
  }

  /** US dollars of the whole run, as far as the CLI told them. */
  get costUsd(): number {
    const rows = [this.#models, this.#asked].flatMap((models) => Object.values(models));
    return rows.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  }

  /** US dollars of the whole run; `undefined` when a part of it is not known, such as a turn that has no result. */
  get exactCostUsd(): number | undefined {
    if (this.#hasUnknownCost || this.#running.size > 0) return undefined;
    return this.costUsd;
  }

  /** Of the turns that ended, as their results say; empty while none of them said anything. */
  get settled(): TokenUsage {
    return this.#settled;
  }

  /** Of the turn that ended last, as its result says; empty before the first, and when the result says nothing. */
  get turnUsage(): TokenUsage {
    return this.#turnUsage;
  }

  /** Of the whole run by model, with costs once a result told them. */
  get byModel(): ModelUsage {
    let models = this.#models;
    for (const { model, usage } of this.#running.values()) {
      if (model !== undefined) models = addModels(models, { [model]: usage });
    }
    return models;
  }

  /** All sub-agents together, as the results say. Calls of the CLI's own are in it from the turn of the first sub-agent on. */
  get subagents(): TokenUsage {
    return this.#subagents;
  }

  /** What neither the main thread used nor a sub-agent: calls that the CLI makes for itself, such as for the session's title. */
  get other(): TokenUsage {
    return this.#other;
  }

  /**
   * By the `Agent` call that started it, what the sub-agent's messages said. Too low as a rule: the CLI forwards not every
   * message, and with counts from before the message was complete.
   */
  get bySubagent(): ReadonlyMap<string, TokenUsage> {
    return this.#bySubagent;
  }

  /**
   * The table that the CLI names when it is asked. It is exact where messages are not: they carry output counts from before they were complete.
   * One older than the last result changes nothing.
   */
  onTable(value: unknown): void {
    const table = modelTable(value) ?? {};
    // A resumed session: what came before this run is in its first table.
    if (this.#table === undefined) {
      if (this.#isUntouched) this.#table = table;
      return;
    }
    const asked = sinceTable(table, this.#table);
    if (asked !== undefined) this.#asked = asked;
  }

  /** For every message; those with a usage count. */
  onMessage(message: object): void {
    if (isStreamEvent(message)) this.#onStreamEvent(message);
    else if (isAssistantMessage(message)) this.#onAssistant(message);
    else if (isResultMessage(message)) this.#onResult(message);
    else if (isTaskStartedMessage(message) && fieldsOf(message).task_type === 'local_agent') {
      this.#hasSubagents = true;
    }
  }

  #onAssistant(assistant: SDKAssistantMessage): void {
    const { message, parent_tool_use_id: parent } = fieldsOf(assistant);
    if (isJsonObject(message)) this.#count(stringField(message, 'id') ?? '', message, parent);
  }

  /** Only of the main thread, and only when the caller asked for partial messages: the last one has the final count. */
  #onStreamEvent(streamed: SDKPartialAssistantMessage): void {
    const { event, parent_tool_use_id: parent } = fieldsOf(streamed);
    if (!isJsonObject(event)) return;
    const { type, message } = event;
    if (type === 'message_start') {
      this.#streamed = isJsonObject(message) ? (stringField(message, 'id') ?? '') : '';
    } else if (type === 'message_delta') this.#count(this.#streamed, event, parent);
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
    if (!this.#isCostIn(models, turn)) this.#hasUnknownCost = true;
    this.#turnUsage = turn ?? {};
    // Nothing was said: what the messages said stays.
    if (turn === undefined) return;
    this.#settled = addUsage(this.#settled, turn);
    if (models !== undefined) {
      this.#models = addModels(this.#models, models);
      const rest = joinUsage(turn, own ?? turn, (all, main) => Math.max(0, all - main));
      // The CLI tells only the sum; where no sub-agent was seen, none used it.
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
    if (models !== undefined) {
      return Object.values(models).every(({ costUsd }) => costUsd !== undefined);
    }
    const isFree = Object.values(turn ?? {}).every((count) => count === 0);
    return isFree && this.#running.size === 0;
  }

  /** The turn by model: the CLI's table is a running total, also over the runs of a resumed session. */
  #modelsOfTurn(result: SDKResultMessage): ModelUsage | undefined {
    const { modelUsage, model_usage_since_last_result: added } = fieldsOf(result);
    const table = modelTable(modelUsage);
    const sinceLast = modelTable(added);
    const before = this.#table;
    if (table === undefined) return sinceLast;
    this.#table = table;
    return before === undefined ? sinceLast : subtractModels(table, before);
  }

  /** `usage` is the main thread's alone. */
  #withSubagents(own: TokenUsage | undefined): TokenUsage | undefined {
    if (own === undefined) return undefined;
    let usage = own;
    for (const counted of this.#running.values()) {
      if (counted.parent !== undefined) usage = addUsage(usage, counted.usage);
    }
    return usage;
  }
}

/** The API's usage; `undefined` when there is no count in it. */
function usageOf(value: unknown): TokenUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = tokenCount(value.input_tokens);
  const outputTokens = tokenCount(value.output_tokens);
  const reads = tokenCount(value.cache_read_input_tokens);
  const writes = tokenCount(value.cache_creation_input_tokens);
  const usage: TokenUsage = {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(reads === undefined && writes === undefined
      ? {}
      : { cachedTokens: (reads ?? 0) + (writes ?? 0) }),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}
