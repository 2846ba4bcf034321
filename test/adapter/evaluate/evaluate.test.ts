import { describe, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import {
  BudgetExhaustedError,
  DeadlineExceededError,
  EvaluationAbortedError,
  PromptEvaluationError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { PromptRenderError } from '../../../src/adapter/errors/prompt-errors.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { EvaluateOptions } from '../../../src/adapter/evaluate/run-request.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { type AnyTool, Tool } from '../../../src/adapter/prompt/index.js';
import type { ToolContext } from '../../../src/adapter/prompt/prompt-types.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { JsonObject } from '../../../src/util/json.js';
import { type FakeCli, type FakeRuntime, fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { ManualClock } from '../support/manual-clock.js';

const usage = { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 40, cache_creation_input_tokens: 50 };
const result = (text = 'Done.', more: JsonObject = {}): JsonObject => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: 'cli-session',
  terminal_reason: 'completed',
  usage,
  ...more,
});

const adapterOver = (fake: FakeRuntime, options: ClaudeAgentAdapterOptions = {}): ClaudeAgentAdapter =>
  new ClaudeAgentAdapter({ loadRuntime: fake.loadRuntime, hostEnv: {}, uid: 1000, ...options });

/** A tool that keeps the contexts it is called with. */
function spy(): { readonly tool: AnyTool; readonly contexts: ToolContext[] } {
  const contexts: ToolContext[] = [];
  const tool = new Tool({
    name: 'spy',
    description: 'Looks.',
    handler: (_, { context }) => {
      contexts.push(context);
      return ToolResult.ok('seen');
    },
  }) as unknown as AnyTool;
  return { tool, contexts };
}

/** Calls the tool, and a native tool whose PreToolUse answer is the text of the result. */
async function* useTools(cli: FakeCli): AsyncGenerator<JsonObject, void> {
  await cli.prompt();
  if (cli.options.toolServers !== undefined) await cli.callTool('wink', 'spy', {});
  const answers = await cli.hook('PreToolUse', { tool_name: 'Bash', tool_input: {} }, 't1');
  yield result(JSON.stringify(answers));
}

describe('before anything begins', () => {
  const clock = new ManualClock();
  const expired = (): Deadline => {
    const deadline = Deadline.fromNow(1_000, { clock });
    clock.advance(2_000);
    return deadline;
  };
  const used = (budget: Budget): BudgetTracker => {
    const tracker = new BudgetTracker(budget);
    tracker.record({ inputTokens: 100 });
    return tracker;
  };
  const cases: readonly [string, () => Omit<EvaluateOptions, 'session'>, object][] = [
    ['an expired deadline (AD-070)', () => ({ deadline: expired() }), DeadlineExceededError],
    [
      'the deadline of the tracker’s budget (AD-072)',
      () => ({ budgetTracker: new BudgetTracker(new Budget({ deadline: expired() })) }),
      DeadlineExceededError,
    ],
    [
      'a budget that is passed',
      () => ({ budgetTracker: used(new Budget({ maxTotalTokens: 99 })) }),
      BudgetExhaustedError,
    ],
    [
      'a signal that was aborted (AD-121)',
      () => ({ signal: AbortSignal.abort(new Error('no')) }),
      EvaluationAbortedError,
    ],
  ];
  test.each(cases)('nothing is rendered, published or started: %s', async (_, options, kind) => {
    const fake = fakeRuntime([result()]);
    const session = new Session();
    let rendered = 0;
    const prompt = askPrompt();
    const render = prompt.render.bind(prompt);
    prompt.render = (given) => {
      rendered += 1;
      return render(given);
    };
    const error: unknown = await adapterOver(fake, { clock })
      .evaluate(prompt, { session, ...options() })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect([rendered, fake.loads, fake.runs.length]).toEqual([0, 0, 0]);
    expect(typesOf(session)).toEqual([]);
    expect(clock.armed).toBe(0);
  });

  test('the deadline of a budget holds; one that is given beside it wins (AD-073)', async () => {
    const budget = new Budget({ deadline: expired(), maxTotalTokens: 1_000 });
    const adapter = adapterOver(fakeRuntime([result()]), { clock });
    const session = new Session();
    await expect(adapter.evaluate(askPrompt(), { session, budget })).rejects.toThrow(DeadlineExceededError);
    const deadline = Deadline.fromNow(60_000, { clock });
    const response = await adapter.evaluate(askPrompt(), { session, budget, deadline });
    expect(response.text).toBe('Done.');
  });

  test('a runtime that cannot be loaded is an error that names the package; no event (AD-003)', async () => {
    const session = new Session();
    const adapter = new ClaudeAgentAdapter({
      uid: 1000,
      loadRuntime: () => Promise.reject(new Error('Cannot find module')),
    });
    const error: unknown = await adapter.evaluate(askPrompt(), { session }).catch((e) => e);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({ phase: 'request', message: expect.stringContaining('Install claudewire again') });
    expect(typesOf(session)).toEqual([]);
  });

  test('a prompt that cannot be rendered throws its own error, and nothing is started', async () => {
    const fake = fakeRuntime([result()]);
    const session = new Session();
    const evaluation = adapterOver(fake).evaluate(askPrompt({ template: '$nobody' }), { session });
    await expect(evaluation).rejects.toThrow(PromptRenderError);
    expect(fake.runs).toHaveLength(0);
    expect(typesOf(session)).toEqual([]);
  });

  const bad: readonly [string, unknown, object][] = [
    ['prompt', {}, { session: new Session() }],
    ['options', askPrompt(), []],
    ['options.session', askPrompt(), { session: {} }],
    ['options.deadline', askPrompt(), { session: new Session(), deadline: new Date() }],
    ['options.signal', askPrompt(), { session: new Session(), signal: true }],
    ['options.resume', askPrompt(), { session: new Session(), resume: '' }],
    ['options.budget', askPrompt(), { budget: {} }],
    ['options.budget', askPrompt(), { budget: { maxTokens: 1 } }],
    ['options.budget', askPrompt(), { budget: { maxTotalTokens: 5 } }],
    ['options.budgetTracker', askPrompt(), { budgetTracker: { recordCumulative: () => {} } }],
    ['options.visibilityOverrides', askPrompt(), { visibilityOverrides: null }],
    ['options.budgets', askPrompt(), { session: new Session(), budgets: {} }],
  ];
  test.each(bad)('an argument of the wrong kind is named: %s', async (field, prompt, options) => {
    const error: unknown = await adapterOver(fakeRuntime([result()]))
      .evaluate(prompt as never, options as never)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({ fields: [field] });
  });
});

test('a template in the place of a prompt says what to write', async () => {
  const { template } = askPrompt();
  const evaluation = adapterOver(fakeRuntime([result()])).evaluate(template as never);
  await expect(evaluation).rejects.toMatchObject({
    message: '`prompt` must be a Prompt, not a PromptTemplate',
    hint: 'Give `new Prompt(template)`.',
  });
});

test('a prompt without a name is called by its key (AD-115)', async () => {
  const fake = fakeRuntime([result()]);
  const response = await adapterOver(fake).evaluate(askPrompt(), { session: new Session() });
  expect(response.promptName).toBe('test:sum');
  expect(fake.runs[0]?.sent).toMatchObject([{ session_id: 'test:sum' }]);
});

describe('trackers', () => {
  test('a budget alone gets one, which tools see and hooks hold to (AD-078)', async () => {
    const { tool, contexts } = spy();
    const budget = new Budget({ maxTotalTokens: 100 });
    const answers: unknown[] = [];
    const fake = fakeRuntime(async function* (cli) {
      await cli.prompt();
      const ask = () => cli.hook('PreToolUse', { tool_name: 'Bash', tool_input: {} }, 't1');
      await cli.callTool('wink', 'spy', {});
      answers.push(...(await ask()));
      contexts[0]?.budgetTracker?.record({ inputTokens: 100 });
      answers.push(...(await ask()));
      yield result();
    });
    await adapterOver(fake)
      .evaluate(askPrompt({ tools: [tool] }), { session: new Session(), budget })
      .catch(() => {});
    expect(contexts[0]?.budgetTracker?.budget).toBe(budget);
    expect(answers).toEqual([
      {},
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: 'Token budget exhausted',
        },
      },
    ]);
  });

  test('one that is given is used, whatever the budget beside it (AD-079)', async () => {
    const { tool, contexts } = spy();
    const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 5_000 }));
    await adapterOver(fakeRuntime(useTools)).evaluate(askPrompt({ tools: [tool] }), {
      session: new Session(),
      budget: new Budget({ maxTotalTokens: 1 }),
      budgetTracker,
    });
    expect(contexts[0]?.budgetTracker).toBe(budgetTracker);
    expect(budgetTracker.consumed).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  });

  test('cached tokens pass an input limit only when they count (AD-377)', async () => {
    const run = (countCachedTokens?: boolean) =>
      adapterOver(fakeRuntime([result()])).evaluate(askPrompt(), {
        session: new Session(),
        budget: new Budget({ maxInputTokens: 50, countCachedTokens }),
      });
    const response = await run();
    expect(response.usage).toEqual({ inputTokens: 10, outputTokens: 5, cachedTokens: 90 });
    const error: unknown = await run(true).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(error).toMatchObject({ dimension: 'input_tokens', partial: { text: 'Done.' } });
  });
});

