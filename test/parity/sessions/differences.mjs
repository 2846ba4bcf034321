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
  // Its links are none that a CLI writes; not examined (D-209).
  'made by chance, seed 1, number 655',
  'fork {"upToMessageId":"00000000-0000-4000-8000-000000000009"}: queued and dropped, then queued and seen',
  ...LISTS.map((list) => `${list}: a namesake behind a long prompt`),
  ...[...LISTS, 'shared folder, row', 'shared folder, messages'].map(
    (question) => `${question}: a long name, another hash, no directory`,
  ),
]);

export function isExpected(name) {
  return EXPECTED.has(name);
}
