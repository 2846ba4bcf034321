import { isJsonObject } from '../../util/json.js';
import type { TranscriptEntry } from './entry.js';

/** A text that every note has in its line. */
export const NOTE_REASON = 'absorbed_mid_turn';

/**
 * The CLI's notes that it gave queued prompts to the model (`queue-operation` entries). They name a delivery, or in
 * older releases the prompt. What was stored more often than noted counts from its end.
 */
export class DeliveryNotes {
  readonly #deliveries = new Counted();
  readonly #prompts = new Counted();
  /** The attachment of each prompt, `null` when there are several that differ. */
  readonly #attachments = new Map<string, string | null>();

  add(entry: TranscriptEntry): void {
    if (entry.type === 'queue-operation') this.#addNote(entry);
    if (entry.type === 'attachment' && typeof entry.uuid === 'string') this.#addCopy(entry.uuid, entry.attachment);
  }

  /** Of the entries that notes are about, given a chain in order: whether they were delivered. By `uuid`. */
  verdictsOn(chain: readonly { readonly uuid: string }[]): ReadonlyMap<string, boolean> {
    const inChain = new Set(chain.map(({ uuid }) => uuid));
    const isClear = (prompt: string): boolean => this.#attachments.get(prompt) !== null;
    return new Map([
      ...this.#deliveries.verdicts(() => true),
      ...this.#prompts.verdicts((uuid, prompt) => inChain.has(uuid) && isClear(prompt)),
    ]);
  }

  #addNote({ operation, reason, deliveryId, commandUuid }: TranscriptEntry): void {
    if (operation !== 'remove' || reason !== NOTE_REASON) return;
    if (isId(deliveryId)) this.#deliveries.note(deliveryId);
    else if (isId(commandUuid)) this.#prompts.note(commandUuid);
  }

  #addCopy(uuid: string, attachment: unknown): void {
    if (!isJsonObject(attachment) || attachment.type !== 'queued_command') return;
    const { delivery_id: delivery, source_uuid: prompt } = attachment;
    if (isId(delivery)) this.#deliveries.add(delivery, uuid);
    if (isId(delivery) || !isId(prompt)) return;
    this.#prompts.add(prompt, uuid);
    const text = JSON.stringify(attachment);
    const known = this.#attachments.has(prompt) ? this.#attachments.get(prompt) : text;
    this.#attachments.set(prompt, known === text ? text : null);
  }
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Entries under an id, and how many of them are noted. */
class Counted {
  readonly #entries = new Map<string, Set<string>>();
  readonly #notes = new Map<string, number>();

  note(id: string): void {
    this.#notes.set(id, (this.#notes.get(id) ?? 0) + 1);
  }

  add(id: string, uuid: string): void {
    const entries = this.#entries.get(id);
    if (entries === undefined) this.#entries.set(id, new Set([uuid]));
    else entries.add(uuid);
  }

  /** Of the entries under a noted id the last ones were delivered, as many as are noted. */
  verdicts(counts: (uuid: string, id: string) => boolean): [string, boolean][] {
    return [...this.#notes].flatMap(([id, count]) => {
      const entries = [...(this.#entries.get(id) ?? [])].filter((uuid) => counts(uuid, id));
      return entries.map((uuid, index): [string, boolean] => [uuid, index >= entries.length - count]);
    });
  }
}
