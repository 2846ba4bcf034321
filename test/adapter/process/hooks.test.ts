import { describe, expect, test } from 'vitest';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { createHooks } from '../../../src/adapter/hooks/create-hooks.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import { PromptExecuted, ToolInvoked } from '../../../src/adapter/state/events.js';
import { Session } from '../../../src/adapter/state/session.js';
import { Workspace } from '../../../src/adapter/state/slices.js';
import type { Script } from '../../../src/testing/index.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { keepingLogger, makeRun } from '../hooks/make-run.js';
import { play } from '../support/play.js';
import { promptWith } from './prompt-with.js';

/** The hooks as the CLI was told of them. */
function registered(initialize: JsonObject | undefined): Record<string, JsonObject[]> {
  const hooks = initialize?.hooks;
  if (!isJsonObject(hooks)) throw new Error('no hooks were registered');
  return hooks as Record<string, JsonObject[]>;
}

describe('what the CLI is told', () => {
  test('the hooks are registered for all tools, with their seconds (AD-131)', async () => {
    await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith(), { session: new Session() });
    const hooks = registered(stage.sent.initialize[0]);
    for (const [event, timeout] of [
      ['PreToolUse', 30],
      ['PostToolUse', 30],
      ['UserPromptSubmit', 10],
      ['Stop', 10],
    ] as const) {
      expect(hooks[event], event).toHaveLength(1);
      expect(hooks[event]?.[0]).toMatchObject({ timeout, hookCallbackIds: [expect.any(String)] });
      expect(hooks[event]?.[0]).not.toHaveProperty('matcher');
    }
  });

  test('and each with its own seconds where they are given (AD-131)', async () => {
    await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
    const { clientConfig, ...machine } = stage.machine;
    const hookTimeouts = { preToolUse: 1, postToolUse: 2, userPromptSubmit: 3, stop: 4 };
    const adapter = new ClaudeAgentAdapter({ ...machine, clientConfig: { ...clientConfig, hookTimeouts } });
    await adapter.evaluate(promptWith(), { session: new Session() });
    const seconds = Object.entries(registered(stage.sent.initialize[0])).map(([event, matchers]) => [
      event,
      matchers.map(({ timeout }) => timeout),
    ]);
    expect(Object.fromEntries(seconds)).toMatchObject({
      PreToolUse: [1],
      PostToolUse: [2],
      PostToolUseFailure: [2],
      UserPromptSubmit: [3],
      Stop: [4],
      Notification: [10],
    });
  });

  test('PreToolUse blocks when it fails, unless told to open; no other event does (AD-381)', async () => {
    for (const hookFailureMode of [undefined, 'open'] as const) {
      await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
      const { clientConfig, ...machine } = stage.machine;
      const adapter = new ClaudeAgentAdapter({ ...machine, clientConfig: { ...clientConfig, hookFailureMode } });
      await adapter.evaluate(promptWith(), { session: new Session() });
      const { PreToolUse, ...others } = registered(stage.sent.initialize[0]);
      expect(PreToolUse?.map(({ onFailure }) => onFailure)).toEqual([hookFailureMode === 'open' ? undefined : 'block']);
      expect(Object.keys(others).length).toBeGreaterThan(7);
      expect(JSON.stringify(others)).not.toContain('onFailure');
    }
  });
});

