import type { SDKMessage } from 'claudewire';
import type { ConversationApprovals } from '../approvals/conversation-approvals.js';
import type { ConversationBackground } from '../background/conversation-background.js';
import { HostError } from '../errors.js';
import type { ConversationEvent, TurnOutcome } from '../events/conversation-event.js';
import type { EventFeed } from '../events/event-feed.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationLease } from './conversation-lease.js';
import { counted, type HostParts } from './host-parts.js';
import type { Questions } from './questions.js';
import type { StoredBytes } from './stored-bytes.js';

export interface TurnEndParams {
  readonly key: ConversationKey;
  readonly parts: HostParts;
  readonly feed: EventFeed;
  readonly lease: ConversationLease;
  readonly questions: Questions;
  readonly approvals: ConversationApprovals | undefined;
  readonly background: ConversationBackground;
  readonly stored: StoredBytes;
}

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly costUsd: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** What Claude Code said last. */
  readonly last: SDKMessage | undefined;
}

export interface StoredEnd {
  /** The event of the end, if the log may not have taken it. */
  readonly unsaid: ConversationEvent | undefined;
  /** The conversation was removed meanwhile. */
  readonly isRemoved: boolean;
}

/** Stores that a turn is over, with its questions and approvals. A store that fails is counted. */
export async function storeTurnEnd(
  { key, parts, feed, lease, questions, approvals, background, stored }: TurnEndParams,
  { outcome, costUsd, retryAfterMs, last }: TurnEnd,
): Promise<StoredEnd> {
  const { store, metrics } = parts;
  await lease.doubtSettled();
  questions.withdrawAll();
  // One whose end cannot be stored is `outcome_unknown` for whoever looks at it next.
  await approvals?.turnEnded(last).catch(counted(metrics));
  await reportBackground({ background, feed, lease }, true).catch(counted(metrics));
  const cost = costUsd === undefined ? {} : { costUsd };
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs };
  const end: ConversationEvent = { type: 'turn_ended', outcome, ...cost, ...retry };
  if (lease.isHeld) void feed.append(end);
  metrics.turns[outcome] = (metrics.turns[outcome] ?? 0) + 1;
  const changes = { updatedAt: Date.now(), bytes: stored.total };
  const touch = (token?: number): Promise<void> => store.update(key, changes, token);
  const failures: unknown[] = [];
  const failed = (error: unknown): void => {
    failures.push(error);
    counted(metrics)(error);
  };
  await feed.flush().catch(failed);
  const unsaid = failures.length > 0 ? end : undefined;
  // After the log: what was appended late, to a conversation that is gone, is known by this.
  if (lease.isHeld) await lease.write(touch).catch(failed);
  return { unsaid, isRemoved: failures.some((error) => error instanceof HostError && error.code === 'not_found') };
}

/** Says and stores what has changed of what outlives turns. With the lease. @throws HostError `store_failed`. */
export async function reportBackground(
  { background, feed, lease }: Pick<TurnEndParams, 'background' | 'feed' | 'lease'>,
  isTurnEnd = false,
): Promise<void> {
  if (!lease.isHeld) return;
  for (const event of background.takeNews(isTurnEnd)) void feed.append(event);
  await background.save();
}
