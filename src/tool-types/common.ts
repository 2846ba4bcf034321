/** Any object. */
export type Fields = { [key: string]: unknown };

export type EffortWord = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** A part of a unified diff. */
export type PatchHunk = {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** With their leading ` `, `+` or `-`. */
  lines: string[];
};

/** An Artifact that was read, and the version that now counts as seen. */
export type ArtifactRead = { slug: string; ver?: string; seeded?: false };
