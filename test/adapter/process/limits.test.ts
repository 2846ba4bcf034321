import { expect, test } from 'vitest';
import { BudgetExhaustedError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Budget, type BudgetLimits } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { Frames } from '../../../src/testing/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { play } from '../support/play.js';
import { recordedTurn } from './recorded-turn.js';

const trackerOf = (limits: BudgetLimits): BudgetTracker => new BudgetTracker(new Budget(limits));

/** One message of the model, as the CLI sends it: a frame for each block. */
const oneMessage = { id: 'msg_one', usage: { input_tokens: 10, output_tokens: 1 } } as const;

const deny = (permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason },
});

test('a shared tracker adds up two evaluations of one prompt (AD-084)', async () => {
  await using stage = play(
    ({ process, turn }) => [
      [process(), turn('One.')],
      [process(), turn('Two.')],
    ],
    { recordings: ['hello'] },
  );
  const budgetTracker = trackerOf({ maxTotalTokens: 1_000 });
  const adapter = new ClaudeAgentAdapter({ ...stage.machine });
  const prompt = askPrompt();
  for (const expected of [
    { inputTokens: 10, outputTokens: 5, cachedTokens: 0 },
    { inputTokens: 20, outputTokens: 10, cachedTokens: 0 },
  ]) {
    await adapter.evaluate(prompt, { session: new Session(), budgetTracker });
    expect(budgetTracker.consumed).toEqual(expected);
  }
});

test('one message of the model in three frames is counted once (AD-085)', async () => {
  const seen: unknown[] = [];
  await using stage = play(
    ({ prompt, init, assistantText, toolUse, hook, result }) => {
      // The frames of one message share its id and its usage.
      const frames = [assistantText('One.'), assistantText('Two.'), toolUse('Bash', {})];
      for (const { message } of frames) Object.assign(message, oneMessage);
      return [prompt(), init(), ...frames, hook('PreToolUse', {}, { expect: {} }), result('Done.')];
    },
    { recordings: ['hook-pretool-allow', 'hello'] },
  );
  // Three times would be 33 tokens.
  const budgetTracker = trackerOf({ maxTotalTokens: 20 });
  await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session: new Session(),
    budgetTracker,
    onMessage: ({ type }) => {
      if (type === 'assistant') seen.push(budgetTracker.consumed);
    },
  });
  expect(seen).toEqual(Array(3).fill({ inputTokens: 10, outputTokens: 1 }));
  expect(stage.sent.hookOutputs).toMatchObject([{ event: 'PreToolUse', output: {} }]);
});

/** Two calls of Bash, of two messages of the model with these tokens each. */
const twoCalls = (
  { toolUse }: Frames,
  usage: JsonObject,
): readonly [ReturnType<Frames['toolUse']>, ReturnType<Frames['toolUse']>] => {
  const [first, second] = ['msg_one', 'msg_two'].map((id) => {
    const call = toolUse('Bash', { command: 'echo one' });
    Object.assign(call.message, { id, usage });
    return call;
  });
  return [first!, second!];
};

test('a run whose budget is used up before its second call is denied that call (AD-086)', async () => {
  await using stage = play(
    (frames) => {
      const { prompt, init, toolResult, hook, result } = frames;
      const [first, second] = twoCalls(frames, { input_tokens: 8, output_tokens: 1 });
      return [
        prompt(),
        init(),
        first,
        hook('PreToolUse', {}, { expect: {} }),
        toolResult('one'),
        second,
        hook('PreToolUse', {}, { expect: deny('Token budget exhausted') }),
        toolResult('denied', { isError: true }),
        result('Done.'),
      ];
    },
    { recordings: ['hook-pretool-allow', 'hook-pretool-deny', 'hello'] },
  );
  const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session: new Session(),
    budget: new Budget({ maxTotalTokens: 18 }),
  });
  expect(response.text).toBe('Done.');
  expect(response.report.denials).toMatchObject([
    { toolName: 'Bash', reason: 'Token budget exhausted', by: 'adapter' },
  ]);
});

