import { tokenCount } from '../../parser/token-usage.js';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';

/** What the messages of a turn tell about a failure before the result comes. */
export class FailureFacts {
  /** Of the last assistant message outside of sub-agents: what the CLI calls the API's refusal. */
  assistantError: string | undefined;
  /** Tries of the last request to the API. */
  attempts = 1;
  #lastDelayMs: number | undefined;
  /** Milliseconds since 1970. */
  #resetsAtMs: number | undefined;

  /** For every message of the turn. */
  onMessage(message: object): void {
    const frame = message as JsonObject;
    switch (frame.type) {
      case 'assistant':
        if ((frame.parent_tool_use_id ?? null) === null) this.#onAssistant(frame);
        break;
      case 'system':
        if (frame.subtype === 'api_retry') this.#onRetry(frame);
        break;
      case 'rate_limit_event':
        this.#onRateLimit(frame.rate_limit_info);
        break;
    }
  }

  /** Milliseconds until a repetition may help; `null` when nobody said. */
  retryAfterMs(now: number = Date.now()): number | null {
    if (this.#resetsAtMs !== undefined) return Math.max(0, this.#resetsAtMs - now);
    return this.#lastDelayMs ?? null;
  }

  #onAssistant(message: JsonObject): void {
    this.assistantError = stringField(message, 'error');
    if (this.assistantError !== undefined) return;
    // An answer came: earlier tries were for a request that went well.
    this.attempts = 1;
    this.#lastDelayMs = undefined;
  }

  #onRetry(message: JsonObject): void {
    this.attempts = (tokenCount(message.attempt) ?? this.attempts) + 1;
    this.#lastDelayMs = tokenCount(message.retry_delay_ms);
  }

  #onRateLimit(info: unknown): void {
    if (!isJsonObject(info) || info.status !== 'rejected') return;
    const seconds = tokenCount(info.resetsAt);
    if (seconds !== undefined) this.#resetsAtMs = seconds * 1_000;
  }
}
