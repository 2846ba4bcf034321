import { isAssistantMessage, isResultMessage } from 'claudewire';
import { amountAt, type JsonObject, objectAt, textAt } from './json.js';
import type { Plots } from './view-data.js';

interface Growing {
  readonly t: number[];
  readonly v: number[];
}

interface Tokens {
  input: number;
  output: number;
}

const empty = (): Growing => ({ t: [], v: [] });

/** Tokens, context and cost over time. */
export class PlotReader {
  readonly #context = empty();
  readonly #input = empty();
  readonly #output = empty();
  readonly #cost = empty();
  readonly #seen = new Set<string>();
  readonly #costs = new Map<number, number>();
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
    const cost = amountAt(frame, 'total_cost_usd');
    if (cost !== undefined) {
      // The CLI counts from the start of its process.
      this.#costs.set(proc, cost);
      const sum = [...this.#costs.values()].reduce((all, each) => all + each, 0);
      push(this.#cost, t, Math.round(sum * 1e9) / 1e9);
    }
    if (this.#byMessage || typeof frame.usage !== 'object') return;
    const usage = objectAt(frame, 'usage');
    this.#sum.input += readTokens(usage);
    this.#sum.output += amountAt(usage, 'output_tokens') ?? 0;
    this.#pushTokens(t);
  }

  #pushTokens(t: number): void {
    push(this.#input, t, this.#sum.input);
    push(this.#output, t, this.#sum.output);
  }
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
