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
        dimensions?: {
          originalWidth?: number;
          originalHeight?: number;
          displayWidth?: number;
          displayHeight?: number;
        };
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
        /** The folder that holds the images. */
        outputDir: string;
      };
      firstPage?: number;
      /** Not in results that reach a consumer. */
      pages?: { base64: string; mediaType: ImageMediaType; error?: string }[];
    };

export type FileWriteInput = {
  file_path: string;
  content: string;
};

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

export type FileWriteOutput = FileChange & {
  type: 'create' | 'update';
  content: string;
  userModified?: boolean;
};

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
