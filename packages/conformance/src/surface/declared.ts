/** What a fact is about. */
export type DeclaredKind =
  | 'type'
  | 'interface'
  | 'class'
  | 'enum'
  | 'function'
  | 'value'
  | 'namespace'
  | 'field'
  | 'method'
  | 'parameter'
  /** Of a union, an enum, or a tuple of literals. */
  | 'member'
  /** Of any other tuple. */
  | 'element'
  /** A name that a file passes on from another one. */
  | 'export'
  /** A name that an import at run time gives. */
  | 'runtime';

export type Mark =
  | 'abstract'
  | 'async'
  | 'deprecated'
  | 'exported'
  | 'optional'
  | 'protected'
  | 'readonly'
  | 'rest'
  | 'static';

/**
 * One thing that a release declares.
 *
 * Paths read like code: `Options.model`, `HookEvent | 'PreToolUse'`, `Query.setPermissionMode()`, `query(params).prompt`,
 * `Settings.permissions.defaultMode`, `Servers[].name` (of an array), `Servers[*].name` (of a record or an index signature),
 * `Query.models().value` (of what a method returns, awaited), `Box<0>.x` (of a type argument), `tool#2()` (an overload).
 */
export interface Declared {
  readonly path: string;
  readonly kind: DeclaredKind;
  /** For readers: members of unions are spelled out and sorted, object types are `{…}`. */
  readonly type: string;
  /** The part of the type that no other fact says: `…` stands for what has facts of its own. Comparisons use it. */
  readonly ownType: string;
  /** Sorted. */
  readonly marks: readonly Mark[];
  /** The files that say exactly this, sorted. */
  readonly files: readonly string[];
}

/** The same fact of several files is one. Sorted by path. */
export function mergeDeclared(all: readonly Declared[]): readonly Declared[] {
  const merged = new Map<string, Declared>();
  for (const each of all) {
    const { files, ...fact } = each;
    const key = JSON.stringify(fact);
    const known = merged.get(key)?.files ?? [];
    merged.set(key, { ...fact, files: [...new Set([...known, ...files])].sort() });
  }
  // Code unit order: the result must not depend on the machine's locale.
  return [...merged].sort(([a, { path: p }], [b, { path: q }]) => order(p, q) || order(a, b)).map(([, fact]) => fact);
}

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
