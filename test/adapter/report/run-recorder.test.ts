import { describe, expect, test } from 'vitest';
import { PromptEvaluationError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ValidationError } from '../../../src/adapter/errors/prompt-errors.js';
import { createHookState } from '../../../src/adapter/hooks/hook-run.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { createRedact, REDACTED } from '../../../src/adapter/logging/redact.js';
import { RunRecorder, type RunRecorderOptions } from '../../../src/adapter/report/run-recorder.js';
import type { RunReport } from '../../../src/adapter/report/run-report.js';
import { UsageCounter } from '../../../src/parser/usage-counter.js';
import type { JsonObject } from '../../../src/util/json.js';
import { messagesOf, processesOf, recordingNames } from '../../recordings/load.js';
import { ManualClock } from '../support/manual-clock.js';
import { checkReport } from './check-report.js';

function recorderOf(options: Partial<RunRecorderOptions> = {}) {
  const usage = new UsageCounter();
  const recorder = new RunRecorder({
    adapterName: 'claude_agent_sdk',
    promptName: 'review',
    usage,
    clock: new ManualClock(),
    ...options,
  });
  const feed = (message: object): void => {
    usage.onMessage(message);
    recorder.onMessage(message);
  };
  return { recorder, feed };
}

/** The report of the first process of a recording. */
function reportOf(recording: string, options: Partial<RunRecorderOptions> = {}): RunReport {
  const { recorder, feed } = recorderOf(options);
  for (const message of messagesOf(processesOf(recording)[0]!)) feed(message);
  return checkReport(recorder.finish());
}

test('what the proxy refused, as it is when the report is made', () => {
  const { recorder } = recorderOf();
  const refused = { form: 'socks', host: 'd.example', port: 22, reason: 'not listed', count: 2 } as const;
  recorder.proxy = { refused: [refused] };
  expect(checkReport(recorder.finish()).connectionsRefused).toEqual([refused]);
});

test('a run of which nothing came', () => {
  const { recorder } = recorderOf();
  expect(checkReport(recorder.finish())).toEqual({
    version: 1,
    adapter: 'claude_agent_sdk',
    promptName: 'review',
    outcome: { status: 'completed', stopReason: null, terminalReason: null, turns: null, error: null },
    cli: { version: null, sessionId: null, permissionMode: null, authSource: null },
    model: { requested: null, used: null },
    guarantees: null,
    warnings: [],
    limits: {
      deadline: null,
      maxTurns: null,
      maxBudgetUsd: null,
      maxTotalTokens: null,
      maxInputTokens: null,
      maxOutputTokens: null,
      countCachedTokens: false,
    },
    isolation: null,
    effectiveSettings: null,
    tools: { offered: [], used: [] },
    denials: [],
    unknownCalls: [],
    refusedOutputs: [],
    connectionsRefused: null,
    usage: {
      inputTokens: null,
      outputTokens: null,
      cachedTokens: null,
      isFinal: false,
      costUsd: null,
      sessionCostUsd: null,
      byModel: [],
      subagentTotal: { inputTokens: null, outputTokens: null, cachedTokens: null },
      other: { inputTokens: null, outputTokens: null, cachedTokens: null },
      subagents: [],
      apiRetries: 0,
    },
    files: null,
    timings: {
      startedAt: '2030-01-01T00:00:00.000Z',
      totalMs: 0,
      firstMessageMs: null,
      cliMs: null,
      apiMs: null,
      firstTokenMs: null,
      marks: {},
    },
  });
});

