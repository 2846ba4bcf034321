import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Senders whose messages the CLI marks as meta although they are part of the conversation. */
const OTHER_SENDERS: readonly unknown[] = ['peer', 'channel', 'observer', 'observer-activity'];

/** True for what was written for the model only. A meta message of another sender is shown. */
export function isHiddenMeta(isMeta: unknown, origin: unknown): boolean {
  return Boolean(isMeta) && !(isJsonObject(origin) && OTHER_SENDERS.includes(origin.kind));
}

/** Other ids of a run are left out. */
const RUN_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** The `origin` of a message. That of a task notification has known fields only. */
export function shownOrigin(origin: unknown): { readonly origin?: unknown } {
  if (!origin) return {};
  return { origin: isJsonObject(origin) && origin.kind === 'task-notification' ? notification(origin) : origin };
}

function notification({ kind, subkind, fireReason, producer, runId, taskKind }: JsonObject): JsonObject {
  return {
    kind,
    ...(subkind === undefined ? {} : { subkind }),
    ...(fireReason === undefined ? {} : { fireReason }),
    ...(producer === undefined ? {} : { producer }),
    ...(isRunId(runId) ? { runId } : {}),
    ...(taskKind === 'mcp-task' ? { taskKind } : {}),
  };
}

function isRunId(id: unknown): id is string {
  return typeof id === 'string' && RUN_ID.test(id);
}

/** The origin of a queued prompt: what its attachment says, with the run that the attachment names beside it. */
export function queuedOrigin({ origin: said, commandMode, runId }: JsonObject): JsonObject | undefined {
  const origin = isJsonObject(said) && typeof said.kind === 'string' ? said : inMode(commandMode);
  if (origin?.kind !== 'task-notification' || isRunId(origin.runId) || !isRunId(runId)) return origin;
  return { ...origin, runId };
}

function inMode(commandMode: unknown): JsonObject | undefined {
  return commandMode === 'task-notification' ? { kind: commandMode } : undefined;
}
