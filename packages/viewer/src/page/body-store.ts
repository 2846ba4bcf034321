import { inflate } from './inflate.js';

/** The body of a frame. */
export interface Body {
  /** JSON text: the whole of it, or its begin. */
  readonly text: string;
  readonly isWhole: boolean;
}

interface Chunk {
  readonly first: number;
  readonly count: number;
  readonly element: Element;
}

/** Chunks that stay decompressed. */
const KEPT_CHUNKS = 12;

/** Bodies of frames, decompressed when they are asked for. */
export class BodyStore {
  #chunks: Chunk[] = [];
  /** Lines of chunks by index of the first frame; the last used comes last. */
  readonly #lines = new Map<number, Promise<readonly string[]>>();
  /** What came from the server, by frame. */
  readonly #live = new Map<number, string>();
  readonly #ready: Promise<void>;

  constructor() {
    // The bodies come after the script: the page is shown before they are read.
    this.#ready =
      document.readyState === 'loading'
        ? new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }))
        : Promise.resolve();
    void this.#ready.then(() => {
      this.#chunks = [...document.querySelectorAll('script.bodies')].map((element) => ({
        first: Number(element.getAttribute('data-first')),
        count: Number(element.getAttribute('data-count')),
        element,
      }));
    });
  }

  /** Nothing of what was in the page is true any more. */
  clear(): void {
    this.#chunks = [];
    this.#live.clear();
  }

  add(from: number, bodies: readonly string[]): void {
    for (const [index, body] of bodies.entries()) this.#live.set(from + index, body);
  }

  /** @throws Error there is none: the page was cut. */
  async read(frame: number): Promise<Body> {
    await this.#ready;
    const live = this.#live.get(frame);
    if (live !== undefined) return bodyOf(live);
    const chunk = this.#chunks.find(({ first, count }) => frame >= first && frame < first + count);
    const line = chunk && (await this.#linesOf(chunk))[frame - chunk.first];
    if (line === undefined)
      throw new Error('this page was not written to its end: the body of this frame is not in it');
    return bodyOf(line);
  }

  /** Calls `visit` with each body, in order, until the signal is aborted. */
  async scan(signal: AbortSignal, visit: (frame: number, line: string) => void, onPart: () => void): Promise<void> {
    await this.#ready;
    for (const chunk of this.#chunks) {
      const lines = await this.#linesOf(chunk);
      if (signal.aborted) return;
      for (const [index, line] of lines.entries()) visit(chunk.first + index, line);
      onPart();
      // Else a large page does not answer while it searches.
      await new Promise((resolve) => setTimeout(resolve, 0));
      if (signal.aborted) return;
    }
    for (const [frame, line] of this.#live) visit(frame, line);
    onPart();
  }

  #linesOf({ first, element }: Chunk): Promise<readonly string[]> {
    const known = this.#lines.get(first);
    this.#lines.delete(first);
    const lines = known ?? inflate(element.textContent ?? '').then((text) => text.split('\n'));
    this.#lines.set(first, lines);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > KEPT_CHUNKS && oldest !== undefined) this.#lines.delete(oldest);
    return lines;
  }
}

function bodyOf(line: string): Body {
  if (!line.startsWith('~')) return { text: line, isWhole: true };
  // `bodies.ts` has written the begin of the frame as a JSON string.
  return { text: JSON.parse(line.slice(line.indexOf(' ') + 1)) as string, isWhole: false };
}
