import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { RecordingFile } from './recording-file.js';
import type { Scrubber } from './scrub/scrubber.js';

export type RecordedStream = 'in' | 'out' | 'err';

interface Entry {
  readonly t: number;
  readonly dir: RecordedStream;
  readonly text: string;
  readonly isPartial: boolean;
}

/** A text block that streams: a secret may be split over its deltas, so they are written together. */
interface OpenBlock {
  readonly dir: RecordedStream;
  readonly first: Entry;
  readonly entries: [Entry, Delta][];
}

interface Delta {
  /** Index of the content block. */
  readonly block: unknown;
  readonly frame: JsonObject;
  readonly fields: JsonObject;
  readonly name: string;
}

const FLUSH_BYTES = 4 * 1024 * 1024;

/** Writes lines into the recording after they were passed on: scrubbed, in order, several in one write. */
export class LineLog {
  readonly #file: RecordingFile;
  readonly #proc: number;
  readonly #scrubber: Scrubber | undefined;
  readonly #began = Date.now() - performance.now();
  #queue: Entry[] = [];
  #bytes = 0;
  /** How many of the queue were looked at for text blocks. */
  #sorted = 0;
  /** In the order they began. */
  readonly #open = new Map<string, OpenBlock>();
  /** Frames whose text was scrubbed together with that of their neighbours. */
  readonly #changed = new WeakMap<Entry, JsonObject>();
  #scheduled: NodeJS.Immediate | undefined;

  constructor(file: RecordingFile, proc: number, scrubber: Scrubber | undefined) {
    this.#file = file;
    this.#proc = proc;
    this.#scrubber = scrubber;
  }

  line(dir: RecordedStream, text: string, isPartial = false): void {
    this.#queue.push({ t: this.#now(), dir, text, isPartial });
    this.#bytes += text.length;
    if (this.#bytes > FLUSH_BYTES) this.flush(true);
    else this.#scheduled ??= setImmediate(() => this.flush(false));
  }

  /** One happening. It comes after every line so far. */
  meta(data: JsonObject): void {
    this.flush(true);
    const scrubbed = this.#scrubber?.value(data, `meta ${String(data['event'])}`) ?? data;
    this.#file.append(this.#encode(this.#now(), 'meta', JSON.stringify(scrubbed)));
  }

  /** Writes what is queued; unless `isFinal`, what belongs to a text block that still streams waits. */
  flush(isFinal: boolean): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const ready = this.#takeReady(isFinal);
    if (ready.length === 0) return;
    this.#file.append(
      ready.map((entry) => this.#encode(entry.t, entry.dir, this.#data(entry))).join(''),
    );
  }

  #takeReady(isFinal: boolean): readonly Entry[] {
    if (this.#scrubber !== undefined) {
      for (const entry of this.#queue.slice(this.#sorted)) this.#sort(entry);
    }
    if (isFinal) this.#close();
    const held = this.#open.values().next().value?.first;
    const end = held === undefined ? this.#queue.length : this.#queue.indexOf(held);
    const ready = this.#queue.splice(0, end);
    this.#sorted = this.#queue.length;
    for (const { text } of ready) this.#bytes -= text.length;
    return ready;
  }

  #sort(entry: Entry): void {
    const delta = entry.dir === 'err' ? undefined : deltaOf(entry.text);
    if (delta === undefined) {
      // Anything else may end the block: its text is complete, or will never be.
      this.#close(entry.dir);
      return;
    }
    const key = [entry.dir, delta.frame['parent_tool_use_id'], delta.block, delta.name].join(' ');
    const block = this.#open.get(key) ?? { dir: entry.dir, first: entry, entries: [] };
    block.entries.push([entry, delta]);
    this.#open.set(key, block);
  }

  /** Scrubs what streamed in one block as one text. */
  #close(only?: RecordedStream): void {
    for (const [key, { dir, entries }] of this.#open) {
      if (only !== undefined && dir !== only) continue;
      const before = entries.map(([, { fields, name }]) => String(fields[name]));
      const after = this.#scrubber?.pieces(before, `${dir} stream_event`) ?? before;
      for (const [index, [entry, delta]] of entries.entries()) {
        delta.fields[delta.name] = after[index];
        if (after[index] !== before[index]) this.#changed.set(entry, delta.frame);
      }
      this.#open.delete(key);
    }
  }

  /** The line's frame as JSON text; what is no frame becomes a string. */
  #data(entry: Entry): string {
    const { dir, text, isPartial } = entry;
    const scrubber = this.#scrubber;
    if (dir === 'err') return JSON.stringify(scrubber?.text(text, dir) ?? text);
    const changed = this.#changed.get(entry);
    const frame = changed ?? (isPartial ? undefined : parseJsonObject(text));
    if (frame === undefined) return JSON.stringify(scrubber?.text(text, dir) ?? text);
    if (scrubber === undefined || (changed === undefined && scrubber.isClean(text)))
      return text.trim();
    return JSON.stringify(scrubber.value(frame, `${dir} ${kindOf(frame)}`));
  }

  #encode(t: number, dir: string, data: string): string {
    const proc = this.#proc === 1 ? '' : `,"proc":${this.#proc}`;
    return `{"t":${t},"dir":"${dir}"${proc},"data":${data}}\n`;
  }

  #now(): number {
    return Math.max(0, Math.round(this.#began + performance.now() - this.#file.startedAt));
  }
}

/** The text that a `stream_event` adds to its block. */
function deltaOf(line: string): Delta | undefined {
  if (!line.includes('"content_block_delta"')) return undefined;
  const frame = parseJsonObject(line);
  const event = frame?.['event'];
  const fields = isJsonObject(event) ? event['delta'] : undefined;
  if (frame === undefined || !isJsonObject(fields)) return undefined;
  const name = Object.keys(fields).find((key) => key !== 'type' && typeof fields[key] === 'string');
  return name === undefined || !isJsonObject(event)
    ? undefined
    : { block: event['index'], frame, fields, name };
}

function kindOf(frame: JsonObject): string {
  const inner = frame['request'] ?? frame['response'];
  const subtype = isJsonObject(inner) ? inner['subtype'] : frame['subtype'];
  return [frame['type'], subtype].filter((part) => typeof part === 'string').join('/');
}
