/**
 * What is replaced in every observation of the matrix, beside the ids, times and places of `support/normalise.ts`.
 * The page in `docs/evidence/` lists the reasons.
 */
export const NORMALISATIONS: readonly {
  readonly pattern: RegExp;
  readonly replacement: string;
  readonly reason: string;
}[] = [
  {
    pattern: /\b(ResultError|AbortError)(?=: Claude Code |$)/g,
    replacement: 'Error',
    reason: 'The names of errors: ours are typed (`ResultError`, `AbortError`), all official ones are `Error`',
  },
];

/** Without a pattern: folders, ports, ids and clocks. */
export const GENERAL_REASON =
  'Folders, ports, random ids, times, durations and process ids are replaced; which id stands where is kept';
