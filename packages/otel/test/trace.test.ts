import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { summaryOf } from 'claudewire';
import { type Frames, scriptedCli } from 'claudewire/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { instrumentClaudewire } from '../src/index.js';
import { SpanLedger, telemetry } from './helpers/telemetry.js';

const SUBAGENT = { parent_tool_use_id: 'toolu_agent' };

/** A failing call, a denied one, a hook and a sub-agent with a call of its own. */
const story = ({ prompt, init, assistantText, toolUse, toolResult, hook, permission, result }: Frames) => [
  prompt(),
  init(),
  toolUse('Bash', { command: 'false', password: 'hunter2' }),
  hook('PreToolUse'),
  toolResult('Exit code 1 sk-ant-abcdefghijk', { isError: true }),
  toolUse('Bash', { command: 'rm -r build' }),
  permission(),
  toolResult('Not here.', { isError: true }),
  toolUse('Agent', { description: 'Count' }, { toolUseId: 'toolu_agent' }),
  { ...toolUse('Read', { file: 'a.txt' }, { toolUseId: 'toolu_inner' }), ...SUBAGENT },
  { ...toolResult('text', { toolUseId: 'toolu_inner' }), ...SUBAGENT },
  toolResult('Counted.', { toolUseId: 'toolu_agent' }),
  assistantText('Done.'),
  result('Done.'),
];

const options = {
  hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
  canUseTool: async () => ({ behavior: 'deny', message: 'Not here.' }) as const,
};

function nanos([seconds, rest]: readonly [number, number]): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}

async function play(): Promise<void> {
  await using cli = scriptedCli(story, { inProcess: true });
  await summaryOf(cli.query({ prompt: 'Go.', options }));
}

