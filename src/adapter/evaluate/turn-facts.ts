import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';
import { FailureFacts } from '../errors/failure-facts.js';

/** What the messages of one turn tell, as they come. */
export class TurnFacts {
  readonly failure = new FailureFacts();
  /** The last one. */
  result: JsonObject | undefined;
  cliSessionId: string | undefined;
  readonly #counts = new Map<string, number>();
  #messageId: unknown;
  #text = '';

  /** @param cliSessionId - As it was when the turn began. */
  constructor(cliSessionId?: string) {
    this.cliSessionId = cliSessionId;
  }

  onMessage(message: JsonObject): void {
    const type = stringField(message, 'type') ?? 'unknown';
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    this.cliSessionId = stringField(message, 'session_id') ?? this.cliSessionId;
    this.failure.onMessage(message);
    if (type === 'result') this.result = message;
    const isTopLevel = (message.parent_tool_use_id ?? null) === null;
    if (type === 'assistant' && isTopLevel) this.#onAssistant(message.message);
  }

  /** Messages by type. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** The answer so far: that of the result, else the last assistant message outside of sub-agents; `null`: none. */
  get text(): string | null {
    const text = this.result === undefined ? '' : stringField(this.result, 'result');
    return text || this.#text || null;
  }

  #onAssistant(message: unknown): void {
    if (!isJsonObject(message)) return;
    // One message of the model comes as one frame for each of its blocks.
    if (message.id !== this.#messageId || message.id === undefined) this.#text = '';
    this.#messageId = message.id;
    this.#text += textOf(message.content);
  }
}

/** The CLI begins a turn by itself when a background task has ended: nobody's message is answered by that. */
export function isResultOfTask({ type, origin }: JsonObject): boolean {
  return type === 'result' && isJsonObject(origin) && origin.kind === 'task-notification';
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block) =>
      isJsonObject(block) && block.type === 'text' ? (stringField(block, 'text') ?? '') : '',
    )
    .join('');
}
