/** The differences that docs/evidence/differences.md lists, by the names of the questions. */
const EXPECTED = new Set([
  'nested fields',
  'negative offset',
  'limit of a wrong type',
  'unfinished last line',
  'kept messages that are missing',
  'system entry of a subagent',
  'link to a folder outside',
]);

export function isExpected(name) {
  return EXPECTED.has(name);
}