describe('recorded runs', () => {
  test('every recording gives a report that fits the schema', () => {
    for (const recording of recordingNames) {
      for (const process of processesOf(recording)) {
        const { recorder, feed } = recorderOf();
        for (const message of messagesOf(process)) feed(message);
        checkReport(recorder.finish());
      }
    }
  });

  test('who ran with what', () => {
    const clock = new ManualClock();
    const report = reportOf('hello', {
      clock,
      model: 'opus',
      maxTurns: 3,
      maxBudgetUsd: 0.5,
      deadline: Deadline.fromNow(60_000, { clock }),
      budget: new Budget({ maxTotalTokens: 1_000, countCachedTokens: true }),
    });
    expect(report).toMatchObject({
      outcome: { status: 'completed', stopReason: 'end_turn', terminalReason: 'completed', turns: 1 },
      cli: {
        version: '2.1.330',
        sessionId: '7affca57-e3e4-4c54-9b50-2816c546572f',
        permissionMode: 'default',
        authSource: 'ANTHROPIC_API_KEY',
      },
      model: { requested: 'opus', used: 'claude-opus-5-5' },
      limits: {
        deadline: '2030-01-01T00:01:00.000Z',
        maxTurns: 3,
        maxBudgetUsd: 0.5,
        maxTotalTokens: 1_000,
        maxInputTokens: null,
        countCachedTokens: true,
      },
      usage: {
        inputTokens: 10,
        outputTokens: 13,
        cachedTokens: 0,
        isFinal: true,
        costUsd: 0.0003,
        sessionCostUsd: 0.0003,
        byModel: [{ model: 'claude-opus-5-5', inputTokens: 10, outputTokens: 13, cachedTokens: 0, costUsd: 0.0003 }],
      },
      timings: { cliMs: 170, apiMs: 39, firstTokenMs: 161 },
    });
    expect(report.tools.offered).toHaveLength(22);
    expect(report.tools.offered).toContain('Bash');
  });

  test('a tool that goes by two names is one: offered, asked for, ended and refused (I-12)', () => {
    const { recorder, feed } = recorderOf();
    recorder.hooks = createHookState();
    recorder.hooks.toolsUsed.set('Agent', 1);
    recorder.hooks.toolsUsed.set('KillShell', 1);
    recorder.hooks.toolsUsed.set('TaskStop', 1);
    recorder.hooks.denials.push({ toolName: 'Task', toolUseId: 'd', reason: 'no' });
    feed({ type: 'system', subtype: 'init', tools: ['Task', 'Agent', 'KillBash'] });
    const call = (name: string, id: string) => ({ type: 'tool_use', name, id });
    const content = [call('Task', 'a'), call('Agent', 'b'), call('KillBash', 'c'), call('X', 'x')];
    feed({ type: 'assistant', message: { content } });
    feed({ type: 'assistant', message: { content: [call('Agent', 'a')] } });
    feed({ type: 'system', subtype: 'permission_denied', tool_name: 'Brief', tool_use_id: 'e' });
    const { tools, denials } = checkReport(recorder.finish());
    expect(tools.offered).toEqual(['Agent', 'TaskStop']);
    expect(tools.used).toEqual([
      { name: 'Agent', requested: 2, completed: 1 },
      { name: 'TaskStop', requested: 2, completed: 2 },
      { name: 'X', requested: 1, completed: 0 },
    ]);
    expect(denials.map(({ toolName }) => toolName)).toEqual(['Agent', 'SendUserMessage']);
  });

  test('tools and refusals of the CLI, each once, with the reason it gave', () => {
    expect(reportOf('sandbox-whole-isolation').denials).toEqual([
      {
        toolName: 'Read',
        toolUseId: 'toolu_fake_0004',
        reason: expect.stringMatching(/^Reads outside the working directories are blocked/),
        by: 'cli',
      },
      {
        toolName: 'Write',
        toolUseId: 'toolu_fake_0005',
        reason: expect.stringMatching(/^Writes outside the working directories are blocked/),
        by: 'cli',
      },
    ]);
    expect(reportOf('parallel-tools').tools.used).toEqual([
      { name: 'Bash', requested: 2, completed: 0 },
      { name: 'Read', requested: 1, completed: 0 },
    ]);
  });

  test('a refusal of ours keeps its reason, though the CLI lists the call too', () => {
    const { recorder, feed } = recorderOf();
    recorder.hooks = createHookState();
    recorder.hooks.denials.push({ toolName: 'Bash', toolUseId: 'toolu_fake_0001', reason: 'Deadline exceeded' });
    recorder.hooks.toolsUsed.set('Read', 2);
    for (const message of messagesOf(processesOf('hook-pretool-deny')[0]!)) feed(message);
    const { denials, tools } = checkReport(recorder.finish());
    expect(denials).toEqual([
      { toolName: 'Bash', toolUseId: 'toolu_fake_0001', reason: 'Deadline exceeded', by: 'adapter' },
    ]);
    expect(tools.used).toEqual([
      { name: 'Bash', requested: 1, completed: 0 },
      { name: 'Read', requested: 2, completed: 2 },
    ]);
  });

  test('one sub-agent used what the main thread did not', () => {
    expect(reportOf('subagent-foreground').usage).toMatchObject({
      inputTokens: 40,
      outputTokens: 102,
      subagentTotal: { inputTokens: 20, outputTokens: 40 },
      subagents: [
        {
          toolUseId: 'toolu_fake_0001',
          type: 'general-purpose',
          status: 'completed',
          inputTokens: 20,
          outputTokens: 40,
          isExact: true,
          // The main thread used the same model.
          costUsd: null,
          toolCalls: 1,
          durationMs: 123,
        },
      ],
    });
  });

  test('of several sub-agents only what their messages said is told', () => {
    const { subagents } = reportOf('subagent-interrupt').usage;
    expect(subagents.map(({ status, isExact }) => [status, isExact])).toEqual([
      ['stopped', false],
      ['stopped', false],
    ]);
  });

  test('requests that were tried again', () => {
    expect(reportOf('api-429-retry-then-ok').usage.apiRetries).toBe(2);
  });
});

