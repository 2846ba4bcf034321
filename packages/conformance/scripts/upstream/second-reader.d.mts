/** By group and squeezed path. */
export type SecondReading = Map<string, { readonly group: string; readonly path: string; readonly texts: Set<string> }>;

export function readWithCompiler(files: readonly { readonly name: string; readonly text: string }[]): SecondReading;

export function squeezed(text: string): string;
