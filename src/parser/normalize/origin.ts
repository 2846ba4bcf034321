import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Who made a message. As it came: keys beside `kind` are kept and not checked. */
export interface MessageOrigin {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The frame's `origin`, the same object; `undefined` unless it has a string `kind` (PY-235). */
export function parseOrigin(frame: JsonObject): MessageOrigin | undefined {
  const origin = frame.origin;
  return isOrigin(origin) ? origin : undefined;
}

function isOrigin(value: unknown): value is MessageOrigin {
  return isJsonObject(value) && typeof value.kind === 'string';
}
