export interface Mutant {
  readonly name: string;
  /** `L0` to `L8`: where the scenario stands that should notice it. */
  readonly level: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What goes wrong, in one sentence. */
  readonly breaks: string;
}

export const mutants: readonly Mutant[];
