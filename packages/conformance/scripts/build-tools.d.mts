/** Where the code is, as JavaScript. */
export interface BuiltTools {
  readonly dist: string;
  readonly sdk: string;
}

export function buildTools(folder: string): BuiltTools;
