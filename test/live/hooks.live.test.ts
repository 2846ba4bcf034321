import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookCallback, HookEvent, HookJSONOutput } from '../../src/control/hook-types.js';
import { type Options, query } from '../../src/index.js';
import type { Turn } from '../../src/testing/messages-api/turn.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect, resultTexts, toolResults } from './support/collect.js';
import { recordedShape, shapeOf } from './support/recorded.js';
import { expectVersion, setStage } from './support/stage.js';
import { bash, call, TOUCH } from './support/turns.js';

const FOUR = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const;

describe.each(BOTH)('hooks, CLI $version', (cli) => {
  // A hook that only observes returns nothing. The CLI takes `{}`; an answer without a response, or `null`, it
  // calls a failure (on stderr, and in current releases with an `informational` message), so the shapes tell.
  const observers: readonly { name: string; result: unknown }[] = [
    { name: 'that answer {continue: true}', result: { continue: true } },
    { name: 'that return an empty object', result: {} },
    { name: 'that return nothing', result: undefined },
  ];
  for (const { name, result } of observers) {
    test(`four hooks ${name} see the turn go by in order`, async () => {
      const stage = await setStage(cli, { turns: [bash('echo one'), 'After the tool.'] });
      const seen: string[] = [];
      const stderr: string[] = [];
      const observe: HookCallback = async (input) => {
        seen.push(input.hook_event_name);
        // Programs without types return what they like.
        return result as HookJSONOutput;
      };
      const { messages, error } = await collect(
        query({
          prompt: 'Go.',
          options: stage.options({
            allowedTools: ['Bash'],
            hooks: register(FOUR, observe),
            stderr: (text) => stderr.push(text),
          }),
        }),
      );
      expect(error).toBeUndefined();
      expectVersion(stage, messages);
      expect(seen).toEqual(FOUR);
      expect(stderr.join('')).not.toContain('Error in hook callback');
      expect(toolResults(messages)).toEqual([{ text: 'one', isError: false }]);
      expect(resultTexts(messages)).toEqual(['After the tool.']);
      expect(stage.mainCalls()).toHaveLength(2);
      if (cli === CURRENT) expect(shapeOf(messages)).toEqual(recordedShape('hooks-main-four'));
    });
  }

  test('a PreToolUse hook that denies keeps the tool from running', async () => {
    const stage = await setStage(cli, { turns: [bash('echo one'), 'After the tool.'] });
    const deny: HookCallback = async () => ({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'house rules',
      },
    });
    const { messages, error } = await collect(
      query({
        prompt: 'Go.',
        options: stage.options({ allowedTools: ['Bash'], hooks: register(['PreToolUse'], deny) }),
      }),
    );
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(toolResults(messages)).toEqual([{ text: expect.stringContaining('house rules'), isError: true }]);
    expect(resultTexts(messages)).toEqual(['After the tool.']);
    expect(stage.mainCalls()).toHaveLength(2);
  });
});

function register(events: readonly HookEvent[], callback: HookCallback) {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [callback] }]]));
}

const WRITE = call('Write', { file_path: 'made.txt', content: 'x' });

describe.each(BOTH)('a hook that allows, CLI $version', (cli) => {
  const cases: readonly [string, Options, Turn, asked: number][] = [
    ['beside a rule that denies', { disallowedTools: ['Bash(touch:*)'] }, TOUCH, 0],
    ['beside a rule that denies all files', { disallowedTools: ['Edit(/**)'] }, WRITE, 0],
    ['beside a rule that asks', { settings: { permissions: { ask: ['Bash'] } } }, TOUCH, 1],
    ['in plan mode', { permissionMode: 'plan' }, WRITE, 1],
  ];
  test.each(cases)('%s: the call does not run (O-1)', async (_, options, turn, asked) => {
    const stage = await setStage(cli, { turns: [turn, 'After the tool.'] });
    let questions = 0;
    const decision = { hookEventName: 'PreToolUse', permissionDecision: 'allow' } as const;
    const { error } = await collect(
      query({
        prompt: 'Make a file.',
        options: stage.options({
          ...options,
          hooks: { PreToolUse: [{ hooks: [async () => ({ hookSpecificOutput: decision })] }] },
          canUseTool: async () => {
            questions += 1;
            return { behavior: 'deny', message: 'No.' };
          },
        }),
      }),
    );
    expect(error).toBeUndefined();
    expect(existsSync(join(stage.cwd, 'made.txt'))).toBe(false);
    expect(questions).toBe(asked);
  });
});