test('a sub-agent with a model of its own has its cost', () => {
  const { recorder, feed } = recorderOf();
  const say = (id: string, model: string, parent: string | null) =>
    feed({
      type: 'assistant',
      parent_tool_use_id: parent,
      message: { id, model, usage: { input_tokens: 1, output_tokens: 1 } },
    });
  say('a', 'big', null);
  say('b', 'small', 't');
  const row = (costUSD: number) => ({ inputTokens: 5, outputTokens: 5, costUSD });
  feed({
    type: 'result',
    usage: { input_tokens: 5, output_tokens: 5 },
    modelUsage: { big: row(0.5), small: row(0.25) },
  });
  const { usage } = checkReport(recorder.finish());
  expect(usage.subagents).toMatchObject([
    { toolUseId: 't', isExact: true, inputTokens: 5, outputTokens: 5, costUsd: 0.25 },
  ]);
  expect(usage.costUsd).toBe(0.75);
});

test('what the CLI used for itself is not told as a sub-agent’s', () => {
  const row = (inputTokens: number) => ({ inputTokens, outputTokens: 1, costUSD: 0.1 });
  const result = (modelUsage: object): object => ({
    type: 'result',
    usage: { input_tokens: 5, output_tokens: 1 },
    modelUsage,
  });
  const without = recorderOf();
  without.feed(result({ big: row(5), small: row(7) }));
  expect(checkReport(without.recorder.finish()).usage).toMatchObject({
    subagentTotal: { inputTokens: 0, outputTokens: 0 },
    other: { inputTokens: 7, outputTokens: 1 },
    subagents: [],
  });
  // With one, the two cannot be told apart: the figures are not exact.
  const withOne = recorderOf();
  for (const [id, model, parent_tool_use_id] of [
    ['a', 'big', null],
    ['b', 'middle', 't'],
  ]) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    withOne.feed({ type: 'assistant', parent_tool_use_id, message: { id, model, usage } });
  }
  withOne.feed(result({ 'big[1m]': row(5), middle: row(9), small: row(7) }));
  expect(checkReport(withOne.recorder.finish()).usage).toMatchObject({
    subagentTotal: { inputTokens: 16 },
    subagents: [{ isExact: false, inputTokens: 1 }],
  });
});

