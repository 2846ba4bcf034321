import type { Stats } from 'node:fs';
import { EdgeText } from '../transcript/head-tail.js';
import { EDGE_BYTES, type TranscriptEdges } from '../transcript/session-row.js';
import { readAt, readFrom } from './open-file.js';

export interface FileEdges extends TranscriptEdges {
  readonly stats: Stats;
}

/** Reads beginning and end of many files through one buffer. */
export class EdgeReader {
  readonly #buffer = Buffer.allocUnsafeSlow(EDGE_BYTES);

  /** `undefined` for files that cannot be read, are not regular, or are empty. */
  read(path: string): FileEdges | undefined {
    return readFrom(path, (descriptor, stats) => {
      if (stats.size === 0) return undefined;
      const edgeAt = (position: number) => new EdgeText(readAt(descriptor, this.#buffer, position));
      const head = edgeAt(0);
      return { head, tail: stats.size <= EDGE_BYTES ? head : edgeAt(stats.size - EDGE_BYTES), stats };
    });
  }
}
