import { expect, test } from 'vitest';
import {
  CLIConnectionError,
  CLIJSONDecodeError,
  CLINotFoundError,
  ClaudeSDKError,
  MessageParseError,
  ProcessError,
  ResultError,
} from '../src/index.js';

const exit = { exitCode: 1, signal: null, stderrTail: 'e' } as const;

test('the class tree is the Python SDK’s (PY-322)', () => {
  const errors = [
    new CLINotFoundError('m'),
    new CLIConnectionError('m'),
    ProcessError.fromExit(exit),
    new ResultError('m', {}),
    new CLIJSONDecodeError('line'),
    new MessageParseError('m', {}),
  ];
  for (const error of errors) expect(error).toBeInstanceOf(ClaudeSDKError);
  expect(errors[0]).toBeInstanceOf(CLIConnectionError);
  expect(errors[3]).toBeInstanceOf(ProcessError);
});

test('an exit error says the code and what stderr said last, in the words of the official TypeScript SDK (PY-323)', () => {
  const error = ProcessError.fromExit(exit);
  expect(error.message).toBe('Claude Code process exited with code 1. stderr: e');
  expect(error).toMatchObject({ exitCode: 1, stderrTail: 'e' });
});

test('a missing CLI is named after the message (PY-324)', () => {
  expect(new CLINotFoundError('m', { cliPath: '/p' }).message).toBe('m: /p');
});

test('an undecodable line is shown up to 100 characters and kept whole (PY-337)', () => {
  const line = '{'.repeat(200);
  const error = new CLIJSONDecodeError(line);
  expect(error.message).toBe(`Failed to decode JSON: ${'{'.repeat(100)}...`);
  expect(error.line).toBe(line);
});
