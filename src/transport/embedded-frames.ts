import { stripVTControlCharacters } from 'node:util';
import { isJsonObject, type JsonObject, parseJson } from '../util/json.js';

export interface EmbeddedFrames {
  readonly frames: readonly { readonly frame: JsonObject; readonly text: string }[];
  /** What is left of the line: the pieces before, between and behind the frames, blank ones left out. */
  readonly others: readonly string[];
}

/** How often the length of a line is scanned, at most: candidates that never close would make it quadratic. */
const MAX_SCANS = 8;
/** What is scanned more than once, in UTF-16 units: at least for short lines, at most for long ones. */
const MIN_RESCANNED = 100 * 1024;
const MAX_RESCANNED = 4 * 1024 * 1024;
/** What it costs to parse a short object, in units that are scanned. */
const PARSE_UNITS = 100;

interface Candidate {
  readonly frame: JsonObject;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds frames in a line that is not JSON as a whole: a wrapper printed text without a line end before one, or behind
 * it, or two frames share the line. Text may also quote a frame, so only those count that touch the start or the end of
 * the line, or another one that counts; colours do not part them. Once something that begins like an object has turned out to be broken, only a
 * frame that ends the line counts: others may be parts of a frame that was cut.
 * @param isFrame - Whether an object can be one.
 */
export function findEmbeddedFrames(line: string, isFrame: (value: JsonObject) => boolean): EmbeddedFrames {
  const frames: { frame: JsonObject; text: string }[] = [];
  const others: string[] = [];
  let keptTo = 0;
  for (const { frame, start, end } of atTheEdges(line, candidatesIn(line, isFrame))) {
    others.push(line.slice(keptTo, start));
    frames.push({ frame, text: line.slice(start, end) });
    keptTo = end;
  }
  others.push(line.slice(keptTo));
  return { frames, others: others.filter((text) => !isBlank(text)) };
}

function candidatesIn(line: string, isFrame: (value: JsonObject) => boolean): Candidate[] {
  const candidates: Candidate[] = [];
  const lineEnd = line.trimEnd().length;
  let budget = Math.min(MAX_SCANS * line.length + MIN_RESCANNED, line.length + MAX_RESCANNED);
  let isBroken = false;
  // Most lines of garbage end here.
  const from = line.includes('"type"') ? 0 : line.length;
  for (let start = nextObject(line, from); start >= 0 && budget >= 0; ) {
    const end = endOfObject(line, start);
    budget -= (end < 0 ? line.length : end) - start + PARSE_UNITS;
    const value = end < 0 ? undefined : parseJson(line.slice(start, end));
    if (isJsonObject(value)) {
      if ((!isBroken || end === lineEnd) && isFrame(value)) candidates.push({ frame: value, start, end });
    } else {
      isBroken = true;
    }
    // Into a broken object, past a whole one.
    start = nextObject(line, isJsonObject(value) ? end : start + 1);
  }
  return candidates;
}

/** Those that nothing to be seen separates from the start or the end of the line, or from each other up to there. */
function atTheEdges(line: string, candidates: readonly Candidate[]): Candidate[] {
  const counts = new Set<Candidate>();
  let edge = 0;
  for (const each of candidates) {
    if (!isUnseen(line.slice(edge, each.start))) break;
    counts.add(each);
    edge = each.end;
  }
  edge = line.length;
  for (const each of candidates.toReversed()) {
    if (!isUnseen(line.slice(each.end, edge))) break;
    counts.add(each);
    edge = each.start;
  }
  return candidates.filter((each) => counts.has(each));
}

/** A byte order mark is blank too. */
function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** How long what a terminal does not show may be, in UTF-16 units. */
const MAX_UNSEEN = 1024;

/** Blank, but for colours, titles and NULs. */
function isUnseen(text: string): boolean {
  if (isBlank(text) || text.length > MAX_UNSEEN) return isBlank(text);
  return isBlank(stripVTControlCharacters(text).replaceAll('\0', ''));
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
