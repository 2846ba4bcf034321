import { cut, isJsonObject, type JsonObject, objectAt, textAt } from './json.js';
import type { StreamedText } from './view-data.js';

const MAX_CHARS = 65_536;

interface Block {
  readonly index: number;
  kind: StreamedText['kind'];
  readonly parent: string | undefined;
  readonly first: number;
  last: number;
  pieces: number;
  text: string;
  chars: number;
}

const KINDS: Readonly<Record<string, StreamedText['kind']>> = {
  text: 'text',
  thinking: 'thinking',
  partial_json: 'input',
};

/** Puts texts together that stream in pieces, each under its process, its agent and its block. */
export class Texts {
  readonly #all: Block[] = [];
  readonly #open = new Map<string, Block>();

  /**
   * @param frame - a `stream_event`.
   * @returns the number of the text that this frame adds to.
   */
  add(index: number, proc: number, frame: object): number | undefined {
    const event = objectAt(frame, 'event');
    const parent = textAt(frame, 'parent_tool_use_id');
    const stream = `${proc} ${parent ?? ''}`;
    const { type } = event;
    if (type === 'message_start' || type === 'message_stop') {
      for (const key of this.#open.keys()) if (key.startsWith(`${stream} #`)) this.#open.delete(key);
      return undefined;
    }
    const key = `${stream} #${String(event.index)}`;
    if (type === 'content_block_start') this.#open.delete(key);
    if (type === 'content_block_stop') {
      const block = this.#open.get(key);
      this.#open.delete(key);
      if (block !== undefined) block.last = index;
      return block?.index;
    }
    return type === 'content_block_delta' ? this.#delta(key, index, parent, event) : undefined;
  }

  get all(): readonly StreamedText[] {
    return this.#all.map(({ index: _, parent, ...rest }) => (parent === undefined ? rest : { ...rest, parent }));
  }

  #delta(key: string, index: number, parent: string | undefined, event: JsonObject): number | undefined {
    const { delta } = event;
    if (!isJsonObject(delta)) return undefined;
    const [name, piece] =
      Object.entries(delta).find(([field, value]) => field in KINDS && typeof value === 'string') ?? [];
    if (name === undefined || typeof piece !== 'string') return undefined;
    let block = this.#open.get(key);
    if (block === undefined) {
      const kind = KINDS[name] ?? 'other';
      block = {
        ...{ index: this.#all.length, kind, parent, first: index, last: index },
        pieces: 0,
        text: '',
        chars: 0,
      };
      this.#all.push(block);
      this.#open.set(key, block);
    }
    block.last = index;
    block.pieces += 1;
    block.chars += piece.length;
    if (block.text.length < MAX_CHARS) block.text = cut(block.text + piece, MAX_CHARS);
    return block.index;
  }
}
