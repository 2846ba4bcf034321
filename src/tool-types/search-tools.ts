/** Glob and Grep. */

export type GlobInput = {
  pattern: string;
  /** A folder. @defaultValue the working directory */
  path?: string;
};

export type GlobOutput = {
  filenames: string[];
  numFiles: number;
  truncated: boolean;
  durationMs: number;
  totalMatches?: number;
  countIsComplete?: boolean;
  timedOut?: boolean;
};

/** The names are those of ripgrep's flags. */
export type GrepInput = {
  /** A regular expression. */
  pattern: string;
  /** A file or folder. @defaultValue the working directory */
  path?: string;
  glob?: string;
  /** Such as `js`. */
  type?: string;
  /** @defaultValue 'files_with_matches' */
  output_mode?: 'content' | 'files_with_matches' | 'count';
  '-B'?: number;
  '-A'?: number;
  '-C'?: number;
  context?: number;
  '-n'?: boolean;
  '-i'?: boolean;
  '-o'?: boolean;
  multiline?: boolean;
  /** Entries at most. `0`: all. */
  head_limit?: number;
  /** Entries to skip. */
  offset?: number;
};

export type GrepOutput = {
  mode?: 'content' | 'files_with_matches' | 'count';
  filenames: string[];
  numFiles: number;
  content?: string;
  numLines?: number;
  numMatches?: number;
  /** Before `head_limit` and `offset`. */
  totalFiles?: number;
  totalLines?: number;
  appliedLimit?: number;
  appliedOffset?: number;
  timedOut?: boolean;
};
