import type { KindShape, RunShape, SuiteShape } from './shapes.js';

/** What a change is about. */
export type ChangeArea = 'frame' | 'field' | 'sequence' | 'order' | 'exit' | 'flag' | 'default' | 'timing' | 'surface';

export interface ShapeChange {
  readonly area: ChangeArea;
  /** Scenario, or kind of frame. */
  readonly where: string;
  readonly what: string;
}

export interface ExplainedChange {
  /** The line of the change, or with `*` for anything. */
  readonly change: string;
  readonly reason: string;
}

export interface ShapeComparison {
  readonly changes: readonly ShapeChange[];
  readonly explained: readonly (ShapeChange & { readonly reason: string })[];
  /** Explanations that explain nothing any more. */
  readonly unused: readonly ExplainedChange[];
}

/** One change as a line, as `explained.json` names it. */
export const describeChange = ({ where, what }: ShapeChange): string => `${where}: ${what}`;

/** What changed in shape from one set of runs to another. Scenarios that were not run again are left alone. */
export function compareShapes(
  before: SuiteShape,
  now: SuiteShape,
  {
    explained = [],
    unordered = [],
  }: { readonly explained?: readonly ExplainedChange[]; readonly unordered?: readonly string[] } = {},
): ShapeComparison {
  const all = [
    ...Object.entries(now.scenarios).flatMap(([name, run]) =>
      name in (before.notRecorded ?? {}) ? [] : runChanges(name, before.scenarios[name], run, unordered.includes(name)),
    ),
    ...kindChanges(before, now),
  ];
  const reasonOf = (change: ShapeChange): ExplainedChange | undefined =>
    explained.find((each) => covers(each.change, describeChange(change)));
  return {
    changes: all.filter((change) => reasonOf(change) === undefined),
    explained: all.flatMap((change) => {
      const found = reasonOf(change);
      return found === undefined ? [] : [{ ...change, reason: found.reason }];
    }),
    unused: explained.filter((each) => !all.some((change) => covers(each.change, describeChange(change)))),
  };
}

function covers(pattern: string, text: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(text);
}

function runChanges(where: string, before: RunShape | undefined, now: RunShape, isUnordered: boolean): ShapeChange[] {
  if (before === undefined) return [{ area: 'sequence', where, what: 'is new' }];
  const [old, young] = [[...before.frames].sort(), [...now.frames].sort()];
  const isReordered = before.frames.join() !== now.frames.join() && old.join() === young.join();
  const area = isReordered ? 'order' : 'sequence';
  const [from, to] = isUnordered ? [old, young] : [before.frames, now.frames];
  const changes = sequenceChanges(from, to).map((what): ShapeChange => ({ area, where, what }));
  if (before.exit === now.exit) return changes;
  return [...changes, { area: 'exit', where, what: `exit ${String(before.exit)} is now ${String(now.exit)}` }];
}

/** Frames that are gone and frames that are new, by the longest common order. */
function sequenceChanges(before: readonly string[], now: readonly string[]): readonly string[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = before[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const changes: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < now.length) {
    if (i < before.length && j < now.length && before[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      changes.push(`frame ${i + 1}, ${before[i]}, is gone`);
      i += 1;
    } else {
      changes.push(`frame ${j + 1}, ${now[j]}, is new`);
      j += 1;
    }
  }
  return changes;
}

function kindChanges(before: SuiteShape, now: SuiteShape): ShapeChange[] {
  const kinds = new Set([...Object.keys(before.kinds), ...Object.keys(now.kinds)]);
  return [...kinds].sort().flatMap((kind): ShapeChange[] => {
    const [old, young] = [before.kinds[kind], now.kinds[kind]];
    const where = `frame ${kind}`;
    const missing = { before: isMissing(kind, now, before), now: isMissing(kind, before, now) };
    if (old === undefined) return missing.before ? [] : [{ area: 'frame', where, what: 'is new' }];
    if (young === undefined) return missing.now ? [] : [{ area: 'frame', where, what: 'is gone' }];
    return fieldChanges(old, young, missing).map((what) => ({ area: 'field', where, what }));
  });
}

/** Whether a scenario in which one side saw the kind was not recorded on the other. */
function isMissing(kind: string, seen: SuiteShape, other: SuiteShape): boolean {
  const places = seen.seenIn?.[kind] ?? Object.keys(seen.scenarios);
  return places.some((name) => !(name in other.scenarios));
}

/** A field that only some frames have may be in the runs that one side lacks. */
const isOptional = (type: string): boolean => type.split('|').includes('absent');

function fieldChanges(
  before: KindShape,
  now: KindShape,
  missing: { readonly before: boolean; readonly now: boolean },
): readonly string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  const isInside = (path: string, shape: KindShape): boolean =>
    paths.some(
      (outer) => shape[outer] === undefined && (path.startsWith(`${outer}.`) || path.startsWith(`${outer}[]`)),
    );
  return paths.flatMap((path) => {
    const [old, young] = [before[path], now[path]];
    if (old === young) return [];
    // What is inside a field that came or went is part of that.
    if (old === undefined) {
      const isHidden = isInside(path, before) || (missing.before && isOptional(young ?? ''));
      return isHidden ? [] : [`field ${path} is new: ${young}`];
    }
    if (young === undefined) {
      return isInside(path, now) || (missing.now && isOptional(old)) ? [] : [`field ${path} is gone: ${old}`];
    }
    return missing.before || missing.now ? [] : [`field ${path}: ${old} is now ${young}`];
  });
}
