import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { summaryOf } from 'claudewire';
import { type Frames, type ScriptItem, scriptedCli } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { instrumentClaudewire } from '../src/index.js';
import { SpanLedger, telemetry } from './helpers/telemetry.js';

type Abort = (controller: AbortController) => void;

/** How a run ends, and what is open then. */
const ENDINGS: Readonly<Record<string, { script: (frames: Frames) => ScriptItem[]; abortAt?: string }>> = {
  completes: { script: ({ turn }) => [turn('Four.')] },
  'dies in a call': {
    script: ({ prompt, init, toolUse, outcome }) => [
      prompt(),
      init(),
      toolUse('Bash', { command: 'ls' }),
      outcome.crashed({ exitCode: 137, stderr: 'killed' }),
    ],
  },
  'dies before a turn': { script: ({ prompt, outcome }) => [prompt(), outcome.crashed({ exitCode: 1, stderr: 'no' })] },
  'ends without a result': {
    script: ({ prompt, init, assistantText }) => [prompt(), init(), assistantText('Four'), { exit: 0 }],
  },
  'is aborted in a turn': {
    abortAt: 'system',
    script: ({ prompt, init, expectRequest }) => [prompt(), init(), expectRequest('interrupt')],
  },
  'is aborted in an answer': {
    abortAt: 'stream_event',
    script: ({ prompt, init, partialText, expectRequest }) => [
      prompt(),
      init(),
      ...partialText('Four.').slice(0, 2),
      expectRequest('interrupt'),
    ],
  },
  'is aborted in a sub-agent': {
    abortAt: 'user',
    script: ({ prompt, init, toolUse, toolResult, expectRequest }) => [
      prompt(),
      init(),
      toolUse('Agent', {}, { toolUseId: 'toolu_agent' }),
      { ...toolUse('Read', {}, { toolUseId: 'toolu_1' }), parent_tool_use_id: 'toolu_agent' },
      { ...toolUse('Read', {}, { toolUseId: 'toolu_2' }), parent_tool_use_id: 'toolu_agent' },
      { ...toolResult('x', { toolUseId: 'toolu_1' }), parent_tool_use_id: 'toolu_agent' },
      expectRequest('interrupt'),
    ],
  },
  'is aborted at once': { abortAt: 'start', script: ({ prompt }) => [prompt()] },
};

async function play(name: string, abort: Abort = (controller) => controller.abort()): Promise<string | undefined> {
  const { script, abortAt } = ENDINGS[name] ?? ENDINGS.completes!;
  const cli = scriptedCli(script, { inProcess: true });
  const abortController = new AbortController();
  const run = cli.query({ prompt: 'Go.', options: { abortController, includePartialMessages: true } });
  if (abortAt === 'start') abort(abortController);
  try {
    for await (const message of run) if (message.type === abortAt) abort(abortController);
  } catch {
    // The summary has it.
  }
  const { sessionId } = await summaryOf(run);
  // A script that was cut off is not played to its end.
  await cli.close().catch(() => {});
  return sessionId;
}

