import { deleteSession } from 'claudewire';
import { storeFailure } from '../errors.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import { counted, type HostParts } from './host-parts.js';
import { removeLocalSessions } from './local-sessions.js';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const PAGE = 500;

/** Removes what was on its way to the stores while another host removed the conversation, if it did. Never rejects. */
export async function removeLate(key: ConversationKey, parts: HostParts, sessionId?: string): Promise<void> {
  try {
    if ((await parts.store.get(key)) !== undefined) return;
    const sessions = await sessionsOf({ ...key, ...(sessionId === undefined ? {} : { sessionId }) }, parts.eventLog);
    await removeContents(key, sessions, parts);
  } catch (error) {
    counted(parts.metrics)(error);
  }
}

/** Removes everything of a conversation but its record. @throws HostError `store_failed`. */
export async function removeContents(
  key: ConversationKey,
  sessions: ReadonlySet<string>,
  { eventLog, sessionStore, approvals, wakeUps, homes }: HostParts,
): Promise<void> {
  const { cwd, env } = await homes.optionsOf(key.tenant);
  await approvals?.store.removeAll(key);
  await wakeUps.set(key, []);
  if (sessionStore.delete !== undefined) {
    for (const sessionId of sessions) await deleteSession(sessionId, { sessionStore, dir: cwd ?? process.cwd() });
  }
  await removeLocalSessions(env.CLAUDE_CONFIG_DIR, sessions).catch((error: unknown) => {
    throw storeFailure('Removing the transcripts in the home of the tenant', error);
  });
  await eventLog.remove(key);
}

/** Sessions of a conversation, also those of turns that crashed: the record knows a session only when its turn was stored. */
export async function sessionsOf(
  record: Pick<ConversationRecord, 'tenant' | 'id' | 'sessionId'>,
  eventLog: EventLog,
): Promise<ReadonlySet<string>> {
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
