import { inspect } from 'node:util';
import { isJsonObject, type JsonObject, stringField } from '../../util/json.js';

/** The text of a string or of a list of blocks; blocks without a text as `<type>`. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks: unknown[] = Array.isArray(content) ? content : [];
  return blocks
    .map((block) =>
      isJsonObject(block) ? (stringField(block, 'text') ?? `<${String(block.type)}>`) : `<${typeof block}>`,
    )
    .join('\n');
}

/** The text of one user message. */
export function promptText(frame: JsonObject): string {
  return isJsonObject(frame.message) ? contentText(frame.message.content) : '';
}

const SHORT = { maxStringLength: 200, breakLength: Number.POSITIVE_INFINITY };

/** What is said of frames that came after the last step; `undefined` where no user message is among them. */
export function ranOut(frames: readonly unknown[]): string | undefined {
  const texts = frames.filter(isUserMessage).map((frame) => inspect(promptText(frame), SHORT));
  return texts.length === 0 ? undefined : `the script ran out: the application also sent ${texts.join(', ')}`;
}

const isUserMessage = (frame: unknown): frame is JsonObject => isJsonObject(frame) && frame.type === 'user';
