import { expect, onTestFinished, test, vi } from 'vitest';
import { query } from '../../src/index.js';
import { scriptedCli } from '../../src/testing/index.js';
import { warnOnce } from '../../src/util/warn-once.js';

function heardWarnings() {
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => spy.mockRestore());
  return spy.mock.calls;
}

test('a warning is emitted once a process; another message of the same code is another warning', () => {
  const heard = heardWarnings();
  for (const message of ['one', 'two', 'one', 'one']) {
    warnOnce({ code: 'CLAUDE_SDK_X', type: 'DeprecationWarning', message });
  }
  warnOnce({ code: 'CLAUDE_SDK_Y', message: 'one' });
  expect(heard).toEqual([
    ['one', { code: 'CLAUDE_SDK_X', type: 'DeprecationWarning' }],
    ['two', { code: 'CLAUDE_SDK_X', type: 'DeprecationWarning' }],
    ['one', { code: 'CLAUDE_SDK_Y' }],
  ]);
});

test('a host that allows its own tool is told once, not at every request (U-7)', async () => {
  const heard = heardWarnings();
  await using cli = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true, reuse: true });
  const request = async (allowedTools: string[]): Promise<void> => {
    const options = { ...cli.options, canUseTool: async () => null, allowedTools };
    for await (const _ of query({ prompt: 'Hi', options }));
  };
  for (const _ of [1, 2, 3]) await request(['mcp__host__lookup']);
  await request(['Bash']);
  expect(heard.map(([message]) => message)).toEqual([
    'canUseTool is not asked about tools that allowedTools allows: mcp__host__lookup.',
    'canUseTool is not asked about tools that allowedTools allows: Bash.',
  ]);
});
