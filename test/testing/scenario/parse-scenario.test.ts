import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isClaudeSDKError } from '../../../src/errors.js';
import { parseScenario } from '../../../src/testing/scenario/parse-scenario.js';

const HEADER = '{"scenario":"s","version":1}';

describe('a scenario file that cannot be played is refused with its line and what was expected', () => {
  const cases: readonly (readonly [name: string, text: string, message: string])[] = [
    ['an empty file', '', 'f:1: expected a header'],
    ['a line that is not JSON', `${HEADER}\n{`, 'f:2: expected one JSON object'],
    ['a list', `${HEADER}\n\n[1]`, 'f:3: expected one JSON object, found array of 1'],
    ['a header without a name', '{"version":1}', 'f:1: header: `scenario` must be a non-empty string, got undefined'],
    ['another version', '{"scenario":"s","version":2}', 'f:1: header: `version` must be 1, got number 2'],
    [
      'a bad answer',
      '{"scenario":"s","version":1,"answers":{"x":1}}',
      '`answers.x` must be an object or null, got number 1',
    ],
    [
      'a bad deadline',
      '{"scenario":"s","version":1,"deadlineMs":-1}',
      '`deadlineMs` must be a number, 0 or more, got number -1',
    ],
    ['an unknown step', `${HEADER}\n{"say":1}`, 'f:2: expected one of the step kinds out, in, raw'],
    ['two kinds in one step', `${HEADER}\n{"out":{},"in":{}}`, 'found out and in'],
    ['an unknown field', `${HEADER}\n{"out":{},"cuts":1}`, 'out: unknown field "cuts"; known: cut, gapMs'],
    ['a wrong type', `${HEADER}\n{"exit":"1"}`, 'f:2: `exit` must be an exit code from 0 to 255, got string "1"'],
    [
      'a text that is too long',
      `${HEADER}\n{"out":{"a":[{"$repeat":"ab","times":1000000000}]}}`,
      'f:2: $repeat: the text is longer than',
    ],
    [
      'a text of less than nothing',
      `${HEADER}\n{"in":{"a":{"$repeat":"ab","times":-1}}}`,
      'f:2: $repeat: `times` must be a whole number, 0 or more, got number -1',
    ],
    [
      'a long text in the answers of the header',
      '{"scenario":"s","version":1,"answers":{"x":{"a":{"$repeat":"x","times":0.5}}}}',
      'f:1: header: $repeat: `times` must be a whole number',
    ],
    ['offsets that go back', `${HEADER}\n{"raw":"x","cut":[2,1]}`, 'ascending byte offsets'],
    ['a cut of nothing', `${HEADER}\n{"raw":"x","cut":0}`, 'a number of bytes from 1'],
    ['bytes that are not base64', `${HEADER}\n{"bytes":"é"}`, 'bytes in base64'],
    ['an unknown signal', `${HEADER}\n{"ignore":["SIGKILL"]}`, "`ignore[0]` must be 'EOF', 'SIGTERM'"],
    ['repeat without steps', `${HEADER}\n{"repeat":2}`, '`steps` must be an array, got undefined'],
    [
      'a bad step inside repeat',
      `${HEADER}\n{"repeat":2,"steps":[{"out":{}},{"x":1}]}`,
      'f:2: steps[1]: expected one of the step kinds',
    ],
    [
      'an answer to something else',
      `${HEADER}\n{"in":{"type":"user"},"answer":{}}`,
      'need an expected control_request',
    ],
    ['an answer and an error', `${HEADER}\n{"in":{"type":"control_request"},"answer":{},"error":"x"}`, 'found both'],
  ];
  for (const [name, text, message] of cases) {
    test(name, () => expect(() => parseScenario(text, 'f')).toThrow(message));
  }
});

test('steps keep the line they stand on, and unknown header fields stay', () => {
  const scenario = parseScenario(`\n{"scenario":"s","version":1,"made":"by hand"}\n\n{"exit":0}\n`, 'f');
  expect(scenario.steps).toEqual([{ step: { exit: 0 }, line: 4 }]);
  expect(scenario.header).toHaveProperty('made', 'by hand');
});

test('whatever the file holds, only an error of this package escapes', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.json(), fc.string())), (lines) => {
      try {
        parseScenario([HEADER, ...lines].join('\n'));
      } catch (error) {
        expect(isClaudeSDKError(error)).toBe(true);
      }
    }),
  );
});