test('a run that resumes says what it cost, and what the session cost', () => {
  const usage = new UsageCounter({ resumed: true });
  const { recorder } = recorderOf({ usage });
  for (const message of messagesOf(processesOf('resume')[1]!)) {
    usage.onMessage(message);
    recorder.onMessage(message);
  }
  const report = checkReport(recorder.finish());
  expect(report.usage.costUsd).toBeCloseTo(0.0002, 10);
  expect(report.usage.sessionCostUsd).toBeCloseTo(0.00046, 10);
});

test('a failed run says with what, and what to do', () => {
  const error = new PromptEvaluationError('no sk-ant-abcdefghij here', {
    promptName: 'review',
    phase: 'response',
    code: 'x',
    retryAdvice: { retry: 'safe', retryAfterMs: 5, action: 'Wait.' },
  });
  const { recorder } = recorderOf();
  expect(checkReport(recorder.finish({ error, stopReason: 'end_turn' })).outcome).toEqual({
    status: 'failed',
    stopReason: 'end_turn',
    terminalReason: null,
    turns: null,
    error: {
      name: 'PromptEvaluationError',
      errorClass: 'evaluation_failed',
      code: 'x',
      phase: 'response',
      message: 'no [redacted] here',
      retryAdvice: { retry: 'safe', retryAfterMs: 5, action: 'Wait.' },
    },
  });
  expect(checkReport(recorder.finish({ error: 'oops' })).outcome.error).toMatchObject({
    name: 'string',
    errorClass: null,
    message: 'oops',
    retryAdvice: null,
  });
});

test('isolation, settings without values, files, moments', () => {
  const clock = new ManualClock();
  const { recorder, feed } = recorderOf({ clock });
  recorder.isolation = {
    requested: true,
    settingsConfirmed: true,
    probePassed: null,
    openings: [],
    managedSources: ['policySettings'],
  };
  recorder.effectiveSettings = {
    sandbox: { enabled: true },
    env: { TOKEN: 'anything', PLAIN: '1' },
    mcpServers: [{ headers: { Authorization: 'Bearer x' } }],
  };
  recorder.files = [
    { path: 'a.ts', change: 'modified', diff: '-a\n+b\n' },
    { path: 'b.ts', change: 'created' },
  ];
  clock.advance(40);
  recorder.mark('initialized');
  clock.advance(2);
  feed({ type: 'system', subtype: 'init', tools: [{ name: 'Bash' }, 'Read', 5] });
  recorder.mark('initialized');
  clock.advance(8);
  expect(checkReport(recorder.finish())).toMatchObject({
    isolation: { requested: true, settingsConfirmed: true, probePassed: null },
    effectiveSettings: {
      sandbox: { enabled: true },
      env: { TOKEN: '[redacted]', PLAIN: '[redacted]' },
      mcpServers: [{ headers: { Authorization: '[redacted]' } }],
    },
    tools: { offered: ['Bash', 'Read'] },
    files: [{ path: 'a.ts', change: 'modified', diff: '-a\n+b\n' }, { path: 'b.ts' }],
    timings: { totalMs: 50, firstMessageMs: 42, marks: { initialized: 40 } },
  });
});

// V-9
test('calls that were cut are unknown, and no others are', () => {
  const { recorder, feed } = recorderOf();
  const hooks = createHookState();
  recorder.hooks = hooks;
  const ids = ['cut', 'failed', 'second', 'lost'];
  const content = ids.map((id) => ({ type: 'tool_use', id, name: id === 'cut' ? 'Task' : 'Bash', input: {} }));
  feed({ type: 'assistant', message: { id: 'm1', content } });
  const result = (id: string, text: string, more = {}) => ({
    ...{ type: 'user', tool_result_meta: [{ id, ...more }] },
    message: { content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content: text }] },
  });
  feed(result('cut', 'The user rejected it.', { non_execution_kind: 'user-rejected' }));
  feed(result('failed', 'Exit code 137\n[Request interrupted by user for tool use]'));
  feed(result('second', 'The user rejected it.', { non_execution_kind: 'user-rejected' }));
  for (const id of ['cut', 'failed', 'lost']) {
    hooks.toolEvents.push({ hook_event_name: 'PreToolUse', tool_use_id: id });
  }
  hooks.toolEvents.push({ hook_event_name: 'PostToolUseFailure', tool_use_id: 'failed' });
  expect(checkReport(recorder.finish()).unknownCalls).toEqual([
    { toolName: 'Agent', toolUseId: 'cut' },
    { toolName: 'Bash', toolUseId: 'lost' },
  ]);
});

