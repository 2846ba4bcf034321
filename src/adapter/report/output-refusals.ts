import { isAssistantMessage, isUserMessage } from '../../parser/guards.js';
import { blocksOf } from '../../parser/read-message.js';

const MOST = 20;

/** The outputs that the CLI refused because they do not fit the schema, in its words: `/a: must match pattern "^a"`. */
export class OutputRefusals {
  readonly #calls = new Set<unknown>();
  readonly #texts: string[] = [];

  onMessage(message: object): void {
    if (isAssistantMessage(message)) {
      for (const { type, name, id } of blocksOf(message)) {
        if (type === 'tool_use' && name === 'StructuredOutput') this.#calls.add(id);
      }
    } else if (isUserMessage(message) && this.#calls.size > 0) {
      for (const { type, tool_use_id: id, is_error: isError, content } of blocksOf(message)) {
        if (type === 'tool_result' && isError === true && this.#calls.has(id)) this.#note(content);
      }
    }
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  #note(content: unknown): void {
    if (this.#texts.length >= MOST) return;
    const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
    this.#texts.push(text.replace(/^Output does not match required schema: /, ''));
  }
}

/** Words for an error, to follow its own. */
export function refusalsText(refusals: readonly string[]): string {
  const last = refusals.at(-1);
  if (last === undefined) return '';
  const count = refusals.length === 1 ? 'an output' : `${refusals.length} outputs, the last`;
  return ` Claude Code refused ${count} for: ${last}`;
}
