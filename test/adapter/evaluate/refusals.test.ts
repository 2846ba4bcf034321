import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { BudgetExhaustedError } from '../../../src/adapter/errors/evaluation-errors.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import type { EvaluateOptions } from '../../../src/adapter/evaluate/run-request.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ToolPermissions } from '../../../src/adapter/state/slices.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import type { JsonObject } from '../../../src/util/json.js';
import { keepingLogger } from '../hooks/make-run.js';
import { checkReport } from '../report/check-report.js';
import { type FakeRuntime, fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt, typesOf } from '../support/make-prompt.js';

const result: JsonObject = {
  type: 'result',
  subtype: 'success',
  result: 'Done.',
  session_id: 'cli-session',
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 5 },
};

const adapterOver = (fake: FakeRuntime, options: ClaudeAgentAdapterOptions = {}): ClaudeAgentAdapter =>
  new ClaudeAgentAdapter({ loadRuntime: fake.loadRuntime, hostEnv: {}, uid: 1000, ...options });

const thrownIn = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe('a prompt with a workspace', () => {
  const tempRoot = mkdtempSync(join(tmpdir(), 'refusals-'));
  afterAll(() => rmSync(tempRoot, { recursive: true, force: true }));

  const promptOf = (section: ClaudeAgentWorkspaceSection, enabled = true): Prompt<null> =>
    new Prompt({
      ns: 'test',
      key: 'workspace',
      sections: [
        new MarkdownSection({
          ...{ title: 'Around', key: 'around', template: 'Look.', enabled: () => enabled },
          children: [section],
        }),
        new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' }),
      ],
    });

  test('without its session would run in the host’s directory, and is refused', async () => {
    const section = await ClaudeAgentWorkspaceSection.create({ session: new Session(), tempRoot });
    const fake = fakeRuntime([result]);
    for (const session of [undefined, new Session()]) {
      const evaluation = adapterOver(fake).evaluate(promptOf(section), { session });
      const error = await thrownIn(evaluation);
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(error).toMatchObject({
        fields: ['options.session'],
        message: expect.stringContaining('"around.claude-agent-workspace"'),
        hint: expect.stringContaining('Pass the session'),
      });
      expect(session === undefined ? [] : typesOf(session)).toEqual([]);
    }
    const talk = adapterOver(fake).openConversation(promptOf(section));
    expect(await thrownIn(talk)).toBeInstanceOf(AdapterConfigError);
    expect(fake.runs).toHaveLength(0);
    await section.cleanup();
  });

  test('runs with its session, with that of a clone, and wherever it is not shown', async () => {
    const session = new Session();
    const other = new Session();
    const section = await ClaudeAgentWorkspaceSection.create({ session, tempRoot });
    const clone = section.clone({ session: other });
    const fake = fakeRuntime([result]);
    const adapter = adapterOver(fake);
    await adapter.evaluate(promptOf(section), { session });
    // The same directory: whose section it is does not matter.
    await adapter.evaluate(promptOf(section), { session: other });
    await adapter.evaluate(promptOf(clone), { session: other });
    await adapter.evaluate(promptOf(section, false));
    const { tempDir } = section;
    expect(fake.runs.map(({ options }) => options.cwd)).toEqual([...[tempDir, tempDir, tempDir, undefined]]);
    await clone.cleanup();
    await section.cleanup();
  });

  test('that its session has replaced by another is refused, with other words', async () => {
    const session = new Session();
    const first = await ClaudeAgentWorkspaceSection.create({ session, tempRoot });
    const second = await ClaudeAgentWorkspaceSection.create({ session, tempRoot });
    const error = await thrownIn(adapterOver(fakeRuntime([result])).evaluate(promptOf(first), { session }));
    expect(error).toMatchObject({ message: expect.stringContaining('another workspace') });
    await first.cleanup();
    await second.cleanup();
  });
});