test('no secret is in a report, wherever it came from', () => {
  const SECRET = 'hunter2-hunter2';
  const { recorder, feed } = recorderOf({ redact: createRedact([SECRET]), model: `m-${SECRET}` });
  recorder.hooks = createHookState();
  recorder.hooks.denials.push({ toolName: 'Bash', toolUseId: undefined, reason: SECRET });
  recorder.hooks.toolsUsed.set(SECRET, 1);
  recorder.files = [{ path: `${SECRET}/a.txt`, change: 'created' }];
  recorder.effectiveSettings = { model: SECRET, status: SECRET, env: { A: SECRET } };
  recorder.isolation = {
    requested: true,
    settingsConfirmed: false,
    probePassed: null,
    openings: [],
    managedSources: [SECRET],
  };
  feed({ type: 'system', subtype: 'init', model: SECRET, tools: [SECRET], apiKeySource: SECRET });
  feed({ type: 'result', terminal_reason: SECRET, modelUsage: { [SECRET]: {} } });
  const report = checkReport(recorder.finish({ error: new Error(SECRET), stopReason: SECRET }));
  expect(JSON.stringify(report)).not.toContain('hunter2');
});

test.each([
  'outcome',
  'version',
  'status',
  'failed',
  'default',
  'after_change',
  'adapter',
  'completed',
  'value_invalid',
  '2030-01-01T00:00:00.000Z',
])('a secret like %j leaves the shape and the fixed words of a report', (secret) => {
  const { recorder, feed } = recorderOf({ redact: createRedact([secret]) });
  feed({ type: 'result', permission_denials: [{ tool_name: 'Bash', tool_use_id: 'a', message: secret }] });
  recorder.files = [{ path: secret, change: 'modified' }];
  recorder.mark('outcome');
  recorder.effectiveSettings = { outcome: { failed: secret } };
  const error = new ValidationError(`failed: ${secret}`, []);
  const report = checkReport(recorder.finish({ error }));
  expect(report).toMatchObject({
    outcome: { status: 'failed', error: { errorClass: 'value_invalid', retryAdvice: { retry: 'after_change' } } },
    denials: [{ reason: REDACTED, by: 'cli' }],
    files: [{ path: REDACTED, change: 'modified' }],
    timings: { startedAt: '2030-01-01T00:00:00.000Z', marks: { outcome: 0 } },
    effectiveSettings: { outcome: { failed: REDACTED } },
  });
  expect(report.outcome.error?.message).not.toContain(`: ${secret}`);
});

const odd: readonly JsonObject[] = [
  {},
  { type: 'result', permission_denials: [null, 5, {}], num_turns: 'x', duration_ms: -1 },
  { type: 'result', permission_denials: {} },
  { type: 'assistant', message: { content: [null, { type: 'tool_use' }, { type: 'tool_use' }] } },
  { type: 'assistant', message: { content: 'text' }, parent_tool_use_id: 5 },
  { type: 'system', subtype: 'init', tools: 'Bash', model: 5 },
  { type: 'system', subtype: 'task_notification', tool_use_id: 'x', usage: 5 },
  { type: 'system', subtype: 'permission_denied' },
];
test.each(odd)('an odd message does no harm: %j', (message) => {
  const { recorder, feed } = recorderOf();
  feed(message);
  feed(message);
  checkReport(recorder.finish());
});
