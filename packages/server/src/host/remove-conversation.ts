import { HostError } from '../errors.js';
import type { ConversationKey } from '../stores/conversation-key.js';
import type { ConversationRecord } from '../stores/conversation-store.js';
import type { Conversation } from './conversation.js';
import { removeContents, sessionsOf } from './conversation-contents.js';
import { counted, type HostParts } from './host-parts.js';
import { Lease } from './lease.js';

/**
 * Removes everything of a conversation, the record last: as long as anything is left, the conversation is found, and
 * whoever was told of a failure can repeat the call.
 * @throws HostError `conflict`: a turn is open; `store_failed`.
 */
export async function removeConversation(
  record: ConversationRecord,
  conversation: Conversation,
  parts: HostParts,
): Promise<void> {
  const { store, eventLog, limits, metrics } = parts;
  const { turns } = conversation;
  const key: ConversationKey = { tenant: record.tenant, id: record.id };
  // Nothing was sent yet.
  if (turns.state === 'starting' && turns.cancelStart()) await turns.ended();
  // Its end was seen already.
  await turns.stored();
  const lease = turns.hasOpenTurn
    ? undefined
    : await Lease.take({ store, key, ttlMs: limits.leaseMs, onLost: () => {} });
  if (lease === undefined)
    throw new HostError('conflict', 'A turn is open. Interrupt it on its host, or wait for its end.');
  try {
    // What it still has to say is not stored: the lease is not its host's.
    await turns.gone();
    const sessions = await sessionsOf(record, eventLog);
    await removeContents(key, sessions, parts);
    conversation.endViewers();
    await store.remove(key);
    // A host that stood still may have written between the two.
    await removeContents(key, sessions, parts).catch(counted(metrics));
  } finally {
    await lease.release();
  }
}