describe('the trace of a run', () => {
  test('has answers, calls, hooks and sub-agents where they belong', async () => {
    const { spans } = telemetry();
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    expect(spans.unbalanced()).toEqual([]);
    expect(spans.tree()).toMatchInlineSnapshot(`
      [
        "invoke_agent claude-code",
        "  turn",
        "    chat claude-opus-5-5",
        "      execute_tool Bash",
        "        execute_hook PreToolUse",
        "    chat claude-opus-5-5",
        "      execute_tool Bash",
        "    chat claude-opus-5-5",
        "      execute_tool Agent",
        "        invoke_agent subagent",
        "          chat claude-opus-5-5",
        "            execute_tool Read",
        "    chat claude-opus-5-5",
      ]
    `);
    expect(new Set(spans.started.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test('has every event inside its span, also of many runs and of one that goes on', async () => {
    const spans = new SpanLedger();
    const provider = new BasicTracerProvider({ spanProcessors: [spans] });
    const instrumentation = instrumentClaudewire({ tracerProvider: provider });
    onTestFinished(() => instrumentation.dispose());
    for (let run = 0; run < 40; run += 1) await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(40);
    await using cli = scriptedCli(story, { inProcess: true });
    for await (const { type } of cli.query({ prompt: 'Go.', options }))
      if (type === 'result') instrumentation.dispose();
    expect(spans.named('invoke_agent claude-code').length).toBe(41);
    expect(spans.unbalanced()).toEqual([]);

    const events = spans.ended.flatMap((span) => span.events.map((event) => ({ event, span })));
    expect(new Set(events.map(({ event }) => event.name))).toEqual(new Set(['claudewire.permission']));
    const outside = events.filter(
      ({ event, span }) =>
        nanos(event.time) < nanos(span.startTime) || nanos(event.time) > nanos(span.startTime) + nanos(span.duration),
    );
    expect(outside.map(({ event, span }) => `${event.name} of ${span.name}`)).toEqual([]);
  });

  test('names errors, decisions and ids, and no content', async () => {
    const { spans } = telemetry();
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    const [failed, denied] = spans.named('execute_tool Bash');
    expect(failed?.attributes).toMatchObject({ 'error.type': 'tool_error', 'gen_ai.tool.name': 'Bash' });
    expect(failed?.status.code).toBe(SpanStatusCode.ERROR);
    // T-1: what the host decided is no error.
    expect(denied?.attributes).toMatchObject({ 'claudewire.outcome': 'denied' });
    expect([denied?.attributes['error.type'], denied?.status.code]).toEqual([undefined, SpanStatusCode.UNSET]);
    expect(denied?.events).toMatchObject([
      { name: 'claudewire.permission', attributes: { 'claudewire.decision': 'deny' } },
    ]);
    const text = JSON.stringify(spans.ended.map(({ attributes, events, status }) => ({ attributes, events, status })));
    expect(text).not.toMatch(/hunter2|rm -r|Counted|Exit code|Not here|sk-ant/);
  });

  test('has content when asked for, without secrets, and cut', async () => {
    const { spans } = telemetry({
      captureContent: true,
      redact: (text, kind) => (kind === 'answer' ? undefined : text.replace('build', '<place>')),
      maxContentLength: 40,
    });
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    const [failed, denied] = spans.named('execute_tool Bash');
    expect(failed?.attributes['gen_ai.tool.call.arguments']).toMatch(/^\{"command":"false","password":"\[redacted/);
    expect(failed?.attributes['gen_ai.tool.call.result']).toBe('Exit code 1 [redacted]');
    expect(denied?.attributes['gen_ai.tool.call.arguments']).toBe('{"command":"rm -r <place>"}');
    expect(spans.named('chat').every(({ attributes }) => attributes['gen_ai.output.messages'] === undefined)).toBe(
      true,
    );
    expect(JSON.stringify(spans.ended.map(({ attributes }) => attributes))).not.toMatch(/hunter2|sk-ant/);
  });

  test('is part of the trace that is active, without its baggage, and the CLI gets the span of the run', async () => {
    const manager = new AsyncLocalStorageContextManager().enable();
    context.setGlobalContextManager(manager);
    onTestFinished(() => context.disable());
    const { spans, provider } = telemetry();
    const caller = provider.getTracer('test').startSpan('caller');
    await using cli = scriptedCli(({ turn }) => turn('Four.'));
    await context.with(trace.setSpan(context.active(), caller), () => summaryOf(cli.query({ prompt: 'Go.' })));
    caller.end();
    await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
    const [run] = spans.named('invoke_agent');
    expect(run?.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    const { traceId, spanId } = run?.spanContext() ?? {};
    expect(cli.sent.env[0]?.TRACEPARENT).toBe(`00-${traceId}-${spanId}-01`);
    expect(Object.keys(cli.sent.env[0] ?? {})).not.toContain('BAGGAGE');
  });

  test('is made once when the package is loaded or called twice', async () => {
    const { spans, provider } = telemetry();
    const again = instrumentClaudewire({ tracerProvider: provider });
    // Another copy: a module of its own, with the same global registry.
    vi.resetModules();
    const copy = await import('../src/index.js');
    expect(copy.instrumentClaudewire).not.toBe(instrumentClaudewire);
    const third = copy.instrumentClaudewire({ tracerProvider: provider });
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    again.dispose();
    third.dispose();
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(2);
    expect(spans.unbalanced()).toEqual([]);
  });

  test('ends with the instrumentation, and begins no more after it', async () => {
    const spans = new SpanLedger();
    const provider = new BasicTracerProvider({ spanProcessors: [spans] });
    const instrumentation = instrumentClaudewire({ tracerProvider: provider });
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, expectRequest, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'ls' }),
        expectRequest('set_model'),
        result('Done.'),
      ],
      { inProcess: true },
    );
    const run = cli.query({ prompt: 'Go.' });
    for await (const message of run) {
      if (message.type !== 'assistant') continue;
      instrumentation.dispose();
      instrumentation.dispose();
      expect(spans.unbalanced()).toEqual([]);
      expect(spans.named('execute_tool')[0]?.attributes['error.type']).toBe('unfinished');
      await run.setModel('other');
    }
    expect(spans.unbalanced()).toEqual([]);
    expect(spans.started.length).toBe(4);
  });

  test('ends every span, and the instrumentation, though a processor throws', async () => {
    const spans = new SpanLedger();
    let isBroken = true;
    const processor: SpanProcessor = {
      onStart: (span) => spans.onStart(span),
      onEnd: (span) => {
        spans.onEnd(span);
        if (isBroken) throw new Error('the exporter is gone');
      },
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    const instrumentation = instrumentClaudewire({ tracerProvider: provider });
    onTestFinished(() => instrumentation.dispose());
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, expectRequest, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'ls' }, { toolUseId: 'toolu_a' }),
        toolUse('Bash', { command: 'ls' }, { toolUseId: 'toolu_b' }),
        expectRequest('set_model'),
        result('Done.'),
      ],
      { inProcess: true },
    );
    const run = cli.query({ prompt: 'Go.' });
    for await (const message of run) {
      if (message.type !== 'assistant' || !JSON.stringify(message).includes('toolu_b')) continue;
      instrumentation.dispose();
      expect(spans.unbalanced()).toEqual([]);
      await run.setModel('other');
    }
    isBroken = false;
    const again = instrumentClaudewire({ tracerProvider: provider });
    onTestFinished(() => again.dispose());
    const before = spans.named('invoke_agent').length;
    await play();
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(before + 1);
  });

  test('has no free text of a failed call to the API', async () => {
    const { spans, metrics } = telemetry();
    await using cli = scriptedCli(
      ({ prompt, init, assistantText, result }) => [
        prompt(),
        init(),
        { ...assistantText('No.'), error: 'could not read /home/me/diary.txt' },
        result('Done.'),
      ],
      { inProcess: true },
    );
    await summaryOf(cli.query({ prompt: 'Go.' }));
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    const [chat] = spans.named('chat');
    expect(chat?.attributes['error.type']).toBe('_OTHER');
    expect(JSON.stringify([chat?.status, [...(await metrics())]])).not.toContain('diary');
  });

  test.each([
    { options: { captureContent: 'yes' }, field: 'captureContent', got: 'string' },
    { options: { redact: 7 }, field: 'redact', got: 'number' },
    { options: { maxSpansPerRun: 0 }, field: 'maxSpansPerRun', got: 'number' },
    { options: { innerSpans: 'both' }, field: 'innerSpans', got: 'string' },
    { options: { tracerProvider: null }, field: 'tracerProvider', got: 'null' },
    { options: { capture: true }, field: 'capture', got: '' },
  ])('refuses $field that cannot be used', ({ options: given, field, got }) => {
    // What plain JavaScript may pass.
    expect(() => instrumentClaudewire(given as never)).toThrow(new RegExp(`\`${field}\`.*${got}`));
  });
});
