import type { Direction, SourceKind } from '../model/view-data.js';

/** A line of a source, before it is scrubbed. */
export interface SourceLine {
  /** Milliseconds since the start; not a number where the source does not say. */
  readonly t: number;
  readonly dir: Direction;
  readonly proc: number;
  /** A frame as JSON text, or a text that is none. */
  readonly text: string;
}

/** Reads one format, line by line. */
export interface LineFormat {
  readonly kind: SourceKind;
  /** What the source says about itself, once it is known. */
  readonly about?: string | undefined;
  readonly cliVersion?: string | undefined;
  read(line: string): readonly SourceLine[];
}
