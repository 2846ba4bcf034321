import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';

/** One answer of the model, as a transcript has it once the answer is complete. */
export interface RecordedAnswer {
  readonly messageId: string;
  readonly model: string | undefined;
  /** The API's `usage`, with the final counts. */
  readonly usage: JsonObject;
  readonly stopReason: string | undefined;
  /** When the message before it was recorded. Milliseconds since 1970, by the CLI's clock; `undefined`: not known. */
  readonly startedAt: number | undefined;
  /** As {@link startedAt}, of its last block. */
  readonly endedAt: number | undefined;
}

/** The answers in the entries of a transcript, each once by its message id. Entries may come twice. */
export class RecordedAnswers {
  readonly #answers = new Map<string, RecordedAnswer>();
  #previousAt: number | undefined;
  #last: RecordedAnswer | undefined;

  /** In the order of the transcript. */
  get all(): readonly RecordedAnswer[] {
    return [...this.#answers.values()];
  }

  get(messageId: string): RecordedAnswer | undefined {
    return this.#answers.get(messageId);
  }

  /** Tokens of the context behind the last answer, which is what the CLI says of an agent that is done. */
  get contextTokens(): number | undefined {
    const usage = this.#last?.usage;
    if (usage === undefined) return undefined;
    const counts = [
      ...[usage.input_tokens, usage.cache_creation_input_tokens],
      ...[usage.cache_read_input_tokens, usage.output_tokens],
    ];
    return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
  }

  add(entry: unknown): void {
    if (!isJsonObject(entry)) return;
    const at = timeOf(entry.timestamp);
    if (entry.type === 'user') this.#previousAt = at ?? this.#previousAt;
    else if (entry.type === 'assistant' && isJsonObject(entry.message)) this.#addAnswer(entry.message, at);
  }

  #addAnswer(message: JsonObject, at: number | undefined): void {
    const messageId = stringField(message, 'id');
    const model = stringField(message, 'model');
    // Claude Code's own words about a failed call have this model and no usage.
    if (messageId === undefined || model === '<synthetic>' || !isJsonObject(message.usage)) return;
    const before = this.#answers.get(messageId);
    this.#last = {
      messageId,
      model,
      // Each block is an entry, with the usage of the whole answer once that is known.
      usage: larger(before?.usage, message.usage),
      stopReason: stringField(message, 'stop_reason') ?? before?.stopReason,
      startedAt: before?.startedAt ?? this.#previousAt,
      endedAt: at ?? before?.endedAt,
    };
    this.#answers.set(messageId, this.#last);
  }
}

function larger(before: JsonObject | undefined, now: JsonObject): JsonObject {
  if (before === undefined) return now;
  return Number(before.output_tokens) > Number(now.output_tokens) ? before : now;
}

function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
