import type { PatchHunk } from './common.js';

/** Read, Write, Edit and NotebookEdit. Paths are absolute. */

export type FileReadInput = {
  file_path: string;
  /** First line, from 1. */
  offset?: number;
  /** Lines. */
  limit?: number;
  /** Of a PDF: `3`, `1-5`. */
  pages?: string;
  allow_large?: boolean;
};

type ImageMediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

/** Told apart by `type`. Sizes are bytes. */
export type FileReadOutput =
  | {
      type: 'text';
      file: {
        filePath: string;
        content: string;
        /** Of `content`. */
        numLines: number;
        startLine: number;
        /** Of the whole file. */
        totalLines: number;
        /** The file was too long: `content` is its beginning. */
        truncatedByTokenCap?: boolean;
      };
      artifactRead?: { slug: string; ver: string };
    }
  | {
      type: 'image';
      file: {
        base64: string;
        type: ImageMediaType;
        originalSize: number;
        /** Pixels, before and after scaling. */
        dimensions?: { originalWidth?: number; originalHeight?: number; displayWidth?: number; displayHeight?: number };
      };
    }
  | { type: 'notebook'; file: { filePath: string; cells: unknown[] } }
  | { type: 'pdf'; file: { filePath: string; base64: string; originalSize: number } }
  | {
      /** Pages of a PDF, as images. */
      type: 'parts';
      file: {
        filePath: string;
        originalSize: number;
        /** Pages. */
        count: number;
        /** The folder of the images. */
        outputDir: string;
      };
      firstPage?: number;
      /** Not in results that reach a consumer. */
      pages?: { base64: string; mediaType: ImageMediaType; error?: string }[];
    };

export type FileWriteInput = { file_path: string; content: string };

/** How a change looks to git. */
type GitDiff = {
  filename: string;
  status: 'modified' | 'added';
  additions: number;
  deletions: number;
  changes: number;
  patch: string;
  /** `owner/name`. */
  repository?: string | null;
};

type FileChange = {
  filePath: string;
  /** The text before. `null`: the file is new. */
  originalFile: string | null;
  structuredPatch: PatchHunk[];
  gitDiff?: GitDiff;
  staged?: boolean;
};

export type FileWriteOutput = FileChange & { type: 'create' | 'update'; content: string; userModified?: boolean };

export type FileEditInput = {
  file_path: string;
  old_string: string;
  new_string: string;
  /** Every occurrence. @defaultValue false */
  replace_all?: boolean;
};

export type FileEditOutput = FileChange & {
  oldString: string;
  newString: string;
  replaceAll: boolean;
  /** The user changed the proposal before accepting it. */
  userModified: boolean;
};

export type NotebookEditInput = {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: 'code' | 'markdown';
  edit_mode?: 'replace' | 'insert' | 'delete';
};

export type NotebookEditOutput = {
  notebook_path: string;
  cell_id?: string;
  cell_type: 'code' | 'markdown';
  edit_mode: string;
  language: string;
  new_source: string;
  old_source?: string;
  error?: string;
  /** The notebook's whole text, before and after. */
  original_file: string;
  updated_file: string;
};

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

/** Bash and Monitor. Times are milliseconds. */

export type BashInput = {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
};

export type BashOutput = {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  /** `stdout` is an image in base64. */
  isImage?: boolean;
  rawOutputPath?: string;
  backgroundTaskId?: string;
  backgroundedByUser?: boolean;
  backgroundCwdHint?: string;
  backgroundEndsWithFinalResponse?: true;
  backgroundWakesOwner?: true;
  timedOutAfterMs?: number;
  dangerouslyDisableSandbox?: boolean;
  /** What an exit code other than 0 means, where that is no failure. */
  returnCodeInterpretation?: string;
  noOutputExpected?: boolean;
  structuredContent?: unknown[];
  /** The file of an output that is too long to show, and its bytes. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  staleReadFileStateHint?: string;
  ghRateLimitHint?: string;
  /** What the command did to the repository. */
  gitOperation?: {
    commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
    push?: { branch: string };
    branch?: { ref: string; action: 'merged' | 'rebased' };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
};

/** Watches the lines of a command, or of a WebSocket. */
export type MonitorInput = {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: { url: string; protocols?: string[] };
};

export type MonitorOutput = {
  taskId: string;
  /** `0` while the session lasts. */
  timeoutMs: number;
  persistent?: boolean;
  keptInSandboxByCheck?: boolean;
};
