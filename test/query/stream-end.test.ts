import { describe, expect, test } from 'vitest';
import { CLIConnectionError, ProcessError, type ProcessExit, ResultError } from '../../src/errors.js';
import { SessionRecord } from '../../src/query/session-record.js';
import type { JsonObject } from '../../src/util/json.js';

const EXIT_1: ProcessExit = { exitCode: 1, signal: null, stderrTail: '' };
const SUCCESS = { type: 'result', subtype: 'success', is_error: false, result: 'Fine.' };
const FAILED = { type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['x'] };

function endOf(frames: readonly JsonObject[], exit: ProcessExit = EXIT_1): Error | undefined {
  const memory = new SessionRecord();
  for (const frame of frames) memory.note(frame);
  return memory.toError({ exit });
}

describe('how the process ended, without an error result', () => {
  const cases: { name: string; exit: ProcessExit; message: string | undefined }[] = [
    { name: 'exit 0 is a clean end', exit: { exitCode: 0, signal: null, stderrTail: 'a warning' }, message: undefined },
    { name: 'a bad code is named (TS-152)', exit: EXIT_1, message: 'Claude Code process exited with code 1' },
    {
      name: 'the stderr tail is part of the message (TS-152)',
      exit: { exitCode: 3, signal: null, stderrTail: 'no such flag' },
      message: 'Claude Code process exited with code 3. stderr: no such flag',
    },
    {
      name: 'a signal is named (TS-153)',
      exit: { exitCode: null, signal: 'SIGKILL', stderrTail: '' },
      message: 'Claude Code process terminated by signal SIGKILL',
    },
  ];
  test.each(cases)('$name', ({ exit, message }) => {
    const error = endOf([], exit);
    expect(error?.message).toBe(message);
    if (error !== undefined) expect(error).toMatchObject({ ...exit, name: 'ProcessError' });
  });

  test('a bad exit after a good result is still an error (TS-156)', () => {
    expect(endOf([SUCCESS])).toMatchObject({ errorClass: 'process_exited_nonzero' });
  });

  test('an end without a process is clean', () => {
    expect(new SessionRecord().toError({})).toBeUndefined();
  });

  test("the transport's own failure keeps its type, also after an error result (PY-335)", () => {
    const failure = new CLIConnectionError('the pipe broke');
    const memory = new SessionRecord();
    memory.note(FAILED);
    expect(memory.toError({ error: failure, exit: EXIT_1 })).toBe(failure);
  });
});

describe('the text of an error result', () => {
  const cases: { row: string; result: JsonObject; text: string }[] = [
    { row: 'trimmed and joined (PY-325)', result: { errors: [' a ', 'b', ''] }, text: 'a; b' },
    {
      row: 'an API failure shows its prose (PY-326)',
      result: { subtype: 'success', result: ' Overloaded. ' },
      text: 'Overloaded.',
    },
    { row: 'a subtype alone (PY-327)', result: { subtype: 'error_x' }, text: 'error_x' },
    {
      row: 'a status alone (PY-327)',
      result: { subtype: 'success', api_error_status: 529 },
      text: 'API error (HTTP 529)',
    },
    { row: 'nothing at all (PY-327)', result: { subtype: 'success' }, text: 'unknown error' },
    { row: 'a bare string (PY-328)', result: { errors: 'only one' }, text: 'only one' },
    { row: 'mixed types (PY-328)', result: { errors: [1, null, 'b', {}] }, text: 'b' },
    {
      row: 'several texts among others, in their order (PY-325, PY-328)',
      result: { errors: [' second thing ', 7, '', 'first', ['x'], ' '], result: 'not this' },
      text: 'second thing; first',
    },
    { row: 'no errors field', result: { subtype: 'error_max_turns' }, text: 'error_max_turns' },
    { row: 'errors is null', result: { subtype: 'error_y', errors: null }, text: 'error_y' },
    { row: 'errors is an object', result: { subtype: 'error_z', errors: {} }, text: 'error_z' },
    { row: 'a blank result', result: { subtype: 'success', result: '  ' }, text: 'unknown error' },
  ];
  test.each(cases)('$row', ({ result, text }) => {
    const error = endOf([{ type: 'result', is_error: true, ...result }]);
    expect(error?.message).toBe(`Claude Code returned an error result: ${text}`);
  });
});

describe('an error result and a bad exit', () => {
  test('one typed error with the result in it; the exit error is its cause (TS-154, PY-329)', () => {
    const result = {
      type: 'result',
      subtype: 'success',
      is_error: true,
      result: 'No.',
      api_error_status: 403,
      terminal_reason: 'api_error',
      session_id: 's',
    };
    const error = endOf([result], { exitCode: 1, signal: null, stderrTail: 'noise' });
    expect(error).toBeInstanceOf(ResultError);
    expect(error).toMatchObject({
      errorClass: 'error_result',
      subtype: 'success',
      result: 'No.',
      apiErrorStatus: 403,
      terminalReason: 'api_error',
      sessionId: 's',
      exitCode: 1,
      stderrTail: 'noise',
    });
    expect((error as ResultError).data).toBe(result);
    expect(error?.cause).toBeInstanceOf(ProcessError);
    expect(error?.cause).toMatchObject({ stderrTail: 'noise', exitCode: 1 });
  });

  test('after a signal the error has it instead of a code', () => {
    const error = endOf([FAILED], { exitCode: null, signal: 'SIGTERM', stderrTail: '' });
    expect(error).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
  });

  test('an end of which nothing is known is an error only where there is no result', () => {
    const unknown = { exitCode: null, signal: null, stderrTail: '' };
    expect(endOf([FAILED], unknown)).toBeUndefined();
    expect(endOf([], unknown)).toBeInstanceOf(ProcessError);
  });

  test('exit 0 is no error (TS-155, PY-330)', () => {
    expect(endOf([FAILED], { exitCode: 0, signal: null, stderrTail: '' })).toBeUndefined();
  });

  const after: { row: string; frames: JsonObject[]; errorClass: string }[] = [
    {
      row: 'a state change keeps the error result (PY-331)',
      frames: [{ type: 'system', subtype: 'session_state_changed', state: 'idle' }],
      errorClass: 'error_result',
    },
    {
      row: 'hidden frames keep it',
      frames: [{ type: 'keep_alive' }, { type: 'no_such_type' }],
      errorClass: 'error_result',
    },
    {
      row: 'PY-332, decided for the official rule: other messages keep it as well',
      frames: [{ type: 'assistant' }, { type: 'system', subtype: 'init' }],
      errorClass: 'error_result',
    },
    { row: 'a good result replaces it (PY-333)', frames: [SUCCESS], errorClass: 'process_exited_nonzero' },
    {
      row: 'a later error result replaces it',
      frames: [SUCCESS, { ...FAILED, errors: ['later'] }],
      errorClass: 'error_result',
    },
  ];
  test.each(after)('$row', ({ frames, errorClass }) => {
    expect(endOf([FAILED, ...frames])).toMatchObject({ errorClass });
  });

  test('the later of two error results gives the text', () => {
    expect(endOf([FAILED, { ...FAILED, errors: ['later'] }])?.message).toContain('result: later');
  });
});

test('whether any turn has ended is known', () => {
  const memory = new SessionRecord();
  memory.note({ type: 'assistant' });
  expect(memory.lastResult).toBeUndefined();
  memory.note(SUCCESS);
  expect(memory.lastResult).toBe(SUCCESS);
});
