import type { ConversationEvent } from '../events/conversation-event.js';
import type { EventFeed } from '../events/event-feed.js';
import type { EventLog } from '../events/event-log.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { HostParts } from './host-parts.js';
import { Lease } from './lease.js';

/** The end of a turn whose host died in it. */
export const LOST: ConversationEvent = { type: 'turn_ended', outcome: 'crashed' };

/** Whether the log ends within a turn. Its host is at work, or dead: the lease says which. */
export async function endsInTurn(eventLog: EventLog, key: ConversationKey): Promise<boolean> {
  const { lastId } = await eventLog.read(key, 0, 0);
  if (lastId === 0) return false;
  const [last] = (await eventLog.read(key, lastId - 1, 1)).events;
  return last !== undefined && last.event.type !== 'turn_ended';
}

/** Says that a lost turn is over, unless the host that has it is alive. */
export async function endLostTurn(
  { store, eventLog, limits }: Pick<HostParts, 'store' | 'eventLog' | 'limits'>,
  key: ConversationKey,
  feed: EventFeed,
): Promise<void> {
  if (!(await endsInTurn(eventLog, key))) return;
  const lease = await Lease.take(store, key, limits.leaseMs, () => {});
  if (lease === undefined) return;
  try {
    // The host may have ended it between the two.
    if (!(await endsInTurn(eventLog, key))) return;
    void feed.append(LOST);
    await feed.flush();
  } finally {
    await lease.release();
  }
}
