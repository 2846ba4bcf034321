import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { instrumentClaudewire } from 'claudewire-otel';
import { describe, expect, test } from 'vitest';
import { query } from '../../src/index.js';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { CURRENT, type LiveCli, OLDEST } from './support/clis.js';
import { collect } from './support/collect.js';
import { type OtlpReceiver, startOtlpReceiver } from './support/otlp-receiver.js';
import { setStage } from './support/stage.js';
import { bash, call, TOUCH } from './support/turns.js';

const TURNS = [
  bash('echo one'),
  TOUCH,
  bash('false'),
  call('Agent', { description: 'Count', prompt: 'Count.', subagent_type: 'general-purpose', run_in_background: false }),
  bash('echo two'),
  'Counted.',
  'Done.',
];

/** One run of host and CLI in one trace: a call that works, one that is denied, one that fails, a sub-agent with a call. */
async function run(cli: LiveCli, protocol: string, receiver: OtlpReceiver, turns: MessagesApiOptions['turns'] = TURNS) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  using _ = instrumentClaudewire({ tracerProvider: provider });
  const stage = await setStage(cli, { turns });
  const { messages, error } = await collect(
    query({
      prompt: 'Go.',
      options: stage.options(
        {
          allowedTools: ['Bash(echo:*)', 'Bash(false)', 'Agent'],
          canUseTool: async () => ({ behavior: 'deny', message: 'Not here.' }),
          hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({})] }] },
        },
        {
          DISABLE_TELEMETRY: '',
          CLAUDE_CODE_ENABLE_TELEMETRY: '1',
          CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: '1',
          OTEL_TRACES_EXPORTER: 'otlp',
          // 2.0.56 does not know `none`.
          ...(cli === CURRENT && { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }),
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        },
      ),
    }),
  );
  expect(error).toBeUndefined();
  await expect
    .poll(() => exporter.getFinishedSpans().some(({ name }) => name === 'invoke_agent claude-code'))
    .toBe(true);
  const calls = JSON.stringify(messages).match(/(?<="type":"tool_use","id":")[^"]+/g) ?? [];
  return { host: exporter.getFinishedSpans(), calls: [...new Set(calls)] };
}

describe.each(['http/json', 'http/protobuf'])('one trace of host and CLI, over %s', (protocol) => {
  test(`CLI ${CURRENT.version} joins the run's span, and no call or answer is there twice`, async () => {
    const receiver = await startOtlpReceiver();
    const { host, calls } = await run(CURRENT, protocol, receiver);
    expect([...receiver.types]).toEqual([protocol === 'http/json' ? 'application/json' : 'application/x-protobuf']);
    const root = host.find(({ name }) => name === 'invoke_agent claude-code');
    const { traceId, spanId } = root?.spanContext() ?? {};
    const named = (name: string) => receiver.spans.filter((span) => span.name === `claude_code.${name}`);
    expect(new Set(receiver.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(named('interaction').map(({ parentSpanId }) => parentSpanId)).toEqual([spanId]);
    expect(named('llm_request')).toHaveLength(TURNS.length);
    // Each call once, by its id, and none of the host's own.
    expect(
      named('tool')
        .map(({ attributes }) => attributes.tool_use_id)
        .sort(),
    ).toEqual([...calls].sort());
    expect(calls).toHaveLength(5);
    expect(named('tool.execution')).toHaveLength(4);
    expect(named('tool.blocked_on_user').length).toBeGreaterThan(0);
    expect(host.filter(({ name }) => /^(?:chat|execute_tool)/.test(name))).toEqual([]);
    // What the CLI leaves out: hooks of the host, decisions, why a call failed, the sub-agent.
    const hooks = host.filter(({ name }) => name === 'execute_hook PreToolUse');
    expect(hooks.every(({ attributes }) => calls.includes(String(attributes['gen_ai.tool.call.id'])))).toBe(true);
    expect(hooks).toHaveLength(4);
    const [turn] = host.filter(({ name }) => name === 'turn');
    expect(turn?.parentSpanContext?.spanId).toBe(spanId);
    const ends = turn?.events.filter(({ name }) => name.startsWith('claudewire.tool.'));
    // T-1: what the host denied is no error.
    expect(ends?.map(({ name, attributes }) => [name, ...Object.values(attributes ?? {}).slice(2)])).toEqual([
      ['claudewire.tool.stopped', 'denied'],
      ['claudewire.tool.failed', 'tool_error'],
    ]);
    const decided = turn?.events.find(({ name }) => name === 'claudewire.permission');
    expect(calls).toContain(decided?.attributes?.['gen_ai.tool.call.id']);
    const agents = host.filter(({ name }) => name === 'invoke_agent general-purpose');
    expect(agents.map(({ attributes }) => calls.includes(String(attributes['gen_ai.tool.call.id'])))).toEqual([true]);
    expect(named('interaction')[0]?.attributes['gen_ai.conversation.id']).toBe(
      root?.attributes['gen_ai.conversation.id'],
    );
  });
});

test(`CLI ${OLDEST.version} has no such spans: the host makes them`, async () => {
  const receiver = await startOtlpReceiver();
  const { host, calls } = await run(OLDEST, 'http/json', receiver, [bash('echo one'), TOUCH, 'Done.']);
  expect(receiver.spans).toEqual([]);
  const tools = host.filter(({ name }) => name.startsWith('execute_tool'));
  expect(tools.map(({ attributes }) => attributes['gen_ai.tool.call.id']).sort()).toEqual([...calls].sort());
  expect(host.filter(({ name }) => name.startsWith('chat')).length).toBeGreaterThan(0);
});
