import { expect, test } from 'vitest';
import {
  CLIConnectionError,
  CLIJSONDecodeError,
  CLINotFoundError,
  ClaudeSDKError,
  MessageParseError,
  ProcessError,
  ResultError,
} from '../../src/index.js';

const exit = { exitCode: 1, signal: null, stderrTail: 'e' } as const;

test('PY-322: the class tree is the Python SDK’s', () => {
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

test('PY-323: an exit error says the code and what stderr said last, in the words of the official TypeScript SDK', () => {
  const error = ProcessError.fromExit(exit);
  expect(error.message).toBe('Claude Code process exited with code 1. stderr: e');
  expect(error).toMatchObject({ exitCode: 1, stderrTail: 'e' });
});

test('PY-324: a missing CLI is named after the message', () => {
  expect(new CLINotFoundError('m', { cliPath: '/p' }).message).toBe('m: /p');
});

test('PY-337: an undecodable line is shown up to 100 characters and kept whole', () => {
  const line = '{'.repeat(200);
  const error = new CLIJSONDecodeError(line);
  expect(error.message).toBe(`Failed to decode JSON: ${'{'.repeat(100)}...`);
  expect(error.line).toBe(line);
});
