import { at, differences, short } from './pattern.js';
import type { Json, Reason } from './row.js';

/** A kind of place where the whole observations of many programs differ, and why that is meant. */
export interface Allowed {
  /** Paths of the observation; `#` is any place of a list, `*` any key. What is below one is covered too. */
  readonly at: readonly string[];
  /** Names of the programs it is meant for; one that ends with `…` is a beginning. Default: all. */
  readonly in?: readonly string[];
  /**
   * `view`: another sight of what a row lists or of what is compared elsewhere. `own`: a class, a text or a name of our
   * own for the same thing.
   */
  readonly reason: Reason | 'view' | 'own';
  /** Of one release of the Python SDK only. */
  readonly only?: 'newest' | 'before';
  /** It depends on who is first: not seeing it is no failure. */
  readonly mayBeMissing?: true;
  readonly cites: string;
  /** One sentence: what differs, and why. */
  readonly why: string;
}

/** What both sides showed in a program, and the paths that its rows list as different. */
export interface Whole {
  readonly name: string;
  readonly python: Json;
  readonly ours: Json;
  readonly listed: readonly string[];
}

/**
 * Holds whole observations against the list: a difference that neither the list nor a row of the program names is a
 * problem, and so is an entry that nothing needed.
 */
export function judgeWhole(wholes: readonly Whole[], list: readonly Allowed[]): readonly string[] {
  const used = new Set<string>();
  const problems: string[] = [];
  for (const { name, python, ours, listed } of wholes) {
    for (const path of differences(python, ours, '').map((each) => each.slice(1))) {
      const found = list.flatMap((entry, place) =>
        entry.at.filter((one) => isIn(name, entry) && covers(one, path)).map((one) => `${place} ${one}`),
      );
      for (const one of found) used.add(one);
      if (found.length > 0 || listed.some((one) => covers(one, path))) continue;
      problems.push(
        `${name}: differs, and neither a row nor the list says so: ${path}: Python has ${short(at(python, path), 120)}, ours ${short(at(ours, path), 120)}`,
      );
    }
  }
  const unused = list.flatMap((entry, place) =>
    entry.mayBeMissing ? [] : entry.at.filter((one) => !used.has(`${place} ${one}`)),
  );
  return [...problems, ...unused.map((one) => `is on the list, and was never seen: ${one}`)];
}

function isIn(name: string, { in: names }: Allowed): boolean {
  return (
    names === undefined || names.some((one) => (one.endsWith('…') ? name.startsWith(one.slice(0, -1)) : name === one))
  );
}

/** Keys may hold `/`: only whole keys between them count. */
function covers(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  const wanted = pattern.split('/');
  const keys = path.split('/');
  return (
    wanted.length <= keys.length &&
    wanted.every((one, place) => {
      const key = keys[place] ?? '';
      return one === '*' || one === key || (one === '#' && /^\d+$/.test(key));
    })
  );
}
