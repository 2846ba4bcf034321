import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EvaluationAbortedError, PromptEvaluationError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ASKED, askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { play, type Stage } from '../support/play.js';

const isolation: ClaudeAgentClientConfig = { isolation: {} };

const adapterOn = (stage: Stage, clientConfig: ClaudeAgentClientConfig = {}): ClaudeAgentAdapter =>
  new ClaudeAgentAdapter({ ...stage.machine, clientConfig: { ...stage.machine.clientConfig, ...clientConfig } });

const isGone = (pid: number | undefined): boolean => {
  try {
    return !process.kill(pid ?? 0, 0);
  } catch {
    return true;
  }
};

test('two messages go to one process, in order, with the hooks active in both turns (AD-126)', async () => {
  await using stage = play(
    ({ prompt, init, toolUse, hook, toolResult, result }) =>
      ['One.', 'Two.'].map((answer, index) => [
        prompt(index === 0 ? `${ASKED}\n\nfirst` : 'second'),
        init(),
        toolUse('Bash', { command: answer }),
        hook('PreToolUse', {}, { expect: {} }),
        hook('PostToolUse', { tool_response: 'ok' }),
        toolResult('ok'),
        result(answer),
      ]),
    { recordings: ['hooks-all-events', 'multi-turn'] },
  );
  const session = new Session();
  await using talk = await adapterOn(stage).openConversation(askPrompt(), { session });
  const [one, two] = await Promise.all([talk.send('first'), talk.send('second')]);
  expect([one.text, two.text]).toEqual(['One.', 'Two.']);
  await talk.close();
  expect(stage.runs).toHaveLength(1);
  expect(stage.sent.prompts).toEqual([`${ASKED}\n\nfirst`, 'second']);
  expect(typesOf(session)).toEqual([
    'promptRendered',
    ...['toolInvoked', 'promptExecuted', 'toolInvoked', 'promptExecuted'],
  ]);
  expect(stage.sent.hookOutputs.map(({ event }) => event)).toEqual([
    ...['PreToolUse', 'PostToolUse', 'PreToolUse', 'PostToolUse'],
  ]);
});

test('usage is that of each turn, and the tracker holds the sum', async () => {
  const table = (inputTokens: number, outputTokens: number) => ({
    modelUsage: {
      m: {
        ...{ inputTokens, outputTokens, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 },
        ...{ webSearchRequests: 0, costUSD: 0, contextWindow: 1, maxOutputTokens: 1 },
      },
    },
  });
  await using stage = play(
    ({ prompt, init, assistantText, result }) => [
      ...[prompt(), init(), assistantText('One.'), result('One.', table(10, 5))],
      ...[prompt(), init(), assistantText('Two.'), result('Two.', table(30, 9))],
    ],
    { recordings: ['multi-turn'] },
  );
  const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 1_000 }));
  await using talk = await adapterOn(stage).openConversation(askPrompt(), { session: new Session(), budgetTracker });
  expect((await talk.send('a')).usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  expect((await talk.send('b')).usage).toMatchObject({ inputTokens: 20, outputTokens: 4 });
  expect(budgetTracker.consumed).toMatchObject({ inputTokens: 30, outputTokens: 9 });
});

test('an interrupt rejects the message that waits, and a later one works (AD-127)', async () => {
  await using stage = play(
    ({ prompt, init, expectRequest, assistantText, errorResult, turn }) => [
      prompt(),
      init(),
      expectRequest('interrupt'),
      assistantText('Half'),
      errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
      turn('Whole.', 'again'),
    ],
    { recordings: ['interrupt-streaming'] },
  );
  const session = new Session();
  let onInit = (): void => {};
  const started = new Promise<void>((resolve) => {
    onInit = resolve;
  });
  await using talk = await adapterOn(stage).openConversation(askPrompt(), {
    session,
    onMessage: ({ type }) => {
      if (type === 'system') onInit();
    },
  });
  const failed = talk.send('first').catch((error: unknown) => error);
  await started;
  await talk.interrupt();
  const error = await failed;
  expect(error).toBeInstanceOf(EvaluationAbortedError);
  expect(error).toMatchObject({ partial: { text: 'Half' } });
  expect((await talk.send('again')).text).toBe('Whole.');
  expect(typesOf(session)).toEqual(['promptRendered', 'promptExecuted']);
});

