import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AgentEvent, isAgentEvent } from '../../../src/adapter/agent/agent-event.js';
import type { JsonObject } from '../../../src/util/json.js';
import { makeNormalizer, messagesOf, normalize, RECORDINGS, StillClock } from './recordings.js';

const INIT = { type: 'system', subtype: 'init', session_id: 's1', model: 'm', cwd: '/w', tools: [] };
const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'Done.' };

const assistant = (block: object, more: object = {}): JsonObject => ({
  type: 'assistant',
  message: { role: 'assistant', content: [block] },
  ...more,
});
const toolUse = (id: string, name = 'Bash', input: object = {}): JsonObject =>
  assistant({ type: 'tool_use', id, name, input });
const toolResult = (id: string, more: object = {}, block: object = {}): JsonObject => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'out', ...block }] },
  ...more,
});

/** The events of a list of messages, without the `done`. */
function eventsOf(...messages: readonly unknown[]): readonly AgentEvent[] {
  const normalizer = makeNormalizer();
  return messages.flatMap((message) => normalizer.accept(message));
}

/** Type and payload only. */
const bare = (events: readonly AgentEvent[]): readonly unknown[] =>
  events.map(({ type, payload }) => ({ type, payload }));

test('every event of every recording has type, agent, time, session and payload (AD-319)', () => {
  let count = 0;
  for (const name of RECORDINGS) {
    for (const messages of messagesOf(name)) {
      for (const event of normalize(messages).events) {
        expect(event).toEqual({
          type: expect.stringMatching(/./),
          agent: 'claude-code',
          timestamp: expect.any(Number),
          sessionId: expect.stringMatching(/./),
          payload: expect.any(Object),
          ...(event.metadata === undefined ? {} : { metadata: expect.any(Object) }),
        });
        expect(isAgentEvent(event)).toBe(true);
        count += 1;
      }
    }
  }
  expect(count).toBeGreaterThan(1500);
});

describe('alias shapes give the events of the canonical ones (AD-342)', () => {
  const cases: readonly { name: string; canonical: JsonObject[]; alias: JsonObject[] }[] = [
    {
      name: 'a `system` message without subtype',
      canonical: [INIT],
      alias: [{ type: 'system', sessionId: 's1', model: 'm', cwd: '/w', tools: [] }],
    },
    { name: 'message type `stream`', canonical: [deltaMessage('stream_event')], alias: [deltaMessage('stream')] },
    {
      name: 'message type `delta`, with a delta on the message',
      canonical: [deltaMessage('stream_event')],
      alias: [{ type: 'delta', delta: { type: 'text_delta', text: 'Hi' } }],
    },
    {
      name: 'a delta that is a text',
      canonical: [deltaMessage('stream_event')],
      alias: [{ type: 'stream_event', delta: 'Hi' }],
    },
    {
      name: 'a text on the message',
      canonical: [deltaMessage('stream_event')],
      alias: [{ type: 'delta', text: 'Hi' }],
    },
    {
      name: 'camelCase ids and flags of a tool result',
      canonical: [toolUse('t1'), toolResult('t1', { tool_use_result: { a: 1 } }, { is_error: true })],
      alias: [
        assistant({ type: 'tool_use', toolUseId: 't1', toolName: 'Bash', input: {} }),
        {
          type: 'user',
          message: { content: [{ type: 'tool_result', toolUseId: 't1', content: 'out', isError: true }] },
          toolUseResult: { a: 1 },
        },
      ],
    },
    {
      name: 'a tool result in an assistant message',
      canonical: [toolUse('t1'), toolResult('t1')],
      alias: [toolUse('t1'), assistant({ type: 'tool_result', tool_use_id: 't1', content: 'out' })],
    },
    {
      name: 'a camelCase parent id',
      canonical: [assistant({ type: 'text', text: 'x' }, { parent_tool_use_id: 'p' })],
      alias: [assistant({ type: 'text', text: 'x' }, { parentToolUseId: 'p' })],
    },
    {
      name: 'camelCase flags, durations and counters of a result',
      canonical: [
        INIT,
        {
          type: 'result',
          subtype: 'success',
          is_error: true,
          terminal_reason: 'api_error',
          result: 'no',
          duration_ms: 12,
          total_cost_usd: 0.5,
          usage: { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5 },
        },
      ],
      alias: [
        INIT,
        {
          type: 'result',
          subtype: 'success',
          isError: true,
          terminalReason: 'api_error',
          result: 'no',
          durationMs: 12,
          totalCostUsd: 0.5,
          usage: { inputTokens: 3, outputTokens: 4, cacheReadInputTokens: 5 },
        },
      ],
    },
    {
      name: 'a snake_case per-model table',
      canonical: [{ ...RESULT, modelUsage: { m: { inputTokens: 1, outputTokens: 2, costUSD: 3 } } }],
      alias: [{ ...RESULT, model_usage: { m: { input_tokens: 1, output_tokens: 2, cost_usd: 3 } } }],
    },
  ];
  test.each(cases)('$name (AD-342)', ({ canonical, alias }) => {
    const all = (messages: readonly JsonObject[]) => {
      const normalizer = makeNormalizer();
      return [...messages.flatMap((message) => normalizer.accept(message)), ...normalizer.finish({ kind: 'ended' })];
    };
    const expected = all(canonical);
    expect(expected.length).toBeGreaterThan(1 - Number(canonical[0]?.type === 'result'));
    expect(all(alias)).toEqual(expected);
  });
});

