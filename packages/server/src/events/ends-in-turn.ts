import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationEvent } from './conversation-event.js';
import type { EventLog } from './event-log.js';

/** What may be written between two turns, and opens none. */
const BETWEEN: readonly ConversationEvent['type'][] = [
  'approval',
  'approval_closed',
  'background',
  'background_ended',
  'events_dropped',
  'question_closed',
];
const PAGE = 50;

/** Whether the log ends within a turn, from its last event backwards. */
export async function endsInTurn(eventLog: EventLog, key: ConversationKey, last: number): Promise<boolean> {
  let lastId = last;
  while (lastId > 0) {
    const after = Math.max(0, lastId - PAGE);
    const { events } = await eventLog.read(key, after, lastId - after);
    const last = events.findLast(({ event }) => !BETWEEN.includes(event.type));
    if (last !== undefined) return last.event.type !== 'turn_ended';
    if (events.length === 0) return false;
    lastId = after;
  }
  return false;
}
