import { isJsonObject, type JsonObject } from '../util/json.js';
import type {
  APIContentBlock,
  APIContentBlockParam,
  SDKAssistantMessage,
  SDKMessage,
  SDKUnlistedMessage,
  SDKUserMessage,
} from './message.js';

/*
 * How this package reads messages: a guard from here or from `guards.ts` checks the tags, then `fieldsOf` gives the fields,
 * which nobody has validated.
 */

type KnownMessage = SDKMessage | SDKUnlistedMessage;
type MessageType = KnownMessage['type'];
type SystemSubtype = Extract<KnownMessage, { type: 'system' }>['subtype'];
type KeyOf<T> = T extends unknown ? keyof T : never;

/** The known fields of a message, with unvalidated values. */
export type Unchecked<T> = { readonly [Key in KeyOf<T>]?: unknown };

/** The same object, with every field `unknown`. */
export function fieldsOf<T extends object>(message: T): Unchecked<T> {
  return message as Unchecked<T>;
}

export function isMessage<T extends MessageType>(value: unknown, type: T): value is Extract<KnownMessage, { type: T }> {
  return isJsonObject(value) && value.type === type;
}

export function isSystemMessage<S extends SystemSubtype>(
  value: unknown,
  subtype: S,
): value is Extract<KnownMessage, { type: 'system'; subtype: S }> {
  return isJsonObject(value) && value.type === 'system' && value.subtype === subtype;
}

/** True for messages of a sub-agent, whatever their type. */
export function isOfSubagent(message: object): boolean {
  const { parent_tool_use_id: parent } = message as JsonObject;
  return typeof parent === 'string' && parent !== '';
}

/** The content blocks of a message; a string counts as one text block, and what is no object is left out. */
export function blocksOf(
  message: SDKAssistantMessage | SDKUserMessage,
): readonly Unchecked<APIContentBlock | APIContentBlockParam>[] {
  const inner = fieldsOf(message).message;
  if (!isJsonObject(inner)) return [];
  const { content } = inner;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}