function deltaMessage(type: string): JsonObject {
  const delta = { type: 'text_delta', text: 'Hi' };
  return { type, event: { type: 'content_block_delta', index: 0, delta } };
}

describe('messages', () => {
  test('init falls back to what was asked for, takes tools as names or objects, and comes once', () => {
    const normalizer = makeNormalizer(new StillClock(), { requested: { model: 'asked', cwd: '/asked' } });
    const tools = ['Bash', { name: 'Read' }, 3, {}];
    const message = { type: 'system', subtype: 'init', tools, permissionMode: 'plan' };
    expect(bare(normalizer.accept(message))).toEqual([
      {
        type: 'init',
        payload: { model: 'asked', cwd: '/asked', tools: ['Bash', 'Read'], capabilities: { permissionMode: 'plan' } },
      },
    ]);
    expect(normalizer.accept(message)).toEqual([]);
    expect(makeNormalizer().accept({ type: 'system' })).toMatchObject([
      { payload: { model: 'unknown', cwd: '/here', tools: [] } },
    ]);
  });

  test('blocks that have no event of their own come raw', () => {
    const block = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(bare(eventsOf(assistant(block)))).toEqual([{ type: 'claude-code:server_tool_use', payload: block }]);
  });

  test('a structured result belongs to a message with one tool result only', () => {
    const message = toolResult('a', { tool_use_result: 'structured' });
    const two = {
      ...message,
      message: {
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b', content: 'two' },
        ],
      },
    };
    expect(eventsOf(message)).toMatchObject([{ payload: { output: 'structured' } }]);
    expect(eventsOf(two)).toMatchObject([
      { payload: { output: 'one', toolName: 'unknown' } },
      { payload: { output: 'two' } },
    ]);
  });

  test('a call refused by us is denied whatever its flag says, one refused by the CLI is denied too', () => {
    const normalizer = makeNormalizer();
    normalizer.refused('ours');
    const meta = (id: string, decision: string) => ({
      tool_result_meta: [{ id, permission_decision: { decision, source: 'config' } }],
    });
    const statusOf = (message: JsonObject): unknown => {
      const [event] = normalizer.accept(message);
      return event?.type === 'tool_result' ? event.payload.status : event;
    };
    expect(statusOf(toolResult('ours'))).toBe('denied');
    expect(statusOf(toolResult('rule', meta('rule', 'reject'), { is_error: true }))).toBe('denied');
    expect(statusOf(toolResult('ran', meta('ran', 'accept'), { is_error: true }))).toBe('error');
    expect(statusOf(toolResult('other', meta('rule', 'reject'), { is_error: true }))).toBe('error');
    expect(statusOf(toolResult('fine'))).toBe('success');
  });

  test('a rate limit is told, and is an error when it is reached', () => {
    const message = (status: string) => ({
      type: 'rate_limit_event',
      rate_limit_info: { status, rateLimitType: 'five_hour' },
    });
    expect(bare(eventsOf(message('allowed_warning')))).toEqual([
      { type: 'claude-code:rate_limit', payload: message('allowed_warning') },
    ]);
    expect(bare(eventsOf(message('rejected')))).toEqual([
      { type: 'claude-code:rate_limit', payload: message('rejected') },
      {
        type: 'error',
        payload: { code: 'rate_limit', message: 'The usage limit is reached: five_hour', recoverable: true },
      },
    ]);
  });

  test('a heartbeat names the running call, not a sub-agent', () => {
    const [event] = eventsOf({ type: 'tool_progress', parent_tool_use_id: 't1' });
    expect(event?.type).toBe('claude-code:tool_progress');
    expect(event).not.toHaveProperty('metadata');
  });

  test('thinking can be switched off', () => {
    const normalizer = makeNormalizer(new StillClock(), { includeThinking: false });
    expect(normalizer.accept(assistant({ type: 'thinking', thinking: 'hm' }))).toEqual([]);
  });

  test.each([
    ['overloaded', true],
    ['server_error', true],
    ['rate_limit', true],
    ['authentication_failed', false],
    ['billing_error', false],
  ])('the error %s is recoverable: %s', (error, recoverable) => {
    expect(bare(eventsOf(assistant({ type: 'text', text: 'why' }, { error })))).toEqual([
      { type: 'error', payload: { code: error, message: 'why', recoverable } },
    ]);
  });
});

