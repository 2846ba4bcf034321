import { isAssistantMessage, isResultMessage } from 'claudewire';
import { amountAt, isJsonObject, type JsonObject, objectAt, textAt } from './json.js';
import type { Plots } from './view-data.js';

interface Growing {
  readonly t: number[];
  readonly v: number[];
}

interface Tokens {
  input: number;
  output: number;
}

/** The CLI's running totals of a session. */
interface Account {
  readonly cost: number;
  readonly tokens: Tokens;
}

const empty = (): Growing => ({ t: [], v: [] });

/** Tokens, context and cost over time. */
export class PlotReader {
  readonly #context = empty();
  readonly #input = empty();
  readonly #output = empty();
  readonly #cost = empty();
  readonly #seen = new Set<string>();
  /** By session: the CLI's totals go on when a session is resumed. */
  readonly #accounts = new Map<string, Account>();
  #costSum = 0;
  readonly #sum: Tokens = { input: 0, output: 0 };
  /** Of a source without results, by message. */
  readonly #messages = new Map<string, Tokens>();
  readonly #byMessage: boolean;

  /** @param byMessage - the source has no results: tokens are those of its messages. */
  constructor(byMessage: boolean) {
    this.#byMessage = byMessage;
  }

  add(t: number, proc: number, frame: unknown): void {
    if (isAssistantMessage(frame)) this.#message(t, proc, frame);
    else if (isResultMessage(frame)) this.#result(t, proc, frame);
  }

  get plots(): Plots {
    return { context: this.#context, inputTokens: this.#input, outputTokens: this.#output, costUsd: this.#cost };
  }

  #message(t: number, proc: number, frame: JsonObject): void {
    const message = objectAt(frame, 'message');
    const usage = objectAt(message, 'usage');
    const id = `${proc} ${textAt(message, 'id') ?? ''}`;
    if (typeof message.usage !== 'object' || textAt(message, 'model') === '<synthetic>') return;
    const read = readTokens(usage);
    // Each block of a message comes as a frame of its own, with the usage of the call.
    if (!this.#seen.has(id) && textAt(frame, 'parent_tool_use_id') === undefined) {
      this.#seen.add(id);
      push(this.#context, t, read);
    }
    if (this.#byMessage) this.#countMessage(t, id, { input: read, output: amountAt(usage, 'output_tokens') ?? 0 });
  }

  #countMessage(t: number, id: string, now: Tokens): void {
    const before = this.#messages.get(id) ?? { input: 0, output: 0 };
    this.#messages.set(id, now);
    this.#sum.input += now.input - before.input;
    this.#sum.output += now.output - before.output;
    this.#pushTokens(t);
  }

  #result(t: number, proc: number, frame: JsonObject): void {
    const session = textAt(frame, 'session_id') ?? `process ${proc}`;
    const before = this.#accounts.get(session);
    const table = tableOf(frame.modelUsage);
    const cost = amountAt(frame, 'total_cost_usd');
    const now: Account = {
      cost: cost ?? before?.cost ?? 0,
      // A result without a table: what it adds is in neither.
      tokens: table ?? before?.tokens ?? { input: 0, output: 0 },
    };
    this.#accounts.set(session, now);
    // A total that fell began anew: releases that do not go on with it when they resume, and `/clear`.
    const hasFallen = before !== undefined && (now.cost < before.cost || now.tokens.output < before.tokens.output);
    const start = before === undefined || hasFallen ? { cost: 0, tokens: { input: 0, output: 0 } } : before;
    if (cost !== undefined) {
      this.#costSum += cost - start.cost;
      push(this.#cost, t, Math.round(this.#costSum * 1e9) / 1e9);
    }
    if (this.#byMessage || (table === undefined && typeof frame.usage !== 'object')) return;
    // The table has the sub-agents too; `usage` is that of the main thread.
    const usage = objectAt(frame, 'usage');
    const own = { input: readTokens(usage), output: amountAt(usage, 'output_tokens') ?? 0 };
    const isCounted = table !== undefined;
    this.#sum.input += isCounted ? table.input - start.tokens.input : own.input;
    this.#sum.output += isCounted ? table.output - start.tokens.output : own.output;
    this.#pushTokens(t);
  }

  #pushTokens(t: number): void {
    push(this.#input, t, this.#sum.input);
    push(this.#output, t, this.#sum.output);
  }
}

/** All models of a result's `modelUsage`; `undefined` without one. */
function tableOf(value: unknown): Tokens | undefined {
  if (!isJsonObject(value)) return undefined;
  const rows = Object.values(value).filter(isJsonObject);
  if (rows.length === 0) return undefined;
  const sum = (...names: readonly string[]): number =>
    rows.reduce((all, row) => all + names.reduce((each, name) => each + (amountAt(row, name) ?? 0), 0), 0);
  return { input: sum('inputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'), output: sum('outputTokens') };
}

function readTokens(usage: JsonObject): number {
  return (
    (amountAt(usage, 'input_tokens') ?? 0) +
    (amountAt(usage, 'cache_creation_input_tokens') ?? 0) +
    (amountAt(usage, 'cache_read_input_tokens') ?? 0)
  );
}

function push(series: Growing, t: number, value: number): void {
  series.t.push(t);
  series.v.push(value);
}
