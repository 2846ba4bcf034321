import { describe, expect, test } from 'vitest';
import {
  Budget,
  BudgetExhaustedError,
  BudgetTracker,
  ClaudeAgentAdapter,
  type ClaudeAgentClientConfig,
  MarkdownSection,
  Prompt,
} from '../../src/adapter/index.js';
import type { Turn } from '../../src/testing/messages-api/turn.js';
import { checkReport } from '../adapter/report/check-report.js';
import { CURRENT } from './support/clis.js';
import { type Stage, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

const prompt = new Prompt({
  ns: 'live',
  key: 'budget',
  sections: [new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' })],
});

/** 500 tokens, most of which only the end of the answer tells. */
const usage = { input_tokens: 200, output_tokens: 300 };
const LIMIT = 1_000;
/** Turns that the limit allows. */
const ALLOWED = 2;

/** A model that always wants one more call, on every thread. */
const more = (command = 'echo again'): Turn => ({ ...bash(command), usage, times: 200 });

function adapterOn(stage: Stage, client: ClaudeAgentClientConfig = {}): ClaudeAgentAdapter {
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  return new ClaudeAgentAdapter({
    hostEnv: env,
    clientConfig: {
      cwd: stage.cwd,
      pathToClaudeCodeExecutable,
      // The live stage runs as root of a namespace of its own.
      env: process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {},
      ...client,
    },
  });
}

const requestsOf = (stage: Stage): number => stage.api.requests.filter(({ kind }) => kind === 'main').length;

async function exhausted(work: Promise<unknown>): Promise<BudgetExhaustedError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof BudgetExhaustedError)) throw error ?? new Error('it ended well');
  return error;
}

const budget = () => new Budget({ maxTotalTokens: LIMIT });

describe('a token budget stops whoever spends (I-2)', () => {
  test('a model that goes on calling a tool: at most two requests after the limit', async () => {
    const stage = await setStage(CURRENT, { turns: [more()] });
    const error = await exhausted(adapterOn(stage).evaluate(prompt, { budget: budget() }));
    expect(requestsOf(stage)).toBeLessThanOrEqual(ALLOWED + 2);
    expect(error).toMatchObject({ dimension: 'total_tokens', limit: LIMIT, phase: 'budget' });
    expect(error.partial?.cliSessionId).toBeTypeOf('string');
    expect(checkReport(error.report).outcome).toMatchObject({ status: 'failed' });
  });

  test('a model whose calls are all denied', async () => {
    const stage = await setStage(CURRENT, { turns: [more('touch made')] });
    const adapter = adapterOn(stage, { permissionMode: 'default' });
    await exhausted(adapter.evaluate(prompt, { budget: budget() }));
    expect(requestsOf(stage)).toBeLessThanOrEqual(ALLOWED + 2);
  });

  test.each([1, 3, 8])('agents in the background (%d), after the main turn has ended', async (count) => {
    const stage = await setStage(CURRENT, { turns: withAgents(count) });
    await exhausted(adapterOn(stage).evaluate(prompt, { budget: budget() }));
    // Two of the main thread, what the limit allows, and for each agent the request in flight and one more.
    expect(requestsOf(stage)).toBeLessThanOrEqual(2 + ALLOWED + 2 * count);
  });

  test('an agent in the foreground', async () => {
    const agent = call('Agent', {
      ...{ description: 'Count', prompt: 'Count.', subagent_type: 'general-purpose' },
      run_in_background: false,
    });
    const stage = await setStage(CURRENT, { turns: [{ ...agent, usage }, more()] });
    await exhausted(adapterOn(stage).evaluate(prompt, { budget: budget() }));
    expect(requestsOf(stage)).toBeLessThanOrEqual(ALLOWED + 2);
  });

  test('a resumed session: what it used before does not count, and its own use does', async () => {
    const stage = await setStage(CURRENT, { turns: [{ text: 'One.', usage }, { text: 'Two.', usage }, more()] });
    const adapter = adapterOn(stage);
    const first = await adapter.evaluate(prompt);
    const { cliSessionId: resume } = first;
    const tracker = new BudgetTracker(budget());
    const second = await adapter.evaluate(prompt, { budgetTracker: tracker, resume });
    expect(second.usage).toMatchObject({ inputTokens: 200, outputTokens: 300 });
    expect(tracker.consumed).toEqual(second.usage);
    const before = requestsOf(stage);
    const error = await exhausted(adapter.evaluate(prompt, { budget: budget(), resume }));
    expect(requestsOf(stage) - before).toBeLessThanOrEqual(ALLOWED + 2);
    expect(error.consumed.inputTokens).toBeGreaterThan(400);
  });

  test('a conversation is over with its budget', async () => {
    const stage = await setStage(CURRENT, { turns: [{ text: 'One.', usage }, more()] });
    await using conversation = await adapterOn(stage).openConversation(prompt, { budget: budget() });
    await conversation.send('First.');
    await exhausted(conversation.send('Second.'));
    expect(requestsOf(stage)).toBeLessThanOrEqual(ALLOWED + 2);
    await exhausted(conversation.send('Third.'));
  });
});

describe('a limit in dollars', () => {
  test('a resumed session: what it cost before does not count', async () => {
    const turn = { usage: { input_tokens: 1_000, output_tokens: 1_000 } };
    const stage = await setStage(CURRENT, {
      turns: [
        { text: 'One.', ...turn },
        { ...bash('echo again'), ...turn, times: 50 },
      ],
    });
    const first = await adapterOn(stage).evaluate(prompt);
    const { cliSessionId: resume } = first;
    const oneTurn = first.report.usage.costUsd ?? 0;
    const before = requestsOf(stage);
    const adapter = adapterOn(stage, { maxBudgetUsd: oneTurn * 2.5 });
    const error = await exhausted(adapter.evaluate(prompt, { resume }));
    expect(error).toMatchObject({ dimension: 'usd', limit: oneTurn * 2.5 });
    expect(requestsOf(stage) - before).toBe(3);
    expect(checkReport(error.report).usage.costUsd).toBeCloseTo(oneTurn * 3);
  });

  test('agents in the background count too, after the main turn has ended', async () => {
    const stage = await setStage(CURRENT, { turns: withAgents(2) });
    const adapter = adapterOn(stage, { maxBudgetUsd: 0.012 });
    const error = await exhausted(adapter.evaluate(prompt));
    expect(error).toMatchObject({ dimension: 'usd', partial: { text: 'Started.' } });
    expect(requestsOf(stage)).toBeLessThanOrEqual(2 + 3 + 2 * 2);
  });
});

/** A main thread that starts agents in the background and ends, and agents that never do. */
function withAgents(count: number): readonly Turn[] {
  const agent = {
    type: 'tool_use' as const,
    name: 'Agent',
    input: { ...{ description: 'Count', prompt: 'Count.', subagent_type: 'general-purpose' }, run_in_background: true },
  };
  const common = { usage: { input_tokens: 1, output_tokens: 1 }, when: isMain('Go.') };
  return [
    { blocks: Array.from({ length: count }, () => agent), ...common },
    { text: 'Started.', ...common },
    more('sleep 0.3; echo again'),
  ];
}

/** The main thread's requests begin with this text, an agent's with its own. */
function isMain(text: string): (request: { readonly body: unknown }) => boolean {
  return ({ body }) => JSON.stringify((body as { messages: unknown[] }).messages[0]).includes(text);
}
