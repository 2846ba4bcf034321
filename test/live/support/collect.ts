import type { SDKMessage, SDKResultMessage } from '../../../src/parser/message.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';

/** What a loop delivered, and what it threw in the end. */
export interface Collected {
  readonly messages: readonly SDKMessage[];
  readonly error: unknown;
}

/** Reads to the end, calling `onMessage` on the way. What the loop throws is kept, not thrown. */
export async function collect(
  source: AsyncIterable<SDKMessage>,
  onMessage: (message: SDKMessage) => void | Promise<void> = () => {},
): Promise<Collected> {
  const messages: SDKMessage[] = [];
  try {
    for await (const message of source) {
      messages.push(message);
      await onMessage(message);
    }
    return { messages, error: undefined };
  } catch (error) {
    return { messages, error };
  }
}

export function results(messages: readonly SDKMessage[]): readonly SDKResultMessage[] {
  return messages.filter((message) => message.type === 'result');
}

/** The text of each result that has one. */
export function resultTexts(messages: readonly SDKMessage[]): readonly unknown[] {
  return results(messages).map((result) => ('result' in result ? result.result : undefined));
}

/** Every tool result the CLI made, in order. */
export function toolResults(
  messages: readonly SDKMessage[],
): readonly { readonly text: string; readonly isError: boolean }[] {
  return messages
    .filter((message) => message.type === 'user')
    .flatMap((message): unknown => message.message.content)
    .filter((block): block is JsonObject => isJsonObject(block) && block.type === 'tool_result')
    .map((block) => ({ text: contentText(block.content), isError: block.is_error === true }));
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks.map((block) => (isJsonObject(block) ? String(block.text) : '')).join('');
}
