import { AssertionError } from 'node:assert';
import { expect, test } from 'vitest';
import { assertSent, type ExpectedSent, type Sent, SentError } from '../../src/testing/index.js';

const sent: Sent = {
  prompts: ['Tidy up.', '$HOME'],
  userMessages: [],
  permissionAnswers: [
    {
      toolName: 'Bash',
      toolUseId: 'toolu_1',
      input: { command: 'ls' },
      behavior: 'deny',
      answer: { behavior: 'deny', message: 'No.' },
      error: undefined,
    },
  ],
  hookOutputs: [],
  toolResults: [],
  controlRequests: [{ subtype: 'set_model', model: 'x' }],
  initialize: [],
  argv: [['--print']],
  env: [{ A: '1' }],
  frames: [],
};

test.each<{ name: string; expected: ExpectedSent }>([
  { name: 'nothing', expected: {} },
  { name: 'texts that look like variables', expected: { prompts: ['Tidy up.', '$HOME'] } },
  { name: 'some fields', expected: { permissionAnswers: [{ toolName: 'Bash', answer: { message: 'No.' } }] } },
  { name: 'an empty list', expected: { hookOutputs: [] } },
])('holds: $name', ({ expected }) => {
  assertSent(sent, expected);
});

test.each<{ name: string; expected: ExpectedSent; message: string }>([
  {
    name: 'another text',
    expected: { prompts: ['Tidy up.', '$PATH'] },
    message:
      'The application sent other prompts than expected: prompts[1]: expected string "$PATH", found string "$HOME"',
  },
  {
    name: 'a text that looks like a variable is no variable',
    expected: { prompts: ['$any', '$HOME'] },
    message: 'prompts[0]: expected string "$any"',
  },
  {
    name: 'one entry too few',
    expected: { prompts: ['Tidy up.'] },
    message: 'prompts: expected array of 1, found array of 2',
  },
  {
    name: 'another field',
    expected: { permissionAnswers: [{ behavior: 'allow' }] },
    message: 'permissionAnswers[0].behavior: expected string "allow", found string "deny"',
  },
])('does not hold: $name', ({ expected, message }) => {
  expect(() => assertSent(sent, expected)).toThrow(message);
});

test('the error is an assertion with both sides', () => {
  try {
    assertSent(sent, { prompts: [] });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(AssertionError);
    expect(error).toBeInstanceOf(SentError);
    expect(error).toMatchObject({ name: 'SentError', actual: sent.prompts, expected: [] });
  }
});
