import type { Fields } from './common.js';

/** Projects of claude.ai, and Claude Design. */

export type ProjectsInput = {
  method: ProjectsOutput['method'];
  path?: string;
  content?: string;
  local_path?: string;
  present_to_user?: boolean;
  query?: string;
  /** Hits at most. */
  n?: number;
};

type Answer<Method extends string> = {
  method: Method;
  notice?: string;
};

type Dated = {
  created_at: string | null;
};

type MemoryFile = {
  path: string;
  size_bytes: number;
  updated_at: string | null;
  truncated: boolean;
};

/** Told apart by `method`. */
export type ProjectsOutput =
  | (Answer<'project_info'> & {
      local_file?: string;
      name: string;
      description: string;
      instructions: string;
      docs: (Dated & { path: string })[];
      files?: (Dated & { path: string; file_kind: string })[];
      sync_sources?: { type: string | null; config: Fields }[];
      knowledge: { knowledge_size: number; max_knowledge_size: number };
    })
  | (Answer<'project_read'> &
      Dated & { path: string; file_kind?: string; content?: string; local_file?: string })
  | (Answer<'project_search'> & {
      rag: boolean;
      hits?: {
        name?: string;
        doc_uuid?: string;
        text?: string;
        image_attached?: boolean;
        page?: number;
      }[];
      docs?: string[];
    })
  | (Answer<'project_write'> & {
      path: string;
      doc_uuid: string;
      replaced: boolean;
      present_to_user?: boolean;
      local_path?: string;
    })
  | (Answer<'project_delete'> & { path: string; deleted: boolean })
  | (Answer<'project_memory_list'> & { files: MemoryFile[]; truncated: boolean })
  | (Answer<'project_memory_read'> & MemoryFile & { content?: string; local_file?: string });

export type ClaudeDesignInput = {
  operation: string;
  arguments: Fields;
};

export type ClaudeDesignOutput = {
  operation: string;
  content: Fields[];
  isError?: boolean;
};
