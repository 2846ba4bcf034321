/** Cells of the table that were checked with raw frames, without an SDK and without the programs that fill the table. */
export const CHECKED_BY_HAND: readonly (readonly [cell: string, done: string, seen: string])[] = [
  [
    '2.0.0, official Python 0.1.0: allow (fails)',
    '`can_use_tool` answered with `{"behavior":"allow"}` alone, then with `updatedInput`',
    'alone: the tool result is "Tool permission request failed" and no file is made; with `updatedInput`: it is made. 2.1.330 takes both',
  ],
  [
    '2.0.0, claudewire: set-model',
    '`set_model` between two turns',
    'answered with success; the second request to the API is for the new model',
  ],
  [
    '2.1.330, official TypeScript 0.3.330: interrupt',
    '`interrupt` at the first text delta',
    'answered with success, then `result/error_during_execution`, exit code 1',
  ],
  [
    '2.0.0, claudewire: exit',
    '`--resume` with an id that does not exist',
    'no frame, "No conversation found with session ID" on stderr, exit code 1',
  ],
  [
    '2.0.0, official Python 0.2.187: error-400',
    'the API answers each request with 400',
    '`result/success` with `is_error: true` and the text of the API, exit code 1',
  ],
];
