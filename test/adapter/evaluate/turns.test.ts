import { describe, expect, test } from 'vitest';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  PromptEvaluationError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { JsonObject } from '../../../src/util/json.js';
import { type FakeCli, type FakeRuntime, type FakeScript, fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt, eventsOf } from '../support/make-prompt.js';
import { ManualClock } from '../support/manual-clock.js';

const usage = { input_tokens: 10, output_tokens: 5 };
const result = (text: string, more: JsonObject = {}): JsonObject => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: 'cli',
  terminal_reason: 'completed',
  num_turns: 1,
  usage,
  ...more,
});
/** As in `bash-background`: the CLI says so when a task that has ended began the turn. */
const ofTask = { origin: { kind: 'task-notification' } };
/** The CLI's table: a running total. */
const table = (inputTokens: number, outputTokens: number): JsonObject => ({
  modelUsage: { m: { inputTokens, outputTokens, costUSD: inputTokens / 100 } },
  total_cost_usd: inputTokens / 100,
});
const said = (text: string): JsonObject => ({
  type: 'assistant',
  session_id: 'cli',
  parent_tool_use_id: null,
  message: { id: text, model: 'm', role: 'assistant', content: [{ type: 'text', text }] },
});
const init: JsonObject = { type: 'system', subtype: 'init', session_id: 'cli' };

const adapterOver = (fake: FakeRuntime, options: ClaudeAgentAdapterOptions = {}) =>
  new ClaudeAgentAdapter({ loadRuntime: fake.loadRuntime, hostEnv: {}, uid: 1000, ...options });

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** A conversation over a script, closed at the end. */
async function talkOver(script: FakeScript, options: ClaudeAgentAdapterOptions = {}) {
  const fake = fakeRuntime(script);
  const session = new Session();
  const talk = await adapterOver(fake, options).openConversation(askPrompt(), { session });
  return { fake, talk, session, [Symbol.asyncDispose]: () => talk.close() };
}

describe('a turn that a background task began', () => {
  const thenDies = async function* (cli: FakeCli) {
    await cli.prompt();
    yield result('First.');
    await cli.prompt();
    yield said('About the task.');
    yield result('About the task.', ofTask);
  };

  test('its result is not the answer to a message, also when no other comes', async () => {
    await using stage = await talkOver(thenDies);
    expect((await stage.talk.send('a')).text).toBe('First.');
    const error = await failureOf(stage.talk.send('b'));
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({ message: 'Claude Code ended without a result' });
    expect(error).toMatchObject({ partial: { text: null } });
  });

  test('its result is not the answer when the deadline ends the turn after it', async () => {
    const clock = new ManualClock();
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      yield result('First.');
      await cli.prompt();
      yield result('About the task.', ofTask);
      clock.advance(5_000);
      await cli.interrupted();
    });
    const talk = await adapterOver(fake, { clock, clientConfig: { deadlineGraceMs: 0 } }).openConversation(
      askPrompt(),
      { deadline: Deadline.fromNow(5_000, { clock }) },
    );
    await talk.send('a');
    expect(await failureOf(talk.send('b'))).toBeInstanceOf(DeadlineExceededError);
    await talk.close();
  });

  test('at the end of an evaluation it takes no value away, and an error result no text', async () => {
    const prompt = new Prompt<{ a: number }>({
      ns: 'test',
      key: 'typed',
      sections: [new MarkdownSection({ title: 'T', key: 't', template: 'x' })],
      output: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    });
    const schema = { ...init, tools: ['StructuredOutput'] };
    const over = (end: JsonObject) =>
      adapterOver(
        fakeRuntime(async function* (cli) {
          await cli.prompt();
          yield schema;
          yield result('{"a":1}', { structured_output: { a: 1 } });
          yield schema;
          yield end;
        }),
      ).evaluate(prompt, { session: new Session() });
    const spent = { ...ofTask, subtype: 'error_max_structured_output_retries', is_error: true, result: undefined };
    expect(await over(result('The agent is done.', ofTask))).toMatchObject({ output: { a: 1 }, text: '{"a":1}' });
    expect(await over(result('', spent))).toMatchObject({ output: { a: 1 }, text: '{"a":1}' });
    const failed = { subtype: 'error_during_execution', is_error: true, result: undefined, errors: ['Why.'] };
    expect(await failureOf(over(result('', failed)))).toMatchObject({ partial: { text: '{"a":1}' } });
  });

  test('its output and stop reason are not those of the turn after it', async () => {
    const prompt = new Prompt<{ a: number }>({
      ns: 'test',
      key: 'typed',
      sections: [new MarkdownSection({ title: 'T', key: 't', template: 'x' })],
      output: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    });
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      const call = { tool_name: 'StructuredOutput', tool_input: { a: 1 }, tool_response: 'ok' };
      await cli.hook('PostToolUse', call, 't1');
      await cli.hook('Stop', { stopReason: 'odd' });
      yield result('', ofTask);
      yield result('Only words.');
    });
    const talk = await adapterOver(fake).openConversation(prompt);
    expect(await talk.send('go')).toMatchObject({ text: 'Only words.', output: null, stopReason: 'end_turn' });
    await talk.close();
  });

  test('an evaluation does not take it for its own when it comes first', async () => {
    const fake = fakeRuntime([said('Old task.'), result('Old task.', ofTask)]);
    expect(await failureOf(adapterOver(fake).evaluate(askPrompt()))).toMatchObject({
      message: 'Claude Code ended without a result',
    });
  });

  test('what it used is in the response, the event and the log of an evaluation', async () => {
    const logged: unknown[] = [];
    const none = (): void => {};
    const fake = fakeRuntime([
      result('Started.', { num_turns: 7, duration_ms: 40, ...table(1_000, 500) }),
      result('Done.', { num_turns: 2, duration_ms: 2, ...table(1_010, 505), ...ofTask }),
    ]);
    const session = new Session();
    const response = await adapterOver(fake, {
      logger: {
        ...{ debug: none, warn: none, error: none },
        info: (_, { event, context }) => {
          if (event === 'sdk.evaluate.complete') logged.push(context);
        },
      },
    }).evaluate(askPrompt(), { session });
    const all = { inputTokens: 1_010, outputTokens: 505 };
    expect(response).toMatchObject({
      text: 'Done.',
      usage: all,
      report: { usage: all, outcome: { turns: 9 }, timings: { cliMs: 42 } },
    });
    expect(eventsOf(session).at(-1)).toMatchObject({ usage: all, numTurns: 9 });
    expect(logged).toMatchObject([{ ...all, numTurns: 9 }]);
  });

  test('what it used is in the response of the turn after it', async () => {
    await using stage = await talkOver(async function* (cli) {
      await cli.prompt();
      yield result('One.', table(10, 5));
      yield result('About the task.', { ...table(30, 9), ...ofTask });
      await cli.prompt();
      yield result('Two.', table(100, 20));
    });
    expect((await stage.talk.send('a')).usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    const { usage: second, report } = await stage.talk.send('b');
    expect(second).toMatchObject({ inputTokens: 90, outputTokens: 15 });
    expect(report.outcome.turns).toBe(1);
  });
});

