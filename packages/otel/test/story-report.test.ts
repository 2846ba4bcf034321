import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AdapterError,
  type AdapterLogger,
  ClaudeAgentAdapter,
  Deadline,
  DeadlineExceededError,
  MarkdownSection,
  Prompt,
  Session,
  ToolPermissions,
} from 'claudewire/adapter';
import { createRecorderLauncher, type Frames, scriptedCli } from 'claudewire/testing';
import { viewData } from 'claudewire-viewer';
import { expect, onTestFinished, test } from 'vitest';
import { telemetry } from './helpers/telemetry.js';

const IDS = {
  session: '5704e000-0000-4000-8000-000000000002',
  failed: 'toolu_report_failed',
  denied: 'toolu_report_denied',
  agent: 'toolu_report_agent',
  inner: 'toolu_report_inner',
};
const inAgent = { parent_tool_use_id: IDS.agent };

/** A failing call, one that the policy refuses, a sub-agent with a call of its own, and a deadline that passes. */
const script = ({ prompt, init, toolUse, toolResult, hook, assistantText, expectRequest, errorResult }: Frames) => [
  prompt(),
  init(),
  toolUse('Grep', { pattern: 'x' }, { toolUseId: IDS.failed }),
  toolResult('No such file', { toolUseId: IDS.failed, isError: true }),
  toolUse('Bash', { command: 'rm -r build' }, { toolUseId: IDS.denied }),
  hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'deny' } } }),
  toolResult('Blocked.', { toolUseId: IDS.denied, isError: true }),
  toolUse('Agent', { description: 'Count', subagent_type: 'general-purpose' }, { toolUseId: IDS.agent }),
  { ...toolUse('Read', { file_path: 'a.txt' }, { toolUseId: IDS.inner }), ...inAgent },
  { ...toolResult('one', { toolUseId: IDS.inner }), ...inAgent },
  toolResult('Counted.', { toolUseId: IDS.agent }),
  assistantText('And then'),
  expectRequest('interrupt'),
  errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_streaming' }),
];

/** A clock that stands still until it is turned. */
function manualClock() {
  let ms = 0;
  const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  return {
    now: () => Date.UTC(2030, 0, 1) + ms,
    monotonic: () => ms,
    setTimer: (delay: number, fn: () => void) => {
      const timer = { at: ms + delay, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (more: number) => {
      ms += more;
      for (const timer of [...timers]) if (timer.at <= ms && timers.delete(timer)) timer.fn();
    },
  };
}

test("the adapter's report tells the story of trace, viewer and log with the same ids", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cw-story-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const out = join(folder, 'report.jsonl');
  const { spans } = telemetry();
  /** What the adapter logged, by event. */
  const log = new Map<string, object>();
  const write: AdapterLogger['info'] = (_, { event, context }) => void log.set(event, context);
  await using cli = scriptedCli(script, { sessionId: IDS.session });
  const recorder = createRecorderLauncher({ out, cli: cli.path ?? '', cliVersion: 'scripted', dir: join(folder, 'r') });
  const clock = manualClock();
  const session = new Session();
  session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
  const adapter = new ClaudeAgentAdapter({
    clock,
    logger: { debug: write, info: write, warn: write, error: write },
    clientConfig: { pathToClaudeCodeExecutable: recorder.path, deadlineGraceMs: 0, permissionMode: 'default' },
  });
  const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Tell the story.' });
  const failure = await adapter
    .evaluate(new Prompt({ ns: 'story', key: 'report', sections: [section] }), {
      session,
      deadline: Deadline.fromNow(60_000, { clock }),
      onMessage: (message) => {
        if (message.type === 'assistant' && JSON.stringify(message).includes('And then')) clock.advance(61_000);
      },
    })
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  expect(failure).toBeInstanceOf(DeadlineExceededError);
  const { report } = failure as AdapterError;
  if (report === undefined) throw new Error('the error has no report');
  await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
  await expect
    .poll(() => existsSync(out) && readFileSync(out, 'utf8').includes('"exit"'), { timeout: 20_000 })
    .toBe(true);
  const view = await viewData({ text: readFileSync(out, 'utf8'), name: 'report.jsonl' });
  const idOf = ({ attributes }: { attributes: object }): unknown => Reflect.get(attributes, 'gen_ai.tool.call.id');
  const [root] = spans.named('invoke_agent claude-code');

  // The session, and how it ended: by the deadline, so that the CLI was interrupted.
  expect(report.cli.sessionId).toBe(IDS.session);
  expect(root?.attributes['gen_ai.conversation.id']).toBe(IDS.session);
  expect(report.outcome.error).toMatchObject({ errorClass: 'deadline_exceeded', phase: 'deadline' });
  // What ended it is the adapter's deadline, which nobody decided.
  expect(root?.attributes['error.type']).toBe('deadline');
  expect(log.get('sdk.evaluate.failed')).toMatchObject({
    errorClass: 'deadline_exceeded',
    phase: 'deadline',
    sessionId: IDS.session,
  });
  expect(view.faults.some(({ kind }) => kind === 'result-error')).toBe(true);
  expect(view.exchanges.map(({ subtype, state }) => [subtype, state])).toEqual([
    ['initialize', 'answered'],
    ['hook_callback', 'answered'],
    ['interrupt', 'answered'],
  ]);

  // The calls.
  const calls = [IDS.failed, IDS.denied, IDS.agent, IDS.inner].sort();
  expect(spans.named('execute_tool').map(idOf).sort()).toEqual(calls);
  expect(
    view.spans
      .filter(({ kind }) => kind === 'tool' || kind === 'subagent')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(calls);
  expect(report.tools.used.map(({ name, requested }) => [name, requested])).toEqual([
    ['Grep', 1],
    ['Bash', 1],
    ['Agent', 1],
    ['Read', 1],
  ]);
  const ends = spans
    .named('execute_tool')
    .map((span) => [idOf(span), span.attributes['error.type'] ?? span.attributes['claudewire.outcome']]);
  expect(Object.fromEntries(ends)).toEqual({
    [IDS.failed]: 'tool_error',
    [IDS.denied]: 'denied',
    [IDS.agent]: undefined,
    [IDS.inner]: undefined,
  });

  // The refusal: by the policy, in a hook.
  expect(report.denials).toMatchObject([{ toolName: 'Bash', toolUseId: IDS.denied, by: 'adapter' }]);
  expect(log.get('hook.tool_blocked')).toEqual({ toolName: 'Bash' });
  const [hook] = spans.named('execute_hook PreToolUse');
  expect(hook?.attributes).toMatchObject({ 'claudewire.decision': 'deny', 'gen_ai.tool.call.id': IDS.denied });
  expect(view.spans.filter(({ kind }) => kind === 'hook')).toMatchObject([
    { id: hook?.attributes['claudewire.request.id'], state: 'denied' },
  ]);

  // The sub-agent, and what it all cost.
  expect(report.usage.subagents.map(({ toolUseId }) => toolUseId)).toEqual([IDS.agent]);
  expect(spans.named('invoke_agent subagent').map(idOf)).toEqual([IDS.agent]);
  expect(view.plots.costUsd.v).toEqual([report.usage.costUsd]);
  expect(root?.attributes['claudewire.cost_usd']).toBe(report.usage.costUsd);
  expect(root?.attributes['gen_ai.usage.input_tokens']).toBe(report.usage.inputTokens);
});
