import { isJsonObject, type JsonObject, parseJson } from '../util/json.js';

export interface EmbeddedFrames {
  readonly frames: readonly { readonly frame: JsonObject; readonly text: string }[];
  /** What is left of the line: the pieces before, between and behind the frames, blank ones left out. */
  readonly others: readonly string[];
}

/** How often the length of a line is scanned, at most: candidates that never close would make it quadratic. */
const MAX_SCANS = 8;

/**
 * Finds frames in a line that is not JSON as a whole: a wrapper printed text without a line end before one, or behind
 * it, or two frames share the line. A frame is an object with a `type`. Once something that begins like an object has
 * turned out to be broken, only a frame that ends the line counts: others may be parts of a frame that was cut.
 */
export function findEmbeddedFrames(line: string): EmbeddedFrames {
  const frames: { frame: JsonObject; text: string }[] = [];
  const others: string[] = [];
  const lineEnd = line.trimEnd().length;
  let budget = MAX_SCANS * line.length;
  let isBroken = false;
  let keptTo = 0;
  // Most lines of garbage end here.
  const from = line.includes('"type"') ? 0 : line.length;
  for (let start = nextObject(line, from); start >= 0; ) {
    const end = endOfObject(line, start);
    budget -= (end < 0 ? line.length : end) - start;
    const text = end < 0 ? '' : line.slice(start, end);
    const frame = end < 0 ? undefined : parseJson(text);
    if (isFrame(frame) && (!isBroken || end === lineEnd)) {
      others.push(line.slice(keptTo, start));
      frames.push({ frame, text });
      keptTo = end;
    } else if (frame === undefined) {
      isBroken = true;
    }
    // Into a broken object, past a whole one.
    start = nextObject(line, frame === undefined ? start + 1 : end);
    if (budget < 0) start = -1;
  }
  others.push(line.slice(keptTo));
  return { frames, others: others.filter((text) => text.trim() !== '') };
}

function isFrame(value: unknown): value is JsonObject {
  return isJsonObject(value) && typeof value.type === 'string';
}

/** Where the next brace is that a key follows; -1: there is none. */
function nextObject(line: string, from: number): number {
  for (let at = line.indexOf('{', from); at >= 0; at = line.indexOf('{', at + 1)) {
    let next = at + 1;
    while (line[next] === ' ' || line[next] === '\t') next += 1;
    if (line[next] === '"') return at;
    at = next - 1;
  }
  return -1;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Behind the brace that closes the one at `start`; -1: none does. */
function endOfObject(line: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (isInString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) isInString = false;
    } else if (unit === QUOTE) {
      isInString = true;
    } else if (unit === OPENING_BRACE) {
      depth += 1;
    } else if (unit === CLOSING_BRACE) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}