test('a result that comes twice does not make the usage zero', async () => {
  const twice = result('Done.', table(1_000, 500));
  const response = await adapterOver(fakeRuntime([twice, twice])).evaluate(askPrompt());
  expect(response.usage).toMatchObject({ inputTokens: 1_000, outputTokens: 500 });
});

describe('interrupt()', () => {
  test('right after send(): the message is not sent, and a later one works', async () => {
    await using stage = await talkOver(async function* (cli) {
      for (;;) {
        const message = await cli.prompt();
        if (message === undefined) return;
        yield result('Answer.');
      }
    });
    const failed = failureOf(stage.talk.send('first'));
    await stage.talk.interrupt();
    const error = await failed;
    expect(error).toBeInstanceOf(EvaluationAbortedError);
    expect(error).toMatchObject({ phase: 'request' });
    expect(stage.fake.runs[0]?.sent).toEqual([]);
    expect((await stage.talk.send('second')).text).toBe('Answer.');
  });

  test('stops one message of several that wait, and none when nothing waits', async () => {
    await using stage = await talkOver(async function* (cli) {
      for (;;) {
        const message = await cli.prompt();
        if (message === undefined) return;
        yield result('Answer.');
      }
    });
    const both = ['one', 'two'].map((text) => stage.talk.send(text));
    const settled = Promise.allSettled(both);
    await stage.talk.interrupt();
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await expect(stage.talk.send('')).rejects.toThrow('send() takes a non-empty string');
    await stage.talk.interrupt();
    expect((await stage.talk.send('three')).text).toBe('Answer.');
  });

  test('a CLI that does not hear it is ended, and the message rejects', async () => {
    const clock = new ManualClock();
    let onInit = (): void => {};
    const begun = new Promise<void>((resolve) => {
      onInit = resolve;
    });
    await using stage = await talkOver(
      async function* (cli) {
        await cli.prompt();
        yield init;
        onInit();
        await new Promise((resolve) => cli.closing.addEventListener('abort', resolve));
      },
      { clock },
    );
    const failed = failureOf(stage.talk.send('first'));
    await begun;
    clock.advanceWhenArmed(2_000);
    await stage.talk.interrupt();
    expect(await failed).toBeInstanceOf(EvaluationAbortedError);
    expect(stage.fake.runs).toMatchObject([{ interrupts: 1, closed: true }]);
    expect(clock.armed).toBe(0);
    await expect(stage.talk.send('late')).rejects.toThrow(/over/);
  });

  test('stops the message also when the CLI is at a turn of a background task before it', async () => {
    let onInit = (): void => {};
    const begun = new Promise<void>((resolve) => {
      onInit = resolve;
    });
    const stopped = { subtype: 'error_during_execution', is_error: true, errors: ['interrupted'] };
    await using stage = await talkOver(async function* (cli) {
      await cli.prompt();
      yield init;
      onInit();
      await cli.interrupted();
      yield result('', { ...stopped, ...ofTask });
      await cli.interrupted();
      yield result('', stopped);
      await cli.prompt();
    });
    const failed = failureOf(stage.talk.send('first'));
    await begun;
    await stage.talk.interrupt();
    expect(await failed).toBeInstanceOf(EvaluationAbortedError);
    expect(stage.fake.runs).toMatchObject([{ interrupts: 2, closed: false }]);
  });
});

