import type { Json, Row } from '../harness/row.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { PureProgram } from '../pure/program.js';
import { queryRun, RESULT, say } from './client.rows.js';

const FAILED = {
  ...(RESULT as { readonly [key: string]: Json }),
  subtype: 'error_during_execution',
  is_error: true,
  result: null,
};
const EXIT = { exit: 1 };
const STATE = { type: 'system', subtype: 'session_state_changed', state: 'idle', session_id: 's', uuid: 'u' };

/** A query whose one turn has these frames and then exit 1. Errors are shown by class; their texts stand in `texts`. */
function ends(name: string, frames: readonly Json[], stated: Stated = {}): ReturnType<typeof queryRun> {
  return queryRun(name, { cli: { turns: [[...frames, EXIT]] } }, stated);
}

const worded = (error: string, pattern: string): Json => ({ results: [{ error }], texts: [pattern] });
/** The same text, without the exit code that Python adds. */
const WITHOUT_CODE = differs(
  'official-ts',
  'TS-154',
  'texts/0',
  'The text ends with the result’s own words, as in the TypeScript SDK; the exit code is the field `exitCode` (D-92).',
);
const said = (text: string): Stated => ({
  both: worded('ResultError', `/^Claude Code returned an error result: ${text}( \\(exit code: 1\\))?$/`),
  differs: [WITHOUT_CODE],
});
const EXITED = differs(
  'official-ts',
  'TS-152',
  'texts/0',
  'The exit is worded as by the TypeScript SDK.',
  'Claude Code process exited with code 1',
);