describe('options that would have no effect', () => {
  const cases: readonly [string, ClaudeAgentClientConfig, EvaluateOptions, string[]][] = [
    [
      '`userPrompt` beside a prompt that is the user message',
      {},
      { userPrompt: 'go' },
      ['options.userPrompt', 'clientConfig.promptPlacement'],
    ],
    [
      '`resume` of a session that an isolated home cannot hold',
      { isolation: { sandbox: { enabled: false } } },
      { resume: 'id' },
      ['options.resume', 'clientConfig.isolation'],
    ],
  ];
  test.each(cases)('%s', async (_, clientConfig, options, fields) => {
    const fake = fakeRuntime([result]);
    const adapter = adapterOver(fake, { clientConfig });
    const works = [
      adapter.evaluate(askPrompt(), options),
      ...('resume' in options ? [adapter.openConversation(askPrompt(), options)] : []),
    ];
    for (const work of works) {
      const error = await thrownIn(work);
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(error).toMatchObject({ fields });
    }
    expect([fake.loads, fake.runs.length]).toEqual([0, 0]);
  });

  test.each(['user', 'system'] as const)(
    '`userPrompt` of a conversation, with placement %s',
    async (promptPlacement) => {
      const adapter = adapterOver(fakeRuntime([result]), { clientConfig: { promptPlacement } });
      const error = await thrownIn(adapter.openConversation(askPrompt(), { userPrompt: 'go' }));
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(error).toMatchObject({ fields: ['options.userPrompt'] });
    },
  );

  test('an empty message of a conversation is a wrong argument, and the next one works', async () => {
    await using talk = await adapterOver(fakeRuntime([result])).openConversation(askPrompt());
    for (const text of ['', undefined as never]) {
      const error = await thrownIn(talk.send(text));
      expect(error).toBeInstanceOf(AdapterConfigError);
      expect(error).toMatchObject({ fields: ['text'] });
    }
    expect((await talk.send('go')).text).toBe('Done.');
  });
});

describe('a budget', () => {
  test('that is used up says by how much, and its report says that the run failed', async () => {
    const session = new Session();
    const evaluation = adapterOver(fakeRuntime([result])).evaluate(askPrompt(), {
      session,
      budget: new Budget({ maxTotalTokens: 5 }),
    });
    const error = (await thrownIn(evaluation)) as BudgetExhaustedError;
    expect(error).toBeInstanceOf(BudgetExhaustedError);
    expect(error).toMatchObject({ dimension: 'total_tokens', limit: 5 });
    expect(error.message).toContain('15 of 5 total tokens');
    expect(checkReport(error.report!).outcome).toMatchObject({
      status: 'failed',
      stopReason: 'end_turn',
      error: { name: 'BudgetExhaustedError', phase: 'budget' },
    });
    expect(error.partial?.report.outcome).toMatchObject({ status: 'completed', error: null });
  });

  test('that was used up before says by how much', async () => {
    const budgetTracker = new BudgetTracker(new Budget({ maxInputTokens: 5 }));
    budgetTracker.record({ inputTokens: 6 });
    const evaluation = adapterOver(fakeRuntime([result])).evaluate(askPrompt(), { budgetTracker });
    const error = await thrownIn(evaluation);
    expect(error).toMatchObject({ dimension: 'input_tokens', limit: 5 });
    expect(String(error)).toContain('6 of 5 input tokens');
  });
});

