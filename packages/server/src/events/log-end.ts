import type { ConversationKey } from '../stores/conversation-key.js';
import type { BackgroundTask, ConversationEvent } from './conversation-event.js';
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
/** Events that are looked through for approvals. */
const RECENT = 500;

/** Whether the log ends within a turn. */
export async function endsInTurn(eventLog: EventLog, key: ConversationKey, lastId: number): Promise<boolean> {
  for await (const { type } of backwards(eventLog, key, lastId)) {
    if (!BETWEEN.includes(type)) return type !== 'turn_ended';
  }
  return false;
}

/**
 * The tasks that were said last to run on after their turn. Each turn says so before its end, so nothing older than the
 * turn before the last is looked at.
 */
export async function lastTasks(
  eventLog: EventLog,
  key: ConversationKey,
  lastId: number,
): Promise<readonly BackgroundTask[]> {
  let hasEnd = false;
  for await (const event of backwards(eventLog, key, lastId)) {
    if (event.type === 'background') return event.tasks;
    if (event.type === 'background_ended') return [];
    if (hasEnd && !BETWEEN.includes(event.type)) return [];
    hasEnd ||= event.type === 'turn_ended';
  }
  return [];
}

/**
 * Approvals among the newest events that viewers were told of, and not that they are over. One may be over all the same, where
 * a host died before it said so.
 */
export async function openApprovals(
  eventLog: EventLog,
  key: ConversationKey,
  lastId: number,
): Promise<readonly string[]> {
  const closed = new Set<string>();
  const open: string[] = [];
  let left = RECENT;
  for await (const event of backwards(eventLog, key, lastId)) {
    if (event.type === 'approval_closed') closed.add(event.approvalId);
    if (event.type === 'approval' && !closed.has(event.approvalId)) open.unshift(event.approvalId);
    left -= 1;
    if (left === 0) break;
  }
  return open;
}

async function* backwards(eventLog: EventLog, key: ConversationKey, last: number): AsyncGenerator<ConversationEvent> {
  let lastId = last;
  while (lastId > 0) {
    const after = Math.max(0, lastId - PAGE);
    const { events } = await eventLog.read(key, after, lastId - after);
    if (events.length === 0) return;
    for (const { event } of events.toReversed()) yield event;
    lastId = after;
  }
}
