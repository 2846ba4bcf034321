import { EdgeText } from '../transcript/head-tail.js';
import { readAt, readFrom } from './open-file.js';

const PIECE_BYTES = 65_536;

/** More than the longest path, so that one at the end of a piece is whole in the next. */
const OVERLAP_BYTES = 8192;

/** The CLI writes the `cwd` behind the prompt on a line, so it comes after a prompt's images. */
const MAX_BYTES = 64 * 1_048_576;

/**
 * The first working directory that a transcript names. `undefined` when there is none, or the file cannot be read.
 * @param start - Where to begin; what was read before has none.
 */
export function firstCwdOf(path: string, start = 0): string | undefined {
  return readFrom(path, (descriptor, { size }) => {
    const buffer = Buffer.allocUnsafe(PIECE_BYTES);
    const end = Math.min(size, MAX_BYTES);
    for (let at = Math.max(0, start - OVERLAP_BYTES); at < end; at += PIECE_BYTES - OVERLAP_BYTES) {
      const piece = readAt(descriptor, buffer, at);
      const cwd = piece.includes('"cwd":') ? new EdgeText(piece, at === 0).first('cwd', false) : undefined;
      if (cwd !== undefined) return cwd;
    }
    return undefined;
  });
}
