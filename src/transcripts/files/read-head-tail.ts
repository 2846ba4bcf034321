import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { EdgeText } from '../transcript/head-tail.js';
import { EDGE_BYTES, type TranscriptEdges } from '../transcript/session-row.js';
import { NO_FOLLOW, NO_WAIT } from './open-file.js';

export interface FileEdges extends TranscriptEdges {
  readonly stats: Stats;
}

/** Reads beginning and end of many files through one buffer. */
export class EdgeReader {
  readonly #buffer = Buffer.allocUnsafeSlow(EDGE_BYTES);

  /** `undefined` for files that cannot be read, are not regular, or are empty. */
  read(path: string): FileEdges | undefined {
    let descriptor: number;
    try {
      descriptor = openSync(path, constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
    } catch {
      return undefined;
    }
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size === 0) return undefined;
      const head = this.#edgeAt(descriptor, 0);
      const tail = stats.size <= EDGE_BYTES ? head : this.#edgeAt(descriptor, stats.size - EDGE_BYTES);
      return { head, tail, stats };
    } catch {
      return undefined;
    } finally {
      closeSync(descriptor);
    }
  }

  #edgeAt(descriptor: number, position: number): EdgeText {
    let length = 0;
    while (length < EDGE_BYTES) {
      const read = readSync(descriptor, this.#buffer, length, EDGE_BYTES - length, position + length);
      if (read === 0) break;
      length += read;
    }
    return new EdgeText(this.#buffer.subarray(0, length));
  }
}
