import { HostError } from '../errors.js';
import type { ConversationStore } from '../stores/conversation-store.js';
import type { HostLimits } from './limits.js';

/** What is stored for one conversation, as far as this host knows. */
export class StoredBytes {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** @param bytes - What the record says when a turn is opened: another host may have added to it. */
  begin(bytes = 0): void {
    this.#total = Math.max(this.#total, bytes);
  }

  /** Something that is stored as JSON. What cannot be is not stored. */
  add(value: unknown): void {
    try {
      this.#total += Buffer.byteLength(JSON.stringify(value) ?? '');
    } catch {}
  }
}

/** @throws HostError `limit_reached`: the conversations of the tenant take as much as they may. */
export async function assertRoomToStore(
  { store, limits }: { readonly store: ConversationStore; readonly limits: Required<HostLimits> },
  tenant: string,
): Promise<void> {
  const { storedBytesPerTenant: most } = limits;
  if (most === 0) return;
  const { bytes } = await store.usage(tenant);
  if (bytes < most) return;
  const text = `The conversations of this tenant take ${bytes} bytes, and \`limits.storedBytesPerTenant\` is ${most}.`;
  throw new HostError('limit_reached', `${text} Delete conversations, then send the message again.`);
}