/** Which error ends a session, and what it says. */
export const endRows: readonly Row<PureProgram>[] = [
  {
    id: 'PY-325',
    what: 'Exit 1 after an error result is a `ResultError` with the cleaned errors in its text, after the result was delivered.',
    looks: [
      ends('an error result with errors', [say('one'), { ...FAILED, errors: [' a ', 'b', ''] }], {
        both: {
          results: [{ error: 'ResultError', messages: ['assistant: one', 'result'] }],
          texts: ['/: a; b( \\(exit code: 1\\))?$/'],
        },
        differs: [WITHOUT_CODE],
      }),
    ],
  },
  {
    id: 'PY-326',
    what: 'Of an API failure (`success` with `is_error`) the text is the prose, not `success`.',
    looks: [
      ends(
        'an API failure',
        [{ ...FAILED, subtype: 'success', result: ' API Error: 500 ', api_error_status: 500 }],
        said('API Error: 500'),
      ),
    ],
  },
  {
    id: 'PY-327',
    what: 'The text is the HTTP status when there is nothing else, a subtype other than `success`, or `unknown error`.',
    looks: [
      ends(
        'only a status',
        [{ ...FAILED, subtype: 'success', api_error_status: 529 }],
        said('API error \\(HTTP 529\\)'),
      ),
      ends('nothing at all', [{ ...FAILED, subtype: 'success' }], said('unknown error')),
      ends('only a subtype', [{ ...FAILED, subtype: 'error_max_turns' }], said('error_max_turns')),
    ],
  },
  {
    id: 'PY-328',
    what: '`errors` that is a bare text, or of mixed types, is taken as far as it is usable.',
    looks: [
      ends('errors that is a text', [{ ...FAILED, errors: ' bare ' }], said('bare')),
      ends('errors of mixed types', [{ ...FAILED, errors: [5, null, { a: 1 }, ' x '] }], said('x')),
      ends('errors that is an object', [{ ...FAILED, errors: { a: 1 } }], said('error_during_execution')),
    ],
  },
  {
    id: 'PY-329',
    what: 'A `ResultError` has the result’s fields, the frame, the exit code, and the exit’s error as its cause.',
    looks: [
      queryRun(
        'fields of a ResultError',
        {
          showsError: true,
          cli: {
            turns: [
              [{ ...FAILED, errors: ['a'], result: 'r', api_error_status: 500, terminal_reason: 'api_error' }, EXIT],
            ],
          },
        },
        {
          at: [
            'class',
            'isA',
            'subtype',
            'errors',
            'result',
            'apiErrorStatus',
            'terminalReason',
            'sessionId',
            'data',
            'exitCode',
            'cause',
            'stderr',
          ].map((name) => `results/0/fields/${name}`),
          both: {
            results: [
              {
                fields: {
                  subtype: 'error_during_execution',
                  errors: ['a'],
                  result: 'r',
                  apiErrorStatus: 500,
                  terminalReason: 'api_error',
                  sessionId: 's',
                  exitCode: 1,
                  cause: 'ProcessError',
                  stderr: '$absent',
                },
              },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-330',
    what: 'An error result and exit 0 is no error.',
    looks: [
      queryRun(
        'an error result and exit 0',
        { cli: { turns: [[{ ...FAILED, errors: ['a'] }, { exit: 0 }]] } },
        { both: { results: [{ messages: ['result'], error: '$absent' }] } },
      ),
    ],
  },
  {
    id: 'PY-331',
    what: 'A state message between the error result and exit 1 changes nothing: still `ResultError`.',
    looks: [ends('a state message after the result', [{ ...FAILED, errors: ['a'] }, STATE], said('a'))],
  },
  {
    id: 'PY-332',
    what: 'After any other delivered frame behind the error result exit 1 is a plain `ProcessError`.',
    looks: [
      ends('a new turn after the result', [{ ...FAILED, errors: ['a'] }, say('more')], {
        at: ['results/0/messages'],
        python: { results: [{ error: 'ProcessError' }] },
        ours: { results: [{ error: 'ResultError' }] },
        differs: [
          differs(
            'official-ts',
            'TS-154',
            'results/0/error',
            'The last result decides, until there is another one: the TypeScript SDK’s rule (D-78).',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-333',
    what: 'An error result, then a successful one, then exit 1 is a plain `ProcessError`.',
    looks: [
      ends('a success after the error result', [{ ...FAILED, errors: ['a'] }, RESULT], {
        both: { results: [{ messages: ['result', 'result'], error: 'ProcessError' }] },
        differs: [EXITED],
      }),
    ],
  },
  {
    id: 'PY-334',
    what: 'An error result before the answer to `initialize`, then exit 1: the handshake fails with a `ResultError` and its text.',
    looks: [
      pureLook(
        'client: an error result before the handshake',
        [
          {
            op: 'client',
            steps: [['connect', 'Hi']],
            cli: { initialize: [{ ...FAILED, errors: ['no such session'] }, EXIT] },
          },
        ],
        {
          at: ['results/0/steps/0/error', 'results/0/alive', 'results/0/written'],
          both: {
            results: [
              { steps: [{ error: 'ResultError', text: '/^Claude Code returned an error result: no such session/' }] },
            ],
          },
          differs: [
            differs('official-ts', 'TS-154', 'results/0/steps/0/text', 'Without the exit code at its end (D-92).'),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-335',
    what: 'A failure of the reader that is no exit keeps its own type after an error result.',
    looks: [
      queryRun(
        'a line that is too long, after an error result',
        { options: { maxBufferBytes: 300 }, cli: { turns: [[{ ...FAILED, errors: ['a'] }, say('x'.repeat(400))]] } },
        {
          at: ['results/0/messages'],
          both: { results: [{ messages: ['result'] }] },
          python: { results: [{ error: 'CLIJSONDecodeError' }] },
          ours: { results: [{ error: 'FrameTooLargeError' }] },
          differs: [
            differs(
              'safety',
              'D-02',
              'results/0/error',
              'A class of its own, which is a `CLIJSONDecodeError` too: it has the limit and what to do.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-336',
    what: 'A stream that failed ends without an error when it is asked again.',
    looks: [
      queryRun(
        'asked again after a failure',
        { again: true, cli: { turns: [[say('one'), EXIT]] } },
        {
          also: ['again'],
          both: { results: [{ messages: ['assistant: one'], error: 'ProcessError', again: 'over' }] },
          differs: [EXITED],
        },
      ),
    ],
  },
];