describe('the end', () => {
  test('a turn that a denial of ours ended is an interruption', () => {
    const normalizer = makeNormalizer();
    normalizer.interruptRequested();
    const result = {
      type: 'result',
      subtype: 'error_during_execution',
      is_error: true,
      terminal_reason: 'aborted_tools',
      errors: ['diagnostic'],
    };
    expect(normalizer.accept(result)).toEqual([]);
    expect(normalizer.isOver).toBe(true);
    expect(normalizer.finish({ kind: 'ended' })).toMatchObject([{ type: 'done', payload: { status: 'interrupted' } }]);
  });

  test('releases that do not flag an error subtype are understood', () => {
    const normalizer = makeNormalizer();
    const result = { type: 'result', subtype: 'error_max_turns', is_error: false };
    expect(normalizer.accept(result)).toEqual([]);
    expect(normalizer.finish({ kind: 'ended' })).toMatchObject([{ type: 'done', payload: { status: 'max_turns' } }]);
  });

  test('a stream that breaks after a good result, with work in the background, keeps its text', () => {
    const normalizer = makeNormalizer();
    normalizer.accept(RESULT);
    expect(bare(normalizer.finish({ kind: 'failed', error: new Error('gone') }))).toMatchObject([
      { type: 'error', payload: { code: 'SDK_STREAM_ERROR', message: 'gone', recoverable: false } },
      { type: 'done', payload: { status: 'error', result: 'Done.' } },
    ]);
  });

  test('an aborted run can be resumed where it was, or where it should have been', () => {
    const resumed = makeNormalizer(new StillClock(), { sessionId: 'old', resume: 'old' });
    expect(resumed.finish({ kind: 'interrupted' })).toMatchObject([
      { sessionId: 'old', payload: { resumeToken: 'old' } },
    ]);
    const [done] = makeNormalizer().finish({ kind: 'interrupted' });
    expect(done?.payload).not.toHaveProperty('resumeToken');
    expect(done?.sessionId).toBe('made-up');
  });

  test('counters that are not whole fall back, and those of several turns add up', () => {
    const usageOf = (...results: readonly object[]) => {
      const normalizer = makeNormalizer();
      for (const result of results) normalizer.accept({ ...RESULT, ...result });
      const [done] = normalizer.finish({ kind: 'ended' });
      return done?.type === 'done' ? done.payload.usage : undefined;
    };
    const usage = { input_tokens: 3, output_tokens: 4 };
    expect(usageOf({ usage, modelUsage: { m: { inputTokens: 1 } } })).toEqual({
      inputTokens: 3,
      outputTokens: 4,
      toolUses: 0,
      reported: true,
    });
    expect(usageOf({ usage }, { usage })).toMatchObject({ inputTokens: 6, outputTokens: 8 });
    expect(usageOf({ usage: { input_tokens: 'many', output_tokens: -1 } })).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      toolUses: 0,
      reported: false,
    });
  });

  /** A background task holds the end back until its own turn is over. */
  test.each([
    { name: 'hello', result: 1 },
    { name: 'bash-background', result: 2 },
    { name: 'background-tasks-request', result: 2 },
    { name: 'subagent', result: 2 },
    { name: 'subagent-background', result: 2 },
    { name: 'subagent-custom', result: 2 },
    { name: 'subagent-foreground', result: 1 },
    { name: 'bash-long', result: 1 },
  ])('$name is over at result $result', ({ name, result }) => {
    const normalizer = makeNormalizer();
    let results = 0;
    for (const { message } of messagesOf(name)[0] ?? []) {
      normalizer.accept(message);
      if (message.type === 'result') results += 1;
      if (normalizer.isOver) break;
    }
    expect(results).toBe(result);
    expect(normalizer.isOver).toBe(true);
  });

  test('a background task that is stopped starts no turn, so the run is over with it', () => {
    const normalizer = makeNormalizer();
    let overAt: unknown;
    for (const { message } of messagesOf('stop-task')[0] ?? []) {
      normalizer.accept(message);
      if (overAt === undefined && normalizer.isOver) overAt = message.subtype;
    }
    expect(overAt).not.toBeUndefined();
    expect(overAt).not.toBe('success');
  });
});