describe('what is said in the log', () => {
  const warningsOf = async (
    options: ClaudeAgentAdapterOptions,
    evaluate: EvaluateOptions = {},
    tools: readonly string[] = ['Task', 'Bash', 'Read'],
  ) => {
    const { logger, logged } = keepingLogger();
    const init = { type: 'system', subtype: 'init', tools };
    const adapter = adapterOver(fakeRuntime([init, init, result]), { ...options, logger });
    await adapter.evaluate(askPrompt(), evaluate);
    return logged
      .filter(({ level, event }) => level === 'warn' && event.startsWith('config.'))
      .map(({ event, context }) => [event, context]);
  };

  test('a rule in `allowedTools` limits nothing where every call is approved', async () => {
    const allowedTools = ['Read', 'Bash(echo:*)'];
    const bypass = { permissionMode: 'bypassPermissions' } as const;
    expect(await warningsOf({ allowedTools, clientConfig: bypass })).toEqual([
      ['config.rule_without_effect', { rules: ['Bash(echo:*)'] }],
    ]);
    const clientConfig = { permissionMode: 'default' } as const;
    expect(await warningsOf({ allowedTools, clientConfig })).toEqual([]);
  });

  test('names that the CLI has no tool for are told once, in the list they are in', async () => {
    const session = new Session();
    session.mutate(ToolPermissions).seed({ blocked: ['bash', 'Agent', 'mcp__x', 'mcp__', '*', 'Monitor', 5 as never] });
    const options = {
      allowedTools: ['Raed', 'Agent', 'Bash(git:*)', 'mcp__y__z'],
      disallowedTools: ['Monitor'],
      clientConfig: { permissionMode: 'default' },
    } as const;
    expect(await warningsOf(options, { session })).toEqual([
      ['config.unknown_tool', { list: 'allowedTools', names: ['Raed'] }],
      ['config.unknown_tool', { list: 'blocked', names: ['bash', 'mcp__'] }],
    ]);
  });

  test('a pattern counts in `blocked`, where it blocks, and not in `allowedTools`', async () => {
    const session = new Session();
    session.mutate(ToolPermissions).seed({ blocked: ['Ba*', 'Zeb*', 'mcp__x__send*'] });
    const options = { allowedTools: ['Ba*'], clientConfig: { permissionMode: 'default' } } as const;
    expect(await warningsOf(options, { session })).toEqual([
      ['config.unknown_tool', { list: 'allowedTools', names: ['Ba*'] }],
      ['config.unknown_tool', { list: 'blocked', names: ['Zeb*'] }],
    ]);
  });

  test('limits of a budget that stands beside a tracker of another one do not vanish in silence', async () => {
    const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 1_000 }));
    const budget = new Budget({ maxTotalTokens: 5, maxInputTokens: 5 });
    const clientConfig = { permissionMode: 'default' } as const;
    expect(await warningsOf({ clientConfig }, { budget, budgetTracker })).toEqual([
      ['config.budget_ignored', { limits: ['maxTotalTokens', 'maxInputTokens'] }],
    ]);
    const { budget: shared } = budgetTracker;
    expect(await warningsOf({ clientConfig }, { budget: shared, budgetTracker })).toEqual([]);
  });

  test('a bypass that nobody chose is told, and one that was chosen is not (U-1)', async () => {
    const told = [['config.bypass_by_default', { hint: expect.stringContaining('permissionMode') }]];
    expect(await warningsOf({})).toEqual(told);
    for (const permissionMode of ['bypassPermissions', 'default'] as const) {
      expect(await warningsOf({ clientConfig: { permissionMode } })).toEqual([]);
    }
    const { report } = await adapterOver(fakeRuntime([result])).evaluate(askPrompt());
    expect(report.warnings).toEqual([expect.stringMatching(/Every tool call.*permissionMode/)]);
  });

  test('the process is told once of a bypass that nobody chose (U-1)', async () => {
    vi.resetModules();
    const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { ClaudeAgentAdapter: Fresh } = await import('../../../src/adapter/evaluate/claude-agent-adapter.js');
    for (const _ of [1, 2]) {
      const { loadRuntime } = fakeRuntime([result]);
      await new Fresh({ loadRuntime, uid: 1000 }).evaluate(askPrompt());
    }
    expect(emitted.mock.calls).toEqual([
      [expect.stringContaining('permissionMode'), { code: 'CLAUDE_SDK_BYPASS_BY_DEFAULT' }],
    ]);
    emitted.mockRestore();
  });

  test('wrong arguments name the cure (U-1)', async () => {
    const adapter = adapterOver(fakeRuntime([result]));
    const thrown = async (...args: readonly unknown[]) =>
      thrownIn((adapter.evaluate as (...args: readonly unknown[]) => Promise<unknown>).apply(adapter, [...args]));
    expect(await thrown('text')).toMatchObject({ hint: expect.stringContaining('import { evaluate }') });
    expect(await thrown(askPrompt(), { deadline: 5_000 })).toMatchObject({
      hint: expect.stringContaining('Deadline.fromNow(5000)'),
    });
  });
});

test('dispose() ends what runs, and the adapter can be used again', async () => {
  const adapter = adapterOver(fakeRuntime([result]));
  const talk = await adapter.openConversation(askPrompt());
  await adapter.dispose();
  expect(await thrownIn(talk.send('go'))).toMatchObject({ errorClass: 'aborted' });
  expect((await adapter.evaluate(askPrompt())).text).toBe('Done.');
});
