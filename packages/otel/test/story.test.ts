import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { query, summaryOf } from 'claudewire';
import { createRecorderLauncher, type Frames, readRecording, scriptedCli } from 'claudewire/testing';
import { viewData } from 'claudewire-viewer';
import { expect, onTestFinished, test } from 'vitest';
import { CostLedger, recordRuns } from '../src/ledger/index.js';
import { telemetry } from './helpers/telemetry.js';

const FOLDER = fileURLToPath(new URL('../../../test/story/', import.meta.url));
const RECORDING = join(FOLDER, 'story.jsonl');
/** The ids that every view of the story must have, also the viewer's. */
const EXPECTED = JSON.parse(readFileSync(join(FOLDER, 'story.json'), 'utf8'));
const { sessionId, failedTool, deniedTool, agentTool, innerTool, timedOutRequest } = EXPECTED;

const inAgent = { parent_tool_use_id: agentTool };

/** A failing call, a denied one, a sub-agent with a call of its own, a request that is not answered in time. */
const script = ({ prompt, init, toolUse, toolResult, permission, assistantText, result }: Frames) => [
  prompt('Tell the story.'),
  init(),
  toolUse('Bash', { command: 'false' }, { toolUseId: failedTool }),
  toolResult('Exit code 1', { toolUseId: failedTool, isError: true }),
  toolUse('Bash', { command: 'rm -r build' }, { toolUseId: deniedTool }),
  permission('Bash', { command: 'rm -r build' }, { toolUseId: deniedTool, expect: 'deny' }),
  toolResult('Not here.', { toolUseId: deniedTool, isError: true }),
  toolUse('Agent', { description: 'Count' }, { toolUseId: agentTool }),
  { ...toolUse('Read', { file_path: 'a.txt' }, { toolUseId: innerTool }), ...inAgent },
  { ...toolResult('one', { toolUseId: innerTool }), ...inAgent },
  toolResult('Counted.', { toolUseId: agentTool }),
  assistantText('That was it.'),
  { in: { type: 'control_request' as const, request: { subtype: timedOutRequest } } },
  result('That was it.', {
    permission_denials: [{ tool_name: 'Bash', tool_use_id: deniedTool, tool_input: { command: 'rm -r build' } }],
  }),
];

type LogLine = Readonly<Record<string, unknown>>;