describe('spans of runs', () => {
  test.each(Object.keys(ENDINGS))('each end once when a run %s', async (name) => {
    const { spans } = telemetry();
    await play(name);
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(1);
    expect(spans.unbalanced()).toEqual([]);
    const error = spans.named('invoke_agent claude-code')[0]?.attributes['error.type'];
    expect(error === undefined).toBe(name === 'completes');
  });

  test('of twenty sessions side by side, with endings by chance, are not shared, and end once', async () => {
    const { spans } = telemetry();
    const names = Object.keys(ENDINGS);
    // One seed, so that a run can be repeated.
    let seed = 17;
    const next = (): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    const chosen = Array.from({ length: 20 }, () => names[next() % names.length] ?? 'completes');
    expect(new Set(chosen).size).toBeGreaterThan(5);
    await Promise.all(chosen.map((name) => play(name)));
    await expect.poll(() => spans.named('invoke_agent claude-code').length).toBe(20);
    expect(spans.unbalanced()).toEqual([]);
    const byTrace = new Map<string, (typeof spans.started)[number][]>();
    for (const span of spans.started) {
      const { traceId } = span.spanContext();
      byTrace.set(traceId, [...(byTrace.get(traceId) ?? []), span]);
    }
    expect(byTrace.size).toBe(20);
    for (const own of byTrace.values()) {
      expect(new Set(own.map(({ attributes }) => attributes['claudewire.run'])).size).toBe(1);
      const conversations = own.map(({ attributes }) => attributes['gen_ai.conversation.id']).filter(Boolean);
      expect(new Set(conversations).size).toBeLessThanOrEqual(1);
    }
  });

  test('of ten thousand calls in one turn all end, and more than the limit are counted', async () => {
    const { spans } = telemetry({ maxSpansPerRun: 9_000 });
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, toolResult, result }) => [
        prompt(),
        init(),
        ...Array.from({ length: 10_000 }, (_, index) => {
          const message = toolUse('Read', { index }, { toolUseId: `toolu_${index}` });
          return { ...message, message: { ...message.message, id: 'msg_same' } };
        }),
        ...Array.from({ length: 10_000 }, (_, index) => toolResult('x', { toolUseId: `toolu_${9_999 - index}` })),
        result('Done.'),
      ],
      { inProcess: true },
    );
    await summaryOf(cli.query({ prompt: 'Go.' }));
    await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
    expect(spans.unbalanced()).toEqual([]);
    // The turn is not counted: none is left out.
    expect(spans.started).toHaveLength(9_001);
    expect(spans.named('invoke_agent')[0]?.attributes['claudewire.spans_left_out']).toBe(10_002 - 9_000);
  });

  test('have no control characters and no long names, whatever a tool is called', async () => {
    const { spans } = telemetry();
    const names = ['\u001b[2Jx\r\ny', '\u202eevil', '__proto__', `${'n'.repeat(10_000)}`, '', '<script>'];
    await using cli = scriptedCli(
      ({ prompt, init, toolUse, toolResult, result }) => [
        prompt(),
        init(),
        ...names.flatMap((name) => [toolUse(name), toolResult('x')]),
        result('Done.'),
      ],
      { inProcess: true },
    );
    await summaryOf(cli.query({ prompt: 'Go.' }));
    await expect.poll(() => spans.named('invoke_agent').length).toBe(1);
    const tools = spans.named('execute_tool');
    expect(tools).toHaveLength(names.length);
    for (const { name, attributes } of tools) {
      expect(name.length).toBeLessThanOrEqual(128);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
      expect(`${name}${attributes['gen_ai.tool.name']}`).not.toMatch(/[\u0000-\u001f\u202e]/);
    }
  });

  test('do not break a run when the provider was shut down, or throws', async () => {
    const spans = new SpanLedger();
    const provider = new BasicTracerProvider({ spanProcessors: [spans] });
    using _ = instrumentClaudewire({ tracerProvider: provider });
    await using cli = scriptedCli(({ turn }) => [turn('Four.'), turn('Five.')], { inProcess: true });
    const client = cli.client();
    await client.connect('Go.');
    for await (const _message of client.receiveResponse());
    await provider.shutdown();
    await client.query('And now?');
    for await (const _message of client.receiveResponse());
    await client.disconnect();
    const broken = {
      getTracer: () => ({
        startSpan: () => {
          throw new Error('no spans');
        },
        startActiveSpan: () => {
          throw new Error('no spans');
        },
      }),
    };
    using _broken = instrumentClaudewire({ tracerProvider: broken });
    await using other = scriptedCli(({ turn }) => turn('Four.'), { inProcess: true });
    expect((await summaryOf(other.query({ prompt: 'Go.' }))).outcome.kind).toBe('completed');
  });
});
