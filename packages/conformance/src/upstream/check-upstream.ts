import type { ShapeChange } from '../drift/compare-shapes.js';
import type { ReleaseKind } from '../drift/install-release.js';
import { type Followed, followUp, isBehind } from './follow-up.js';
import type { Versions } from './pins.js';

export interface UpstreamCheck {
  /** The to-do list, as Markdown. */
  readonly list: string;
  /** There is something to follow. */
  readonly isRed: boolean;
}

/** Compares the pinned releases with the newest ones. Only those that moved are looked into. */
export async function checkUpstream(
  pins: Versions,
  newest: Versions,
  changesOf: (kind: ReleaseKind, pinned: string, newest: string) => Promise<readonly ShapeChange[]>,
  placesOf: (version: string) => readonly string[],
): Promise<UpstreamCheck> {
  const all: Followed[] = [];
  for (const kind of ['cli', 'ts', 'py'] as const) {
    const followed = { kind, pinned: pins[kind], newest: newest[kind], changes: [], places: [] };
    if (!isBehind(followed)) all.push(followed);
    else {
      const changes = await changesOf(kind, pins[kind], newest[kind]);
      all.push({ ...followed, changes, places: placesOf(pins[kind]) });
    }
  }
  return { list: followUp(all), isRed: all.some(isBehind) };
}
