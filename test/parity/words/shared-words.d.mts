export const RUN: number;
export function sharedRuns(
  ours: readonly { readonly file: string; readonly source: string }[],
  official: readonly string[],
): { file: string; line: number; words: string }[];
