import { describe, expect, test } from 'vitest';
import {
  Budget,
  BudgetExhaustedError,
  BudgetTracker,
  ClaudeAgentAdapter,
  type ClaudeAgentClientConfig,
  MarkdownSection,
  Prompt,
  PromptEvaluationError,
  ThrottleError,
} from '../../src/adapter/index.js';
import type { Turn } from '../../src/testing/messages-api/turn.js';
import { keepingLogger } from '../adapter/hooks/make-run.js';
import { checkReport } from '../adapter/report/check-report.js';
import { CURRENT } from './support/clis.js';
import { setIsolatedStage } from './support/isolated.js';
import { describeSandboxed } from './support/sandbox.js';
import { type Stage, setStage } from './support/stage.js';
import { bash } from './support/turns.js';

const prompt = new Prompt({
  ns: 'live',
  key: 'limits',
  sections: [new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' })],
});

function adapterOn(stage: Stage, client: ClaudeAgentClientConfig = {}): ClaudeAgentAdapter {
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  return new ClaudeAgentAdapter({
    hostEnv: env,
    clientConfig: {
      cwd: stage.cwd,
      pathToClaudeCodeExecutable,
      env: {
        CLAUDE_CODE_MAX_RETRIES: '1',
        // The live stage runs as root of a namespace of its own.
        ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
      },
      ...client,
    },
  });
}

async function failureOn(stage: Stage, client?: ClaudeAgentClientConfig) {
  const error: unknown = await adapterOn(stage, client)
    .evaluate(prompt)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  if (!(error instanceof PromptEvaluationError)) throw error ?? new Error('it ended well');
  expect(checkReport(error.report).outcome).toMatchObject({
    status: 'failed',
    error: { name: error.name, retryAdvice: error.retryAdvice },
  });
  return error;
}

const refused = (status: number, type: string, message: string): Turn => ({
  error: { status, type, message },
  times: 20,
});

describe('what the API refuses', () => {
  const cases: readonly (readonly [Turn, object])[] = [
    [refused(429, 'rate_limit_error', 'Rate limited'), { details: { kind: 'rate_limit', attempts: 2 } }],
    [refused(529, 'overloaded_error', 'Overloaded'), { details: { kind: 'rate_limit' } }],
    [
      refused(400, 'invalid_request_error', 'Your credit balance is too low to access the API'),
      { details: { kind: 'quota_exhausted', retrySafe: false } },
    ],
    [refused(401, 'authentication_error', 'invalid x-api-key'), { code: 'authentication_failed' }],
    [refused(403, 'permission_error', 'Request not allowed'), { code: 'authentication_failed' }],
  ];
  test.each(cases)('%j', async (turn, fields) => {
    const error = await failureOn(await setStage(CURRENT, { turns: [turn] }));
    expect(error).toMatchObject(fields);
    expect(error instanceof ThrottleError).toBe('details' in fields);
  });
});

test('the turn limit and the price are errors with what there was', async () => {
  const turns = await setStage(CURRENT, { turns: [bash('echo one'), 'Never.'] });
  expect(await failureOn(turns, { maxTurns: 1 })).toMatchObject({ code: 'max_turns' });
  const price = await setStage(CURRENT, { turns: [bash('echo one'), 'Never.'] });
  const error = await failureOn(price, { maxBudgetUsd: 0.000_001 });
  expect(error).toBeInstanceOf(BudgetExhaustedError);
  expect(error).toMatchObject({ dimension: 'usd', partial: { cliSessionId: expect.any(String) } });
});

test('tokens are counted as the API reported them; a resumed run counts its own', async () => {
  const stage = await setStage(CURRENT, { turns: [bash('echo one'), 'Done.', 'Again.'] });
  const adapter = adapterOn(stage);
  const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 1_000_000 }));
  const first = await adapter.evaluate(prompt, { budgetTracker });
  expect(first.usage.inputTokens).toBeGreaterThan(0);
  expect(budgetTracker.consumed).toEqual(first.usage);
  expect(checkReport(first.report)).toMatchObject({
    outcome: { status: 'completed' },
    cli: { version: CURRENT.version, authSource: 'ANTHROPIC_API_KEY' },
    tools: { used: [{ name: 'Bash', requested: 1, completed: 1 }] },
    usage: { ...first.usage, isFinal: true, costUsd: expect.any(Number) },
  });

  const { cliSessionId: resume } = first;
  const second = await adapter.evaluate(prompt, { budgetTracker, resume });
  expect(second.usage.inputTokens).toBeLessThan(first.usage.inputTokens ?? 0);
  expect(budgetTracker.consumed.inputTokens).toBe((first.usage.inputTokens ?? 0) + (second.usage.inputTokens ?? 0));
  const { costUsd, sessionCostUsd } = checkReport(second.report).usage;
  expect(costUsd).toBeLessThan(sessionCostUsd ?? 0);
});

describeSandboxed('calls that the CLI makes for itself', () => {
  test.each([
    ['', 'a title of the isolated session is asked for, and told apart from sub-agents'],
    ['1', 'the variable prevents them'],
  ])('CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=%s: %s', async (value) => {
    const stage = await setIsolatedStage([]);
    const env = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: value };
    const { usage, subagentTotal, other } = await stage
      .run({ env })
      .then(({ response }) => ({ ...response.report.usage, usage: response.usage }));
    expect(subagentTotal).toEqual({ inputTokens: 0, outputTokens: 0, cachedTokens: 0 });
    if (value === '1') expect(other).toEqual(subagentTotal);
    else expect(other.outputTokens).toBeGreaterThan(0);
    // It is paid for.
    expect(usage.outputTokens).toBeGreaterThan(other.outputTokens ?? 0);
  });
});

test('a tool that the CLI does not have is told; its own names, former ones too, are not', async () => {
  const stage = await setStage(CURRENT, { turns: ['Done.'] });
  const { logger, logged } = keepingLogger();
  const { env = {}, pathToClaudeCodeExecutable } = stage.options();
  const adapter = new ClaudeAgentAdapter({
    hostEnv: env,
    logger,
    allowedTools: ['Read', 'Bash(git:*)', 'Agent', 'Task', 'KillShell', 'WebFetch', 'Raed'],
    clientConfig: { cwd: stage.cwd, pathToClaudeCodeExecutable, permissionMode: 'default' },
  });
  await adapter.evaluate(prompt);
  expect(logged.filter(({ level }) => level === 'warn')).toEqual([
    { level: 'warn', event: 'config.unknown_tool', context: { list: 'allowedTools', names: ['Raed'] } },
  ]);
});
