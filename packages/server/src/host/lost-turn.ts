import type { ConversationApprovals } from '../approvals/conversation-approvals.js';
import type { ConversationBackground } from '../background/conversation-background.js';
import type { ConversationEvent } from '../events/conversation-event.js';
import type { EventFeed } from '../events/event-feed.js';
import type { ConversationLease } from './conversation-lease.js';
import { reportBackground } from './turn-end.js';

/** The end of a turn whose host died in it. */
export const LOST: ConversationEvent = { type: 'turn_ended', outcome: 'crashed' };

export interface LostTurnParams {
  readonly feed: EventFeed;
  readonly approvals: ConversationApprovals | undefined;
  readonly lease: ConversationLease;
  readonly background: ConversationBackground;
  /** Of the last turn of this host, if it may be missing in the log. */
  readonly end: ConversationEvent | undefined;
}

/** Stores the end of what a host left open that died, or that the log did not take, and nothing where its host is alive. */
export async function endLostTurn({ feed, approvals, lease, background, end }: LostTurnParams): Promise<void> {
  if (!(await feed.endsInTurn(true)) && (await approvals?.hasConsumed()) !== true) return;
  await lease.takeFor(async (follows) => {
    await approvals?.sayClosed(await feed.openApprovals());
    await approvals?.endLost();
    // The host may have ended the turn between the two.
    if (follows && end !== undefined && (await feed.endsInTurn())) void feed.append(end, true);
    else if ((await feed.endsInTurn()) && lease.isHeld) {
      await background.takeOver(await feed.lastTasks());
      await reportBackground({ background, feed, lease });
      if (lease.isHeld) void feed.append(LOST);
    }
    await feed.flush();
  });
}
