import type { ConversationApprovals } from '../approvals/conversation-approvals.js';
import type { ConversationEvent } from '../events/conversation-event.js';
import type { EventFeed } from '../events/event-feed.js';
import type { ConversationLease } from './conversation-lease.js';

/** The end of a turn whose host died in it. */
export const LOST: ConversationEvent = { type: 'turn_ended', outcome: 'crashed' };

export interface LostTurnParams {
  readonly feed: EventFeed;
  readonly approvals: ConversationApprovals | undefined;
  readonly lease: ConversationLease;
}

/** Stores the end of what a host left open that died, and nothing where its host is alive. */
export async function endLostTurn({ feed, approvals, lease }: LostTurnParams): Promise<void> {
  if (!(await feed.endsInTurn(true)) && (await approvals?.hasConsumed()) !== true) return;
  await lease.takeFor(async () => {
    await approvals?.endLost();
    // The host may have ended the turn between the two.
    if ((await feed.endsInTurn()) && lease.isHeld) void feed.append(LOST);
    await feed.flush();
  });
}
