import type { Node } from '@babel/types';
import type { Declared, DeclaredKind, Mark } from './declared.js';

export interface FactParts {
  readonly type?: string;
  readonly ownType?: string;
  readonly marks?: readonly (Mark | false | null | undefined)[];
}

/** Gathers the facts of one file. */
export class FactSink {
  readonly facts: Declared[] = [];
  readonly #used = new Map<string, number>();

  readonly file: string;
  /** With comments blanked out. */
  readonly source: string;

  constructor(file: string, source: string) {
    this.file = file;
    this.source = source;
  }

  add(path: string, kind: DeclaredKind, { type = '', ownType = type, marks = [] }: FactParts): void {
    const given = [...new Set(marks.filter((mark): mark is Mark => typeof mark === 'string'))].sort();
    this.facts.push({ path, kind, type, ownType, marks: given, files: [this.file] });
  }

  /** The path itself for the first who asks, then with `#2`, `#3`: overloads and union members that look alike. */
  numbered(path: string): string {
    const count = (this.#used.get(path) ?? 0) + 1;
    this.#used.set(path, count);
    return count === 1 ? path : `${path}#${count}`;
  }
}

/** Where a type is read. Without a sink nothing is gathered: the text is for readers, and spells unions out. */
export interface Place {
  readonly path: string;
  readonly source: string;
  readonly sink?: FactSink | undefined;
}

export const within = (place: Place, suffix: string): Place => ({ ...place, path: place.path + suffix });

/** A construct that this reader does not know. */
export class UnknownSyntaxError extends Error {
  override readonly name = 'UnknownSyntaxError';
  readonly line: number;

  constructor(node: Node) {
    super(`${node.type} is not known`);
    this.line = node.loc?.start.line ?? 0;
  }
}

/** Source text on one line. */
export function plainText({ start, end }: Node, source: string): string {
  return source.slice(start ?? 0, end ?? 0).replace(/\s+/g, ' ');
}

/** With single quotes, whatever the source has. */
export function quoted(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
