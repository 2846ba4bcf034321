import { gunzipSync, gzipSync } from 'node:zlib';
import { cut } from '../model/json.js';

/** Characters of bodies that are compressed together. */
const CHUNK_CHARS = 512 * 1024;
/** Of a body that comes when all together are over their limit. */
const SHORT_CHARS = 256;

export interface BodyChunk {
  /** Index of the first frame. */
  readonly first: number;
  readonly count: number;
  /** Lines of bodies, compressed with gzip. */
  readonly gz: Buffer;
}

export interface BodyLimits {
  /** Characters of one frame that are kept. */
  readonly frameChars: number;
  /** Characters of all frames together; after that only the begin of each is kept. */
  readonly allChars: number;
}

export const BODY_LIMITS: BodyLimits = { frameChars: 64 * 1024, allChars: 256 * 1024 * 1024 };

/**
 * The bodies of the frames, compressed. A line is JSON as it was, or `~BYTES ` and the begin of a longer one as a JSON
 * string.
 */
export class Bodies {
  readonly #limits: BodyLimits;
  readonly #chunks: BodyChunk[] = [];
  #open: string[] = [];
  #openChars = 0;
  #first = 0;
  #all = 0;
  /** How many frames are not whole here. */
  cutFrames = 0;

  constructor(limits: BodyLimits = BODY_LIMITS) {
    this.#limits = limits;
  }

  /**
   * @param bytes - length of the whole frame.
   * @returns the line.
   */
  add(json: string, bytes: number): string {
    const max = this.#all > this.#limits.allChars ? SHORT_CHARS : this.#limits.frameChars;
    let line = json.replaceAll('\n', ' ');
    if (line.length > max) {
      this.cutFrames += 1;
      line = `~${bytes} ${JSON.stringify(cut(line, max))}`;
    }
    this.#open.push(line);
    this.#openChars += line.length;
    this.#all += line.length;
    if (this.#openChars >= CHUNK_CHARS) this.#seal();
    return line;
  }

  /** The bodies of the frames from this index on. */
  from(frame: number): readonly string[] {
    const sealed = this.#chunks
      .filter(({ first, count }) => first + count > frame)
      .flatMap(({ first, gz }) =>
        gunzipSync(gz)
          .toString('utf8')
          .split('\n')
          .slice(Math.max(0, frame - first)),
      );
    return [...sealed, ...this.#open.slice(Math.max(0, frame - this.#first))];
  }

  /** All chunks so far; what is added later goes into new ones. */
  chunks(): readonly BodyChunk[] {
    this.#seal();
    return this.#chunks;
  }

  #seal(): void {
    const count = this.#open.length;
    if (count === 0) return;
    const gz = gzipSync(Buffer.from(this.#open.join('\n')), { level: 6 });
    this.#chunks.push({ first: this.#first, count, gz });
    this.#first += count;
    this.#open = [];
    this.#openChars = 0;
  }
}
