/** One change of the source that must turn a row red. */
export interface Mutation {
  /** The row, such as `AD-137`. */
  readonly row: string;
  /** What the changed code does wrong, in a few words. */
  readonly about: string;
  /** From the root of the project. */
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** @throws Error the text does not stand there exactly once */
export function applyMutation(text: string, { file, find, replace, row }: Mutation): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Error(`${row}: ${JSON.stringify(find)} stands ${parts.length - 1} times in ${file}`);
  }
  return parts.join(replace);
}