describe('a run with hooks', () => {
  test('the reason that the Stop hook recorded is in the response and in the log (AD-165)', async () => {
    const fourHooks: Script = ({ prompt, init, toolUse, hook, toolResult, result }) => [
      prompt(),
      hook('UserPromptSubmit', { prompt: 'Go.' }),
      init(),
      toolUse('Bash', { command: 'echo one' }),
      hook('PreToolUse'),
      hook('PostToolUse', { tool_response: { stdout: 'one' } }),
      toolResult('one'),
      hook('Stop', { stop_hook_active: false }),
      result('Done.'),
    ];
    const named: Script = ({ prompt, init, assistantText, hook, result }) => [
      prompt(),
      init(),
      assistantText('Done.'),
      hook('Stop', { stop_hook_active: false, stopReason: 'max_tokens' }),
      result('Done.'),
    ];
    const cases = [
      { script: fourHooks, options: { recordings: ['hooks-main-four'] }, reason: 'end_turn' },
      {
        script: named,
        options: { recordings: 'none', why: 'no CLI names a stopReason in this input; one that does is believed' },
        reason: 'max_tokens',
      },
    ] as const;
    for (const { script, options, reason } of cases) {
      await using stage = play(script, options);
      const { logger, logged } = keepingLogger();
      const adapter = new ClaudeAgentAdapter({ ...stage.machine, logger });
      const response = await adapter.evaluate(promptWith(), { session: new Session() });
      expect(response.stopReason).toBe(reason);
      const reasons = logged.flatMap(({ event, context }) =>
        'stopReason' in context ? [[event, context.stopReason]] : [],
      );
      expect(reasons).toEqual([
        ['hook.stop', reason],
        ['sdk.evaluate.complete', reason],
      ]);
    }
  });

  test('a signal that aborts while PreToolUse is pending: no approval, no tool (AD-146)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, expectRequest, errorResult, endOfInput }) => {
        const call = toolUse('Bash', { command: 'touch made.txt' });
        const [question, denied] = hook(
          'PreToolUse',
          {},
          { expect: { hookSpecificOutput: { permissionDecision: 'deny' } } },
        ) as unknown as [JsonObject, JsonObject];
        return [
          prompt(),
          init(),
          call,
          question as never,
          { inAny: [denied, expectRequest('interrupt')] } as never,
          errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_tools' }),
          endOfInput(),
        ];
      },
      { recordings: ['hook-interrupt'] },
    );
    const controller = new AbortController();
    class Aborting extends BudgetTracker {
      // The hook looks at the budget: it is pending at this moment.
      override isExhausted(): boolean {
        controller.abort(new Error('enough'));
        return false;
      }
    }
    const session = new Session();
    const run = new ClaudeAgentAdapter(stage.machine).evaluate(promptWith(), {
      session,
      signal: controller.signal,
      budgetTracker: new Aborting(new Budget({ maxTotalTokens: 1_000 })),
    });
    await expect(run).rejects.toBeInstanceOf(EvaluationAbortedError);
    expect(stage.sent.hookOutputs.map(({ output }) => output)).toEqual([
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Evaluation aborted',
        },
      },
    ]);
    expect(session.query(ToolInvoked).all()).toEqual([]);
  });

  test('a turn that our hook ended after StructuredOutput is complete (AD-384)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('StructuredOutput', { a: 1 }),
        hook(
          'PostToolUse',
          { tool_response: 'Structured output provided successfully', duration_ms: 1 },
          { expect: { continue: false } },
        ),
        toolResult('Structured output provided successfully'),
        result('{"a":1}', { terminal_reason: 'hook_stopped', stop_reason: 'tool_use', structured_output: { a: 1 } }),
      ],
      { recordings: ['hook-structured-output-stop'] },
    );
    const session = new Session();
    const output = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const response = await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([], output), { session });
    expect(response.output).toEqual({ a: 1 });
    expect(response.stopReason).toBe('end_turn');
    const executed = session.query(PromptExecuted).all();
    expect(executed).toHaveLength(1);
    expect(executed[0]).toMatchObject({ output: { a: 1 }, stopReason: 'end_turn' });
  });

  test('a limit that a PostToolUse body reports ends the turn, and is the error of the run (AD-385)', async () => {
    const options = { promptName: 'test:process' };
    const cases = [
      { error: new DeadlineExceededError('late', options), reason: 'Deadline exceeded' },
      {
        error: new BudgetExhaustedError('spent', { dimension: 'total_tokens', consumed: {} }, options),
        reason: 'Budget exhausted',
      },
    ];
    for (const { error, reason } of cases) {
      await using stage = play(
        ({ prompt, init, toolUse, hook, toolResult, result }) => [
          prompt(),
          init(),
          toolUse('Bash', { command: 'echo hi' }),
          hook('PostToolUse', { tool_response: { stdout: 'hi' } }, { expect: { continue: false, stopReason: reason } }),
          toolResult('hi'),
          result('', { terminal_reason: 'hook_stopped', stop_reason: 'tool_use' }),
        ],
        { recordings: ['hook-posttool-continue-false'] },
      );
      // A bus of the caller's is what can throw there: our own never does.
      class LimitedBus extends InProcessEventBus {
        override publish(event: object) {
          if ('type' in event && event.type === 'toolInvoked') throw error;
          return super.publish(event);
        }
      }
      const session = new Session({ bus: new LimitedBus() });
      const run = new ClaudeAgentAdapter(stage.machine).evaluate(promptWith(), { session });
      await expect(run).rejects.toBeInstanceOf(error.constructor);
      expect(session.query(PromptExecuted).all()).toEqual([]);
    }
  });

  test('a path that was rewritten is what the question shows, and what runs when approved (AD-380)', async () => {
    const asked: unknown[] = [];
    await using stage = play(
      ({ prompt, init, toolUse, hook, permission, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Write', { file_path: 'new.txt', content: 'x' }),
        hook('PreToolUse'),
        permission('Write', { file_path: '/nowhere/work/new.txt', content: 'x' }, { expect: 'allow' }),
        toolResult('File created successfully at: /nowhere/work/new.txt'),
        result('Done.'),
      ],
      { recordings: ['hook-updated-input-question'] },
    );
    const { run, session } = makeRun();
    session.mutate(Workspace).seed({ root: '/nowhere/work' });
    const query = stage.query({
      prompt: 'Go.',
      options: {
        permissionMode: 'default',
        hooks: createHooks(run).hooks,
        canUseTool: async (_name, input) => {
          asked.push(input);
          return { behavior: 'allow', updatedInput: input };
        },
      },
    });
    for await (const message of query) void message;
    const rewritten = { file_path: '/nowhere/work/new.txt', content: 'x' };
    expect(stage.sent.hookOutputs.map(({ output }) => output)).toEqual([
      { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: rewritten } },
    ]);
    expect(asked).toEqual([rewritten]);
    expect(stage.sent.permissionAnswers).toMatchObject([{ behavior: 'allow', answer: { updatedInput: rewritten } }]);
  });
});