test('whatever comes, the normaliser throws nothing and ends with one `done`', () => {
  const word = fc.constantFrom(
    ...['type', 'subtype', 'message', 'content', 'id', 'text', 'event', 'delta', 'usage', 'tools'],
    ...['is_error', 'tool_use_id', 'session_id', 'modelUsage', 'errors', 'tool_result_meta', 'error'],
    ...['tool_use', 'tool_result', 'system', 'assistant', 'user', 'result', 'init', '__proto__'],
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.double(),
      fc.constant(null),
      fc.boolean(),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(word, tie('any'), { maxKeys: 6 }),
    ),
  })).any;
  const block = fc.oneof(
    value,
    fc.record({
      type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'image'),
      id: value,
      tool_use_id: value,
      text: value,
      input: value,
      is_error: value,
    }),
  );
  const frame = fc.record({
    type: fc.constantFrom('system', 'assistant', 'user', 'stream_event', 'result', 'delta', 'new'),
    subtype: fc.oneof(value, fc.constantFrom('init', 'success', 'task_started', 'task_updated')),
    message: fc.oneof(value, fc.record({ content: fc.array(block, { maxLength: 3 }) })),
    error: value,
    event: value,
    patch: value,
    tasks: value,
    usage: value,
    modelUsage: value,
    tool_result_meta: value,
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(frame, value), { maxLength: 12 }), (messages) => {
      const normalizer = makeNormalizer();
      const events = messages.flatMap((message) => normalizer.accept(message));
      events.push(...normalizer.finish({ kind: 'ended' }));
      expect(events.every(isAgentEvent)).toBe(true);
      expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('done');
    }),
  );
});
