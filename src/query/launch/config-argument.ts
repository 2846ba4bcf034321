/** A configuration that is one token of the command line: as its text, or as the path of a private file with that text. */
export interface ConfigArgument {
  readonly text: string;
  /** True when the text may hold secrets: process lists are public, files of mode 0600 are not. */
  readonly isPrivate: boolean;
  /** Suffix of the private file's name. */
  readonly fileName: string;
}
