import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { field, textField } from './fields.js';

/** The text of a stream event; `undefined` when it is about something else. */
export function deltaOf(message: JsonObject): string | undefined {
  const event = field(message, 'event');
  if (isJsonObject(event)) {
    const isDelta = event.type === undefined || event.type === 'content_block_delta';
    return isDelta ? textOfDelta(event.delta) : undefined;
  }
  return textOfDelta(message.delta) ?? textField(message, 'text');
}

function textOfDelta(delta: unknown): string | undefined {
  if (typeof delta === 'string') return delta;
  if (!isJsonObject(delta)) return undefined;
  const isText = delta.type === undefined || delta.type === 'text_delta';
  return isText && typeof delta.text === 'string' ? delta.text : undefined;
}