test('runs that overlap on one adapter see their own events and deadlines only (AD-004)', async () => {
  const clock = new ManualClock();
  const seen = new Map<string, ToolContext[]>();
  let arrived = 0;
  let letGo = (): void => {};
  const bothThere = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const fake = fakeRuntime(async function* (cli) {
    const prompt = await cli.prompt();
    arrived += 1;
    if (arrived === 2) letGo();
    await bothThere;
    await cli.callTool('wink', 'spy', {});
    await cli.hook('PostToolUse', { tool_name: 'Bash', tool_input: {}, tool_response: prompt?.session_id }, 't1');
    yield result(`answer to ${prompt?.session_id}`);
  });
  const adapter = adapterOver(fake, { clock });
  const names = ['one', 'two'];
  const runs = names.map(async (name, index) => {
    const session = new Session();
    const { tool, contexts } = spy();
    seen.set(name, contexts);
    const deadline = Deadline.fromNow(10_000 * (index + 1), { clock });
    const response = await adapter.evaluate(askPrompt({ name, key: name, tools: [tool] }), { session, deadline });
    return { name, session, response, deadline };
  });
  for (const { name, session, response, deadline } of await Promise.all(runs)) {
    expect(response.text).toBe(`answer to ${name}`);
    expect(typesOf(session)).toEqual([...['promptRendered', 'toolInvoked', 'toolInvoked', 'promptExecuted']]);
    const names = eventsOf(session).map((event) => event.promptName);
    expect(new Set(names)).toEqual(new Set([name]));
    expect(new Set(eventsOf(session).map((event) => event.sessionId))).toEqual(new Set([session.sessionId]));
    const contexts = seen.get(name) ?? [];
    expect(contexts).toHaveLength(1);
    // The very objects: equality does not look into private fields.
    expect(contexts[0]?.deadline).toBe(deadline);
    expect(contexts[0]?.session).toBe(session);
  }
  expect(clock.armed).toBe(0);
});

