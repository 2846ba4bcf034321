/** What is done to the code of a symbol: see `changes.mjs`. */
export interface Change {
  /** What it looks for, for the error when that is gone. */
  readonly what: string;
}

export interface Mutant {
  readonly name: string;
  /** `L0` to `L8`: the level of the scenarios that should notice it. */
  readonly level: string;
  /** A function, class or constant at the top of a module of `src`, or `Class.member`; private members begin with `#`. */
  readonly symbol: string;
  readonly change: Change;
  /** What goes wrong, in one sentence. */
  readonly breaks: string;
}

export const mutants: readonly Mutant[];

/** A bug that one row of the Python parity must find. */
export interface RowMutant extends Omit<Mutant, 'level'> {
  /** Its id, as `PY-050`. */
  readonly row: string;
}

export const rowMutants: readonly RowMutant[];