describe('the turn before', () => {
  test('its limit, output, stop reason and request for sections do not reach the next', async () => {
    const prompt = new Prompt<{ a: number }>({
      ns: 'test',
      key: 'typed',
      sections: [
        new MarkdownSection({ title: 'T', key: 't', template: 'x' }),
        new MarkdownSection({
          ...{ title: 'More', key: 'more', template: 'y' },
          ...{ summary: 'short', visibility: 'summary' },
        }),
      ],
      output: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
    });
    const clock = new ManualClock();
    const stopped = { terminal_reason: 'hook_stopped' };
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      const call = { tool_name: 'StructuredOutput', tool_input: { a: 1 }, tool_response: 'ok' };
      await cli.hook('PostToolUse', call, 't1');
      await cli.hook('Stop', { stopReason: 'odd' });
      yield result('One.', stopped);
      await cli.prompt();
      yield result('Two.');
      await cli.prompt();
      await cli.callTool('wink', 'open_sections', { sectionKeys: ['more'], reason: 'need it' });
      await cli.interrupted();
      yield result('Stopped.');
      await cli.prompt();
      yield result('Four.');
    });
    const talk = await adapterOver(fake, { clock }).openConversation(prompt);
    expect(await talk.send('1')).toMatchObject({ output: { a: 1 } });
    expect(await talk.send('2')).toMatchObject({ output: null, stopReason: 'end_turn' });
    expect(await failureOf(talk.send('3'))).toMatchObject({ name: 'VisibilityExpansionRequired' });
    expect(await talk.send('4')).toMatchObject({ text: 'Four.' });
    await talk.close();
  });

  test('a limit for which a hook stopped it is not the error of the next', async () => {
    const bus = {
      subscribe: () => () => {},
      unsubscribe: () => false,
      publish: (event: object) => {
        if ('type' in event && event.type === 'toolInvoked') {
          throw new DeadlineExceededError('late', { promptName: 'p' });
        }
        return undefined as never;
      },
    };
    const call = { tool_name: 'Bash', tool_input: {}, tool_response: 'ok' };
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      await cli.hook('PostToolUse', call, 't1');
      yield result('One.', { terminal_reason: 'hook_stopped' });
      await cli.prompt();
      yield result('Two.', { terminal_reason: 'hook_stopped' });
    });
    const talk = await adapterOver(fake).openConversation(askPrompt(), { session: new Session({ bus }) });
    expect(await failureOf(talk.send('1'))).toBeInstanceOf(DeadlineExceededError);
    const second: unknown = await talk.send('2').catch((error: unknown) => error);
    expect(second).not.toBeInstanceOf(DeadlineExceededError);
    await talk.close();
  });

  test('its result is not in the report of a later turn that failed', async () => {
    await using stage = await talkOver(async function* (cli) {
      await cli.prompt();
      yield result('One.', {
        ...{ stop_reason: 'end_turn', num_turns: 3, duration_ms: 777 },
        ...{ total_cost_usd: 0.5, ttft_ms: 5 },
      });
      await cli.prompt();
      yield said('Half');
    });
    expect((await stage.talk.send('a')).report.outcome.turns).toBe(3);
    expect(await failureOf(stage.talk.send('b'))).toMatchObject({
      partial: { text: 'Half' },
      report: {
        outcome: { status: 'failed', stopReason: null, terminalReason: null, turns: null },
        usage: { isFinal: false, inputTokens: 10, sessionCostUsd: 0.5 },
        timings: { cliMs: null, firstTokenMs: null },
      },
    });
  });
});

test('a budget that was used up between two turns refuses the next, and nothing is sent', async () => {
  const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 100 }));
  const fake = fakeRuntime(async function* (cli) {
    await cli.prompt();
    yield result('One.');
    await cli.prompt();
    yield result('Two.');
  });
  const talk = await adapterOver(fake).openConversation(askPrompt(), { budgetTracker });
  await talk.send('a');
  budgetTracker.record({ inputTokens: 200 });
  expect(await failureOf(talk.send('b'))).toBeInstanceOf(BudgetExhaustedError);
  expect(fake.runs[0]?.sent).toHaveLength(1);
  await talk.close();
});