describe('what stays behind', () => {
  test('no listener on a signal, whatever the end', async () => {
    const caller = new AbortController();
    let listeners = 0;
    const { signal } = caller;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = ((...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    }) as typeof signal.addEventListener;
    signal.removeEventListener = ((...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    }) as typeof signal.removeEventListener;
    const session = new Session();
    await adapterOver(fakeRuntime([result()])).evaluate(askPrompt(), { session, signal });
    await adapterOver(fakeRuntime([]))
      .evaluate(askPrompt(), { session, signal })
      .catch(() => {});
    expect(listeners).toBe(0);
  });

  test('the signal of tools fires when the evaluation has ended', async () => {
    const { tool, contexts } = spy();
    await adapterOver(fakeRuntime(useTools)).evaluate(askPrompt({ tools: [tool] }), { session: new Session() });
    expect(contexts[0]?.signal.aborted).toBe(true);
  });

  test('a runtime that throws at the start is normalised, and nothing waits', async () => {
    const clock = new ManualClock();
    const fake = fakeRuntime([], { startError: new RangeError('bad option') });
    const error: unknown = await adapterOver(fake, { clock })
      .evaluate(askPrompt(), { session: new Session(), deadline: Deadline.fromNow(5_000, { clock }) })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({ message: 'bad option', phase: 'request' });
    expect(clock.armed).toBe(0);
  });

  test('a handshake that fails closes the run', async () => {
    const fake = fakeRuntime([], { initializeError: new Error('no hands') });
    const evaluation = adapterOver(fake).evaluate(askPrompt(), { session: new Session() });
    await expect(evaluation).rejects.toThrow('no hands');
    expect(fake.runs).toMatchObject([{ closed: true, sent: [] }]);
  });
});