async function tellStory() {
  const folder = mkdtempSync(join(tmpdir(), 'cw-story-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const out = join(folder, 'story.jsonl');
  const log: LogLine[] = [];
  const write = (fields: object, message?: string) => void log.push({ ...fields, message });
  const { spans } = telemetry();
  const ledger = new CostLedger();
  onTestFinished(recordRuns(ledger, { tenantOf: () => 'story' }));
  await using cli = scriptedCli(script, { sessionId });
  const recorder = createRecorderLauncher({
    out,
    cli: cli.path ?? '',
    cliVersion: 'scripted',
    dir: join(folder, 'recorder'),
  });
  const run = query({
    prompt: 'Tell the story.',
    options: {
      pathToClaudeCodeExecutable: recorder.path,
      // The recording has the names of these variables.
      env: { PATH: process.env.PATH },
      canUseTool: async () => ({ behavior: 'deny', message: 'Not here.' }),
      logger: { trace: write, debug: write, info: write, warn: write, error: write },
    },
  });
  let timedOut: unknown;
  for await (const message of run) {
    if (message.type !== 'assistant' || !JSON.stringify(message).includes('That was it.')) continue;
    timedOut = await run
      .request(timedOutRequest, { model: 'other' }, { timeoutMs: 300 })
      .catch((error: unknown) => error);
  }
  const summary = await summaryOf(run);
  await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
  await expect
    .poll(() => existsSync(out) && readFileSync(out, 'utf8').includes('"exit"'), { timeout: 20_000 })
    .toBe(true);
  return { spans, ledger, log, summary, timedOut, recording: readFileSync(out, 'utf8') };
}

test('trace, ledger, summary, debug log, recording and viewer tell one story with the same ids', async () => {
  const { spans, ledger, log, summary, timedOut, recording } = await tellStory();
  const idOf = ({ attributes }: { attributes: object }): unknown => Reflect.get(attributes, 'gen_ai.tool.call.id');
  const [root] = spans.named('invoke_agent claude-code');

  // The session and the run.
  expect(summary.sessionId).toBe(sessionId);
  expect(root?.attributes['gen_ai.conversation.id']).toBe(sessionId);
  const runs = new Set(log.map(({ run }) => run).filter((run) => run !== undefined));
  expect([...runs]).toEqual([root?.attributes['claudewire.run']]);
  expect(ledger.entries.map(({ run, sessionId: of, tenant }) => [run, of, tenant])[0]).toEqual([
    ...runs,
    sessionId,
    'story',
  ]);
  expect(log.at(-1)).toMatchObject({ sessionId, outcome: summary.outcome.kind, message: 'The run is over' });
  expect(root?.attributes['claudewire.outcome']).toBe(summary.outcome.kind);

  // The calls.
  expect(spans.named('execute_tool').map(idOf).sort()).toEqual([failedTool, deniedTool, agentTool, innerTool].sort());
  const ends = spans
    .named('execute_tool')
    .map((span) => [idOf(span), span.attributes['error.type'] ?? span.attributes['claudewire.outcome']]);
  expect(Object.fromEntries(ends)).toMatchObject({ [failedTool]: 'tool_error', [deniedTool]: 'denied' });
  expect(summary.permissionDenials.map(({ tool_use_id: id }) => id)).toEqual([deniedTool]);

  // The sub-agent.
  expect(spans.named('invoke_agent subagent').map(idOf)).toEqual([agentTool]);
  const inner = spans.named('execute_tool Read')[0];
  const chat = spans.ended.find((span) => span.spanContext().spanId === inner?.parentSpanContext?.spanId);
  expect(chat?.parentSpanContext?.spanId).toBe(spans.named('invoke_agent subagent')[0]?.spanContext().spanId);
  expect(ledger.entries.filter(({ kind }) => kind === 'subagent').map(({ toolUseId }) => toolUseId)).toEqual([
    agentTool,
  ]);

  // What it cost.
  const reported = ledger.totals('session').get(sessionId)?.reportedUsd;
  expect(reported).toBe(summary.costUsd);
  expect(root?.attributes['claudewire.cost_usd']).toBe(summary.costUsd);

  // The time-out.
  const control = spans.ended.flatMap(({ events }) => events);
  const failed = control.find(({ name }) => name === 'claudewire.control_request.failed');
  const requestId = failed?.attributes?.['claudewire.request.id'];
  expect(failed?.attributes).toMatchObject({
    'error.type': 'timed_out',
    'claudewire.request.subtype': timedOutRequest,
  });
  expect(timedOut).toMatchObject({ requestId, subtype: timedOutRequest });
  expect(log.filter(({ code }) => code === 'request_timed_out').map((line) => line.requestId)).toEqual([requestId]);

  // The permission question: one id in trace, log and recording.
  const asked = spans.named('execute_tool Bash').flatMap(({ events }) => events);
  const questionId = asked.find(({ name }) => name === 'claudewire.permission')?.attributes?.['claudewire.request.id'];
  expect(log.some((line) => line.requestId === questionId && line.subtype === 'can_use_tool')).toBe(true);
  for (const id of [sessionId, failedTool, deniedTool, agentTool, innerTool, questionId, requestId]) {
    expect(recording).toContain(`"${id}"`);
  }

  // The viewer's data, made from the recording.
  const view = await viewData({ text: recording, name: 'story.jsonl' });
  const shown = view.spans.map(({ kind, id, state, parent }) => {
    const above = parent === undefined ? undefined : view.spans[parent];
    return { kind, id, state, within: above?.kind === 'process' ? undefined : (above?.id ?? above?.kind) };
  });
  const withId = shown.filter(({ kind }) => kind !== 'process' && kind !== 'turn');
  expect(withId.filter(({ id }) => id !== undefined && String(id).length > 0)).toHaveLength(withId.length);
  expect(withId.slice(1)).toEqual([
    { kind: 'tool', id: failedTool, state: 'error', within: 'turn' },
    { kind: 'tool', id: deniedTool, state: 'denied', within: 'turn' },
    { kind: 'permission', id: questionId, state: 'denied', within: deniedTool },
    { kind: 'subagent', id: agentTool, state: 'ok', within: 'turn' },
    { kind: 'tool', id: innerTool, state: 'ok', within: agentTool },
    { kind: 'request', id: requestId, state: 'open', within: undefined },
  ]);
  expect(view.exchanges.filter(({ state }) => state === 'unanswered').map(({ id }) => id)).toEqual([requestId]);
  expect(view.plots.costUsd.v).toEqual([summary.costUsd]);
  expect(view.plots.inputTokens.v).toEqual([ledger.totals('session').get(sessionId)?.tokens.input]);
  if (process.env.CLAUDEWIRE_RECORD === '1') writeFileSync(RECORDING, recording);
});

test('the recording that is kept for the viewer has the ids of the story', () => {
  const { lines } = readRecording(readFileSync(RECORDING, 'utf8'));
  const text = JSON.stringify(lines);
  for (const id of [sessionId, failedTool, deniedTool, agentTool, innerTool]) expect(text).toContain(`"${id}"`);
  expect(text).toContain(`"subtype":"${timedOutRequest}"`);
});
