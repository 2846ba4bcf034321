import { isJsonObject, type JsonObject, parseJsonObject } from '../../../util/json.js';
import { rewriteJson } from './rewrite-json.js';
import type { Scrubber } from './scrubber.js';

/** A line that waits for being written. */
export interface Entry {
  readonly t: number;
  readonly dir: 'in' | 'out' | 'err' | 'meta';
  text: string;
  readonly length: number;
  readonly isPartial: boolean;
}

/** The line's frame as JSON text; what is no frame becomes a string. */
export function dataOf({ dir, text, isPartial }: Entry, scrubber: Scrubber | undefined): string {
  const frame = dir === 'err' || isPartial ? undefined : parseJsonObject(text);
  if (frame === undefined) return JSON.stringify(scrubber?.line(text, dir) ?? text);
  const source = text.trim();
  if (scrubber === undefined || scrubber.isClean(source)) return source;
  return scrubber.json(source, `${dir} ${kindOf(frame)}`);
}

function kindOf(frame: JsonObject): string {
  const inner = frame.request ?? frame.response;
  const subtype = isJsonObject(inner) ? inner.subtype : frame.subtype;
  const parts = [frame.type ?? frame.event, subtype];
  return parts.filter((part) => typeof part === 'string').join('/');
}

/** Nothing waits longer for the rest of its text. */
export const HOLD_MS = 2000;
/** How much of a text that was written already is looked at again with what follows. */
const CONTEXT_CHARS = 64 * 1024;

/** A text that streams: a secret may be split over its deltas, so they are scrubbed as one text. */
interface Block {
  readonly dir: Entry['dir'];
  /** Which frames belong to it, and its index among the blocks of one message. */
  readonly parent: unknown;
  readonly index: unknown;
  /** What was written of it. */
  context: string;
  waiting: { readonly entry: Entry; readonly name: string; readonly piece: string }[];
}

/** The texts that stream, by the frames that add to them and end them. */
export class TextBlocks {
  readonly #scrubber: Scrubber;
  readonly #blocks = new Map<string, Block>();
  readonly #held = new Set<Entry>();

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** Every line passes here, in order. */
  add(entry: Entry): void {
    const { dir, text } = entry;
    if ((dir !== 'in' && dir !== 'out') || !text.includes('"stream_event"')) return;
    const frame = parseJsonObject(text);
    const event = frame?.event;
    if (frame === undefined || !isJsonObject(event)) return;
    const parent = frame.parent_tool_use_id ?? null;
    const { type, index } = event;
    if (type === 'content_block_delta') this.#addDelta(entry, { parent, event });
    const isStop = type === 'content_block_stop' || type === 'content_block_start';
    if (!isStop && type !== 'message_stop' && type !== 'message_start') return;
    for (const [key, block] of this.#blocks) {
      if (block.dir !== dir || block.parent !== parent) continue;
      if (isStop && block.index !== index) continue;
      this.#release(block, block.waiting.length);
      this.#blocks.delete(key);
    }
  }

  /** Whether this line waits for the rest of its text. */
  isHeld(entry: Entry): boolean {
    return this.#held.has(entry);
  }

  /** Lets go of all but the last word of each text, and of that too when it has waited long enough. */
  releaseOld(now: number): void {
    for (const block of this.#blocks.values()) {
      const joined = block.waiting.map(({ piece }) => piece).join('');
      const wordStart = joined.length - (/(?<!\S)\S*$/.exec(joined.slice(-CONTEXT_CHARS))?.[0].length ?? 0);
      let offset = 0;
      const end = block.waiting.findIndex(({ entry, piece }) => {
        offset += piece.length;
        return offset > wordStart && now - entry.t < HOLD_MS;
      });
      this.#release(block, end === -1 ? block.waiting.length : end);
    }
  }

  /** Lets go of everything. What follows is still scrubbed together with it. */
  releaseAll(): void {
    for (const block of this.#blocks.values()) this.#release(block, block.waiting.length);
  }

  #addDelta(entry: Entry, { parent, event }: { parent: unknown; event: JsonObject }): void {
    const delta = event.delta;
    const fields = isJsonObject(delta) ? Object.entries(delta) : [];
    const [name, piece] = fields.find(([key, value]) => key !== 'type' && typeof value === 'string') ?? [];
    if (name === undefined) return;
    const key = JSON.stringify([entry.dir, parent, event.index, name]);
    const fresh = { dir: entry.dir, parent, index: event.index, context: '', waiting: [] };
    const block: Block = this.#blocks.get(key) ?? fresh;
    block.waiting.push({ entry, name, piece: String(piece) });
    this.#blocks.set(key, block);
    this.#held.add(entry);
  }

  /** Scrubs what streamed as one text, and lets the first lines of it go. */
  #release(block: Block, count: number): void {
    if (count === 0) return;
    const { context, waiting, dir } = block;
    const pieces = waiting.map(({ piece }) => piece);
    const where = `${dir} stream_event`;
    const isWhole = context === '' && count === pieces.length;
    const after = isWhole
      ? this.#scrubber.pieces(pieces, where)
      : this.#scrubber.pieces([context, ...pieces], where, [1, count + 1]).slice(1);
    for (const [index, { entry, name, piece }] of waiting.slice(0, count).entries()) {
      const by = after[index] ?? '';
      this.#held.delete(entry);
      if (by !== piece) entry.text = withDelta(entry.text, name, by);
    }
    block.context = (context + pieces.slice(0, count).join('')).slice(-CONTEXT_CHARS);
    block.waiting = waiting.slice(count);
  }
}

function withDelta(source: string, name: string, by: string): string {
  return rewriteJson(source, '', {
    enter: (key, outer) => `${outer}/${key}`,
    name: (key) => key,
    text: (value, place) => (place === `/event/delta/${name}` ? by : value),
    number: () => undefined,
  });
}
