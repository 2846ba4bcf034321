import { deleteSession } from 'claudewire';
import { HostError } from '../errors.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import type { Conversation } from './conversation.js';
import type { HostParts } from './host-parts.js';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const PAGE = 500;

/**
 * Removes everything of a conversation, the record last: as long as anything is left, the conversation is found, and
 * whoever was told of a failure can repeat the call.
 * @throws HostError `conflict`: a turn is open; `store_failed`.
 */
export async function removeConversation(
  record: ConversationRecord,
  conversation: Conversation,
  { store, eventLog, sessionStore, approvals, wakeUps, homes, limits }: HostParts,
): Promise<void> {
  const { turns } = conversation;
  const key: ConversationKey = { tenant: record.tenant, id: record.id };
  // Nothing was sent yet.
  if (turns.state === 'starting' && turns.cancelStart()) await turns.ended();
  // Its end was seen already.
  await turns.stored();
  const token = turns.hasOpenTurn ? undefined : await store.acquire(key, limits.leaseMs);
  if (token === undefined) throw new HostError('conflict', 'A turn is open. Interrupt it first.');
  try {
    await turns.evict();
    const { cwd } = await homes.optionsOf(key.tenant);
    await approvals?.store.removeAll(key);
    await wakeUps.set(key, []);
    if (sessionStore.delete !== undefined) {
      for (const sessionId of await sessionsOf(record, eventLog)) {
        await deleteSession(sessionId, { sessionStore, dir: cwd ?? process.cwd() });
      }
    }
    await eventLog.remove(key);
    conversation.endViewers();
    await store.remove(key);
  } catch (error) {
    await store.release(key, token).catch(() => {});
    throw error;
  }
}

/** Also those of turns that crashed: the record knows a session only when its turn was stored. */
async function sessionsOf(record: ConversationRecord, eventLog: EventLog): Promise<ReadonlySet<string>> {
  const found = new Set(record.sessionId === undefined ? [] : [record.sessionId]);
  for (let after = 0; ; ) {
    const { events } = await eventLog.read(record, after, PAGE);
    for (const { event } of events) {
      const id: unknown = event.type === 'message' && 'session_id' in event.message ? event.message.session_id : '';
      if (typeof id === 'string' && UUID.test(id)) found.add(id);
    }
    const last = events.at(-1)?.id ?? 0;
    if (last <= after) return found;
    after = last;
  }
}