test('close() ends the process and removes the home; twice is harmless (AD-128)', async () => {
  await using stage = play(({ turn }) => turn('One.'), { recordings: ['multi-turn'] });
  const talk = await adapterOn(stage, isolation).openConversation(askPrompt(), { session: new Session() });
  await talk.send('first');
  expect(readdirSync(stage.tempRoot)).toHaveLength(1);
  await Promise.all([talk.close(), talk.close()]);
  await talk.close();
  expect(readdirSync(stage.tempRoot)).toEqual([]);
  expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
  await expect(talk.send('late')).rejects.toThrow(EvaluationAbortedError);
});

test('dispose() closes a conversation and removes its home (AD-129)', async () => {
  await using stage = play(({ turn }) => turn('One.'), { recordings: ['multi-turn'] });
  const adapter = adapterOn(stage, isolation);
  const talk = await adapter.openConversation(askPrompt(), { session: new Session() });
  await talk.send('first');
  await adapter.dispose();
  expect(readdirSync(stage.tempRoot)).toEqual([]);
  expect(stage.runs.map(({ pid }) => isGone(pid))).toEqual([true]);
  await expect(talk.send('late')).rejects.toThrow(EvaluationAbortedError);
});

test('a message that waits when the conversation is closed rejects', async () => {
  await using stage = play(
    ({ prompt, init, expectRequest, errorResult }) => [
      prompt(),
      init(),
      expectRequest('interrupt'),
      errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
    ],
    { recordings: ['interrupt-streaming'] },
  );
  let onInit = (): void => {};
  const started = new Promise<void>((resolve) => {
    onInit = resolve;
  });
  const talk = await adapterOn(stage).openConversation(askPrompt(), {
    session: new Session(),
    onMessage: () => onInit(),
  });
  const failed = talk.send('first').catch((error: unknown) => error);
  await started;
  await talk.close();
  expect(await failed).toBeInstanceOf(EvaluationAbortedError);
});

test('a process that dies ends the conversation: the message rejects, and the home is removed', async () => {
  await using stage = play(({ prompt, init, stderr, exit }) => [prompt(), init(), stderr('it broke\n'), exit(3)], {
    recordings: ['multi-turn'],
  });
  const talk = await adapterOn(stage, isolation).openConversation(askPrompt(), { session: new Session() });
  const error: unknown = await talk.send('first').catch((thrown) => thrown);
  expect(error).toBeInstanceOf(PromptEvaluationError);
  expect(error).toMatchObject({ providerPayload: { exitCode: 3 } });
  expect(readdirSync(stage.tempRoot)).toEqual([]);
  await expect(talk.send('late')).rejects.toThrow(/over/);
  await talk.close();
});

test('the result of a turn that a background task began answers nobody', async () => {
  await using stage = play(
    ({ turn, prompt, init, assistantText, result }) => [
      turn('Started in the background.'),
      prompt('second'),
      init(),
      assistantText('The background task finished.'),
      result(undefined, { origin: { kind: 'task-notification' } as never }),
      init(),
      assistantText('Two.'),
      result(),
    ],
    { recordings: ['bash-background'] },
  );
  await using talk = await adapterOn(stage).openConversation(askPrompt());
  expect((await talk.send('first')).text).toBe('Started in the background.');
  expect((await talk.send('second')).text).toBe('Two.');
});

test('each response has a report of its own, and events their own text', async () => {
  await using stage = play(({ turn }) => [turn('One.'), turn('Two.')], { recordings: ['multi-turn'] });
  const session = new Session();
  await using talk = await adapterOn(stage).openConversation(askPrompt(), { session });
  const one = await talk.send('first');
  const two = await talk.send('second');
  expect(one.report).not.toBe(two.report);
  expect(eventsOf(session).flatMap((event) => ('text' in event ? [event.text] : []))).toEqual([...['One.', 'Two.']]);
});
