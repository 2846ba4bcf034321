import type { Declared } from './declared.js';

export interface Addition {
  readonly happened: 'addition';
  readonly path: string;
  readonly now: Declared;
}

export interface Change {
  readonly happened: 'change';
  readonly path: string;
  readonly before: Declared;
  readonly now: Declared;
}

export interface Removal {
  readonly happened: 'removal';
  readonly path: string;
  readonly before: Declared;
}

export type SurfaceChange = Addition | Change | Removal;

/**
 * Everything that came, went, or is declared differently, sorted by path. What a path says of its parts is compared at the
 * parts: a new member of a union is an addition, and no change of the field that has the union. A declaration that only
 * moved to another file, and names of a tuple in another order, are no change.
 */
export function compareSurfaces(before: readonly Declared[], now: readonly Declared[]): readonly SurfaceChange[] {
  const [old, young] = [byPath(before), byPath(now)];
  const paths = [...new Set([...old.keys(), ...young.keys()])].sort();
  return paths.flatMap((path) => changesOf(path, old.get(path) ?? [], young.get(path) ?? []));
}

function byPath(all: readonly Declared[]): ReadonlyMap<string, readonly Declared[]> {
  const paths = new Map<string, Declared[]>();
  for (const each of all) {
    const known = paths.get(each.path);
    if (known === undefined) paths.set(each.path, [each]);
    else known.push(each);
  }
  return paths;
}

/** Mostly one fact a side. More of them are a type and a value of one name, or files that disagree. */
function changesOf(path: string, before: readonly Declared[], now: readonly Declared[]): readonly SurfaceChange[] {
  const gone = before.filter((each) => !now.some((other) => isSame(each, other)));
  const came = now.filter((each) => !before.some((other) => isSame(each, other)));
  const changes: SurfaceChange[] = [];
  for (const fit of [ofKindAndFile, ofKind, () => true]) {
    for (const old of [...gone]) {
      const young = came.find((each) => fit(old, each));
      if (young === undefined) continue;
      gone.splice(gone.indexOf(old), 1);
      came.splice(came.indexOf(young), 1);
      changes.push({ happened: 'change', path, before: old, now: young });
    }
  }
  return [
    ...changes,
    ...came.map((each): Addition => ({ happened: 'addition', path, now: each })),
    ...gone.map((each): Removal => ({ happened: 'removal', path, before: each })),
  ];
}

const ofKind = (a: Declared, b: Declared): boolean => a.kind === b.kind;
const ofKindAndFile = (a: Declared, b: Declared): boolean =>
  ofKind(a, b) && a.files.some((file) => b.files.includes(file));

function isSame(a: Declared, b: Declared): boolean {
  return ofKind(a, b) && a.ownType === b.ownType && a.marks.join() === b.marks.join();
}

/** Without what belongs to something that came or went as a whole: the fields of a new type come with it. */
export function outermost(changes: readonly SurfaceChange[]): readonly SurfaceChange[] {
  const whole = new Set(
    changes.flatMap(({ happened, path }) => (happened === 'change' ? [] : [`${happened} ${path}`])),
  );
  return changes.filter(({ happened, path }) => {
    if (happened === 'change') return true;
    return !outerPaths(path).some((outer) => whole.has(`${happened} ${outer}`));
  });
}

/** `a.b[].c` is in `a.b[]`, `a.b` and `a`; what is in `a(b)` or `a().b` is in `a()`. */
function outerPaths(path: string): readonly string[] {
  const ends = [...path.matchAll(/[.[<(]| \| |#\d+/g)].map(({ index }) => index).filter((index) => index > 0);
  return ends.flatMap((end) => [path.slice(0, end), `${path.slice(0, end)}()`]).filter((outer) => outer !== path);
}
