import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Senders whose messages the CLI marks as meta although they are part of the conversation. */
const OTHER_SENDERS: readonly unknown[] = ['peer', 'channel', 'observer', 'observer-activity'];

/** True for what was written for the model only. A meta message of another sender is shown. */
export function isHiddenMeta(isMeta: unknown, origin: unknown): boolean {
  return Boolean(isMeta) && !(isJsonObject(origin) && OTHER_SENDERS.includes(origin.kind));
}

/** The `origin` of a message. That of a task notification has known fields only. */
export function shownOrigin(origin: unknown): { readonly origin?: unknown } {
  if (origin === undefined || origin === null) return {};
  return { origin: isJsonObject(origin) && origin.kind === 'task-notification' ? notification(origin) : origin };
}

function notification({ kind, subkind, fireReason, runId }: JsonObject): JsonObject {
  return {
    kind,
    ...(subkind === undefined ? {} : { subkind }),
    ...(fireReason === undefined ? {} : { fireReason }),
    ...(typeof runId === 'string' && runId !== '' ? { runId } : {}),
  };
}
