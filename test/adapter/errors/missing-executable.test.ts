import { expect, test } from 'vitest';
import { missingExecutable } from '../../../src/adapter/errors/missing-executable.js';
import { CLIConnectionError, CLINotFoundError } from '../../../src/errors.js';

const cases = [
  { name: 'nothing is known of why', error: undefined, found: 'Claude Code was not found.' },
  {
    name: 'it was looked for',
    error: new CLINotFoundError('Claude Code not found. Install with: ...', {
      searched: ['/usr/bin/claude (PATH)', '/home/u/.local/bin/claude'],
    }),
    found: 'Claude Code was not found. It was looked for in /usr/bin/claude (PATH), /home/u/.local/bin/claude.',
  },
  {
    name: 'a path was given',
    error: new CLINotFoundError('Claude Code not found at', { cliPath: '/gone', searched: ['/gone'] }),
    found: 'Claude Code was not found at /gone.',
  },
  {
    name: 'a name was given',
    error: new CLINotFoundError('Claude Code not found at', { cliPath: 'claude-2', searched: ['/usr/bin/claude-2'] }),
    found: 'Claude Code was not found at claude-2. It was looked for in /usr/bin/claude-2.',
  },
];
test.each(cases)('$name: said once, with every place that was looked at', ({ error, found }) => {
  const said = missingExecutable(error);
  expect(said).toEqual({
    found,
    fix: 'Install it with `npm install -g @anthropic-ai/claude-code`, or give its path: `pathToClaudeCodeExecutable`, or the variable CLAUDE_CODE_EXECUTABLE.',
  });
});

test('places can have a line each', () => {
  const error = new CLINotFoundError('', { searched: ['packages a, b (from /x)', '/bin/claude'] });
  expect(missingExecutable(error, undefined, true).found).toBe(
    'Claude Code was not found. It was looked for in:\n  packages a, b (from /x)\n  /bin/claude',
  );
});

test('an executable that is there and cannot be started is not called missing', () => {
  const error = new CLIConnectionError('Failed to start Claude Code: /x is built for macOS', {
    errorClass: 'executable_launch_failed',
    hint: 'Reinstall it on this machine.',
  });
  expect(missingExecutable(error)).toEqual({
    found: 'Failed to start Claude Code: /x is built for macOS.',
    fix: 'Reinstall it on this machine.',
  });
});
