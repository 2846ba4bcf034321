import { expect, test } from 'vitest';
import { InvalidOptionError, isAssistantMessage, type SDKMessage, summaryOf } from '../../../src/index.js';
import { createFrames, ScriptError, scriptedCli } from '../../../src/testing/index.js';

test('a sub-agent asks with its own id, and its text is not the answer of the turn', async () => {
  await using cli = scriptedCli(
    ({ prompt, init, subagent, assistantText, result }) => [
      ...[prompt(), init(), assistantText('I will delegate.')],
      subagent(
        'Two files.',
        ({ agentId, assistantText: say, toolUse, permission, hook, toolResult }) => [
          ...[say(`I am ${agentId}.`), toolUse('Bash', { command: 'ls' }), hook('PreToolUse'), permission()],
          toolResult('a b'),
        ],
        { type: 'counter' },
      ),
      result(),
    ],
    { inProcess: true },
  );
  const asked: unknown[] = [];
  const run = cli.query({
    prompt: 'Count.',
    options: {
      canUseTool: async (tool, _input, { agentID }) => {
        asked.push({ tool, agentID });
        return { behavior: 'allow' };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async (input) => {
                if (input.hook_event_name === 'PreToolUse') asked.push([input.agent_id, input.agent_type]);
                return {};
              },
            ],
          },
        ],
      },
    },
  });
  expect((await summaryOf(run)).text).toBe('I will delegate.');
  expect(asked).toEqual([['agent_1', 'counter'], { tool: 'Bash', agentID: 'agent_1' }]);
});

test('task_progress comes for each call, also of a list, and the end counts them', () => {
  const { subagent } = createFrames();
  const frames = subagent('Done.', ({ toolUse, toolResult }) => [
    [toolUse('Read', { file_path: 'a' }), toolResult('x')],
    [toolUse('Bash', { command: 'ls', description: 'List' }), toolResult('y')],
  ]);
  const progress = frames.flatMap((frame) => ('subtype' in frame && frame.subtype === 'task_progress' ? [frame] : []));
  expect(
    progress.map(({ description, last_tool_name, usage }) => [description, last_tool_name, usage.tool_uses]),
  ).toEqual([
    ['Running Read', 'Read', 1],
    ['Running List', 'Bash', 2],
  ]);
  expect(frames).toContainEqual(
    expect.objectContaining({ subtype: 'task_notification', usage: expect.objectContaining({ tool_uses: 2 }) }),
  );
});

test('its call can be streamed, and two in the background have ids of their own', () => {
  const { subagent, streamed } = createFrames();
  const all = [1, 2].flatMap((n): SDKMessage[] => {
    const [call, ...rest] = subagent(`Part ${n}.`, undefined, { background: true });
    return [...streamed(call), ...rest];
  });
  const calls = all.filter(isAssistantMessage).filter(({ parent_tool_use_id }) => parent_tool_use_id === null);
  expect(calls.map(({ message }) => message.id)).toHaveLength(2);
  const parents = all.filter(isAssistantMessage).map(({ parent_tool_use_id }) => parent_tool_use_id);
  expect(parents).toEqual([null, 'toolu_1', null, 'toolu_2']);
});

test('a misspelt detail is refused, and a failure inside names the builder', async () => {
  const { subagent } = createFrames();
  expect(() => subagent('x', () => [], { tpye: 'counter' } as never)).toThrow(InvalidOptionError);
  const cli = scriptedCli(
    ({ prompt, init, subagent: agent, result }) => [
      prompt(),
      init(),
      agent('x', ({ permission }) => [permission('Bash', {}, { expect: 'deny' })]),
      result(),
    ],
    { inProcess: true },
  );
  await summaryOf(cli.query({ prompt: 'Go.', options: { canUseTool: async () => ({ behavior: 'allow' }) } }));
  const failure: unknown = await cli.close().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ScriptError);
  expect(String(failure)).toContain('subagent "x" (test/testing/frames/subagent.test.ts');
});
