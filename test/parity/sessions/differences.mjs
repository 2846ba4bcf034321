const LISTS = ['{}', '{"limit":1}', '{"includeWorktrees":false}'].map((options) => `shared folder ${options}`);

/** The differences that docs/evidence/differences.md lists, by the names of the questions. */
const EXPECTED = new Set([
  'nested fields',
  'negative offset',
  'limit of a wrong type',
  'unfinished last line',
  'kept messages that are missing',
  'a kept segment that ends before it begins',
  'system entry of a subagent',
  'link to a folder outside',
  'an image in a store with summaries',
  'shared folder in a store',
  // Found by the generator, not examined yet (D-208).
  'made by chance, seed 1, number 655',
  'history, seed 1, number 1712, queued task notification inside a turn, fork at 00000000-0000-4000-8000-000000000505',
  ...LISTS.map((list) => `${list}: a namesake behind a long prompt`),
  ...[...LISTS, 'shared folder, row', 'shared folder, messages'].map(
    (question) => `${question}: a long name, another hash, no directory`,
  ),
]);

export function isExpected(name) {
  return EXPECTED.has(name);
}
