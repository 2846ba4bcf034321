import type { Frame, ViewData } from '../model/view-data.js';

/** Frames by column: a fifth of the size of a list of objects. */
export interface PackedFrames {
  readonly t: readonly number[];
  /** A letter each: `i`, `o`, `e`, `m`. */
  readonly dir: string;
  readonly proc: readonly number[];
  readonly kinds: readonly string[];
  /** Index into `kinds`. */
  readonly kind: readonly number[];
  readonly title: readonly string[];
  readonly bytes: readonly number[];
  readonly line: readonly number[];
  /** What few frames have, by index. */
  readonly more: readonly (readonly [number, Extra])[];
}

type Extra = Pick<Frame, 'peer' | 'latencyMs' | 'state' | 'severity' | 'text'>;

export interface PackedView extends Omit<ViewData, 'frames'> {
  readonly frames: PackedFrames;
  /** The page gets more from the server that it came from. */
  readonly isLive: boolean;
}

/** What a page that follows gets. */
export interface LiveUpdate extends Omit<ViewData, 'frames'> {
  /** Index of the first frame here. */
  readonly from: number;
  readonly frames: PackedFrames;
  /** Index of the frame that the first body is of. */
  readonly bodiesFrom: number;
  readonly bodies: readonly string[];
  /** The file is another one: what was shown goes. */
  readonly isNew: boolean;
  /** Frames that were shown before, and have changed. */
  readonly changed: readonly (readonly [number, Frame])[];
  /** The file has no more to come: the server ends. */
  readonly isOver: boolean;
}

const LETTERS = { in: 'i', out: 'o', err: 'e', meta: 'm' } as const;
const DIRECTIONS = { i: 'in', o: 'out', e: 'err', m: 'meta' } as const;

export function packFrames(frames: readonly Frame[]): PackedFrames {
  const kinds = new Map<string, number>();
  const more: [number, Extra][] = [];
  for (const [index, { kind, peer, latencyMs, state, severity, text }] of frames.entries()) {
    if (!kinds.has(kind)) kinds.set(kind, kinds.size);
    const extra = {
      ...(peer === undefined ? {} : { peer }),
      ...(latencyMs === undefined ? {} : { latencyMs }),
      ...(state === undefined ? {} : { state }),
      ...(severity === undefined ? {} : { severity }),
      ...(text === undefined ? {} : { text }),
    };
    if (Object.keys(extra).length > 0) more.push([index, extra]);
  }
  return {
    t: frames.map(({ t }) => t),
    dir: frames.map(({ dir }) => LETTERS[dir]).join(''),
    proc: frames.map(({ proc }) => proc),
    kinds: [...kinds.keys()],
    kind: frames.map(({ kind }) => kinds.get(kind) ?? 0),
    title: frames.map(({ title }) => title),
    bytes: frames.map(({ bytes }) => bytes),
    line: frames.map(({ line }) => line),
    more,
  };
}

export function unpackFrames({ t, dir, proc, kinds, kind, title, bytes, line, more }: PackedFrames): Frame[] {
  const frames: Frame[] = t.map((at, index) => ({
    t: at,
    // `packFrames` has written one of the four.
    dir: DIRECTIONS[dir[index] as 'i'],
    proc: proc[index] ?? 1,
    kind: kinds[kind[index] ?? 0] ?? '',
    title: title[index] ?? '',
    bytes: bytes[index] ?? 0,
    line: line[index] ?? 0,
  }));
  for (const [index, extra] of more) {
    const frame = frames[index];
    if (frame !== undefined) Object.assign(frame, extra);
  }
  return frames;
}
