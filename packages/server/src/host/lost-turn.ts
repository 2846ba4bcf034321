import type { ConversationEvent } from '../events/conversation-event.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationKey } from '../stores/conversation-key.js';

/** The end of a turn whose host died in it. */
export const LOST: ConversationEvent = { type: 'turn_ended', outcome: 'crashed' };

/** Whether the log ends within a turn. Its host is at work, or dead: the lease says which. */
export async function endsInTurn(eventLog: EventLog, key: ConversationKey): Promise<boolean> {
  const { lastId } = await eventLog.read(key, 0, 0);
  if (lastId === 0) return false;
  const [last] = (await eventLog.read(key, lastId - 1, 1)).events;
  return last !== undefined && last.event.type !== 'turn_ended';
}
