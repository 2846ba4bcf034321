import type { ArtifactRead } from './common.js';

/** WebFetch and WebSearch. */

export type WebFetchInput = {
  url: string;
  /** What to find out about the page. */
  prompt: string;
  offset?: number;
};

export type WebFetchOutput = {
  url: string;
  /** The answer to the prompt. */
  result: string;
  /** HTTP status. */
  code: number;
  codeText: string;
  bytes: number;
  durationMs: number;
  artifactRead?: ArtifactRead;
};

export type WebSearchInput = {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
};

export type WebSearchOutput = {
  query: string;
  /** Hits, and what the model said about them. */
  results: (
    | { tool_use_id: string; content: { title: string; url: string; snippet?: string }[] }
    | string
  )[];
  durationSeconds: number;
  searchCount?: number;
};
