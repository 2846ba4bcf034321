/**
 * The globs of mounts. picomatch differs: in its bash mode `[!a]` is not a negation and `*` does not match a line
 * break, and it ignores a trailing `/` and a leading `./`. A set of states instead of a regular expression keeps the
 * time linear in the path.
 */
type Token =
  | { readonly kind: 'one'; readonly accepts: (character: string) => boolean }
  /** Any characters. */
  | { readonly kind: 'star' }
  /** `**` and a slash: nothing, or any characters that end with a slash. */
  | { readonly kind: 'folders' };

/** A compiled pattern. */
export interface Glob {
  matches(path: string): boolean;
  /** Whether every path that begins with `prefix` matches. */
  matchesAllBelow(prefix: string): boolean;
}

export function compileGlob(pattern: string): Glob {
  const tokens = tokenize(pattern);
  return {
    matches: (path) => run(tokens, path).has(tokens.length),
    matchesAllBelow: (prefix) => {
      const last = tokens.length - 1;
      return tokens[last]?.kind === 'star' && run(tokens, prefix).has(last);
    },
  };
}

/** The states after `text`: indexes of the possible next tokens. The number of tokens means a match. */
function run(tokens: readonly Token[], text: string): ReadonlySet<number> {
  let states = new Set<number>();
  enter(tokens, 0, states);
  for (const character of text) {
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token === undefined) continue;
      if (token.kind === 'one') {
        if (token.accepts(character)) enter(tokens, state + 1, next);
        continue;
      }
      // `folders` ends after a slash only.
      next.add(state);
      if (token.kind === 'star') enter(tokens, state + 1, next);
      else if (character === '/') enter(tokens, state + 1, next);
    }
    states = next;
    if (states.size === 0) break;
  }
  return states;
}

function enter(tokens: readonly Token[], state: number, states: Set<number>): void {
  for (let at = state; ; at += 1) {
    states.add(at);
    const token = tokens[at];
    if (token === undefined || token.kind === 'one') return;
  }
}

function tokenize(pattern: string): readonly Token[] {
  const characters = [...pattern];
  const tokens: Token[] = [];
  let at = 0;
  while (at < characters.length) {
    const character = characters[at] as string;
    const isSegmentStart = at === 0 || characters[at - 1] === '/';
    if (isSegmentStart && characters.slice(at, at + 3).join('') === '**/') {
      tokens.push({ kind: 'folders' });
      at += 3;
      continue;
    }
    const end = character === '[' ? classEnd(characters, at) : undefined;
    if (end !== undefined) {
      tokens.push({ kind: 'one', accepts: classOf(characters.slice(at + 1, end)) });
      at = end + 1;
      continue;
    }
    if (character !== '*') {
      tokens.push({ kind: 'one', accepts: (other) => character === '?' || other === character });
    } else if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' });
    at += 1;
  }
  return tokens;
}

/** The closing bracket of the class that opens at `start`. One right after the opening is a member. */
function classEnd(characters: readonly string[], start: number): number | undefined {
  const first = characters[start + 1] === '!' ? start + 2 : start + 1;
  const end = characters.indexOf(']', first + 1);
  return end < 0 ? undefined : end;
}

function classOf(body: readonly string[]): (character: string) => boolean {
  const isNegated = body[0] === '!';
  const members = isNegated ? body.slice(1) : body;
  const ranges: (readonly [number, number])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = codeOf(members[at]);
    const isRange = members[at + 1] === '-' && at + 2 < members.length;
    ranges.push([from, isRange ? codeOf(members[at + 2]) : from]);
    if (isRange) at += 2;
  }
  return (character) => {
    const code = codeOf(character);
    return isNegated !== ranges.some(([from, to]) => from <= code && code <= to);
  };
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? -1;
}

/** Selects the files of a mount. Paths are below the mount, with `/`. */
export interface PathFilter {
  takes(path: string): boolean;
  /** True when nothing below this folder is taken. */
  skipsFolder(path: string): boolean;
}

export function pathFilter(include: readonly string[], exclude: readonly string[]): PathFilter {
  const included = include.map(compileGlob);
  const excluded = exclude.map(compileGlob);
  const isExcluded = (path: string) => excluded.some((glob) => glob.matches(path));
  return {
    takes: (path) => !isExcluded(path) && (included.length === 0 || included.some((glob) => glob.matches(path))),
    skipsFolder: (path) => isExcluded(path) || excluded.some((glob) => glob.matchesAllBelow(`${path}/`)),
  };
}
