import type { Json, Row } from '../harness/row.js';
import { differs, pureLook } from '../pure/looks.js';
import type { PureCall, PureProgram } from '../pure/program.js';

const made = (name: string, ...args: readonly Json[]): PureCall => ({ op: 'error', class: name, args });

/** Error classes: what they are, what they say, what they carry. When they are thrown: `ends.rows.ts`. */
export const errorClassRows: readonly Row<PureProgram>[] = [
  {
    id: 'PY-322',
    what: '`CLINotFoundError` is a `CLIConnectionError`, `ResultError` a `ProcessError`, and all are `ClaudeSDKError`s.',
    looks: [
      pureLook(
        'the tree of error classes',
        [
          made('ClaudeSDKError', 'm'),
          made('CLIConnectionError', 'm'),
          made('CLINotFoundError', 'm'),
          made('ProcessError', 'm'),
          made('ResultError', 'm'),
          made('CLIJSONDecodeError', 'line'),
          made('MessageParseError', 'm', { a: 1 }),
        ],
        {
          at: Array.from({ length: 7 }, (_, n) => [`results/${n}/class`, `results/${n}/isA`]).flat(),
          both: {
            results: [
              { isA: ['ClaudeSDKError'] },
              { isA: ['CLIConnectionError', 'ClaudeSDKError'] },
              { isA: ['CLINotFoundError', 'CLIConnectionError', 'ClaudeSDKError'] },
              { isA: ['ProcessError', 'ClaudeSDKError'] },
              { isA: ['ResultError', 'ProcessError', 'ClaudeSDKError'] },
              { isA: ['CLIJSONDecodeError', 'ClaudeSDKError'] },
              { isA: ['MessageParseError', 'ClaudeSDKError'], data: { a: 1 } },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-323',
    what: 'The message of `ProcessError("m", 1, "e")` ends with the exit code and the error output.',
    looks: [
      pureLook('a process error', [made('ProcessError', 'm', 1, 'e'), made('ProcessError', 'm')], {
        at: ['results/0/exitCode', 'results/0/class', 'results/1'],
        python: { results: [{ message: 'm (exit code: 1)\nError output: e' }, { message: 'm' }] },
        ours: { results: [{ message: 'm', exitCode: 1 }, { message: 'm' }] },
        differs: [
          differs(
            'official-ts',
            'TS-152',
            'results/0/message',
            'The message is what was given; an exit is worded as the TypeScript SDK words it, with the stderr tail. The exit code and the tail are fields.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-324',
    what: 'The message of `CLINotFoundError("m", "/p")` is `m: /p`.',
    looks: [
      pureLook('a CLI that is not found', [made('CLINotFoundError', 'm', '/p'), made('CLINotFoundError', 'm')], {
        both: { results: [{ message: 'm: /p' }, { message: 'm' }] },
      }),
    ],
  },
  {
    id: 'PY-337',
    what: '`CLIJSONDecodeError` shows 100 characters of the line and `...`; `line` has all of it.',
    looks: [
      pureLook(
        'a line that is no JSON',
        [made('CLIJSONDecodeError', `{${'x'.repeat(300)}`), made('CLIJSONDecodeError', '{short')],
        {
          at: [0, 1].flatMap((n) => [`results/${n}/class`, `results/${n}/message`, `results/${n}/line`]),
          both: {
            results: [
              { message: `Failed to decode JSON: {${'x'.repeat(99)}...`, line: `{${'x'.repeat(300)}` },
              { message: 'Failed to decode JSON: {short...', line: '{short' },
            ],
          },
        },
      ),
    ],
  },
];