test('a run that passes its budget is interrupted at once, with the typed error (I-2)', async () => {
  await using stage = play(
    (frames) => {
      const { prompt, init, toolResult, hook, expectRequest, errorResult } = frames;
      const [first, second] = twoCalls(frames, { input_tokens: 8, output_tokens: 1 });
      return [
        prompt(),
        init(),
        first,
        hook('PreToolUse', {}, { expect: {} }),
        toolResult('one'),
        second,
        expectRequest('interrupt'),
        errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
      ];
    },
    { recordings: ['hook-pretool-allow', 'interrupt-streaming'] },
  );
  const session = new Session();
  const error: unknown = await new ClaudeAgentAdapter({ ...stage.machine })
    .evaluate(askPrompt(), { session, budget: new Budget({ maxTotalTokens: 15 }) })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BudgetExhaustedError);
  expect(error).toMatchObject({ dimension: 'total_tokens', limit: 15, phase: 'budget' });
  expect((error as BudgetExhaustedError).report?.outcome.status).toBe('failed');
  expect(stage.sent.controlRequests).toEqual([{ subtype: 'interrupt', cancel_queued: true }]);
  expect(typesOf(session)).toEqual(['promptRendered']);
});

test('usage that passes the limit is an error with the response, after promptExecuted (AD-087)', async () => {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  const session = new Session();
  const evaluation = new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session,
    budget: new Budget({ maxTotalTokens: 14 }),
  });
  const error: unknown = await evaluation.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BudgetExhaustedError);
  const { partial, dimension, consumed, report } = error as BudgetExhaustedError;
  expect(typesOf(session)).toEqual(['promptRendered', 'promptExecuted']);
  expect(eventsOf(session)[1]).toMatchObject({ type: 'promptExecuted', text: 'Four.' });
  expect((eventsOf(session)[1] as { result?: unknown }).result).toBe(partial);
  expect(partial).toMatchObject({ text: 'Four.', usage: { inputTokens: 10, outputTokens: 5 } });
  expect(dimension).toBe('total_tokens');
  expect(consumed).toEqual({ inputTokens: 10, outputTokens: 5, cachedTokens: 0 });
  expect(report).toBeDefined();
});

test('usage that reaches the limit is a response (AD-088)', async () => {
  await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
  const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session: new Session(),
    budget: new Budget({ maxTotalTokens: 15, maxInputTokens: 10, maxOutputTokens: 5 }),
  });
  expect(response.text).toBe('Four.');
});

test('the sum of the per-model table is recorded where `usage` says less (AD-089)', async () => {
  // Its sub-agent is in the table alone: 40 and 102 there, 20 and 62 in `usage`.
  await using stage = play(recordedTurn('subagent-foreground'), { recordings: ['subagent-foreground'] });
  const budgetTracker = trackerOf({ maxTotalTokens: 1_000 });
  const { usage, report } = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session: new Session(),
    budgetTracker,
  });
  expect(usage).toEqual({ inputTokens: 40, outputTokens: 102, cachedTokens: 0 });
  expect(budgetTracker.consumed).toEqual(usage);
  expect(report.usage.subagentTotal).toMatchObject({ inputTokens: 20, outputTokens: 40 });
});

test('a result without usage: nothing is known of it, and the tracker keeps the sum (AD-090)', async () => {
  await using stage = play(
    ({ prompt, init, assistantText, result }) => {
      const said = assistantText('Four.');
      Object.assign(said.message, oneMessage);
      const { usage: _, modelUsage: __, model_usage_since_last_result: ___, ...without } = result();
      return [prompt(), init(), said, without];
    },
    { recordings: ['hello'] },
  );
  const budgetTracker = trackerOf({ maxTotalTokens: 1_000 });
  const { text, usage } = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
    session: new Session(),
    budgetTracker,
  });
  expect(text).toBe('Four.');
  expect(usage.inputTokens).toBeUndefined();
  expect(usage.outputTokens).toBeUndefined();
  expect(budgetTracker.consumed).toEqual({ inputTokens: 10, outputTokens: 1 });
});
