import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageParseError } from '../../src/errors.js';
import { parseMessage, parseMessageOrThrow } from '../../src/parser/parse-message.js';
import type { Message } from '../../src/parser/parsed-message.js';
import type { JsonObject } from '../../src/util/json.js';

const IDS = { uuid: 'u', session_id: 's' };
const RESULT = {
  type: 'result',
  subtype: 'success',
  duration_ms: 1,
  duration_api_ms: 1,
  is_error: false,
  num_turns: 1,
  session_id: 's',
};

function assistant(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'assistant', message: { model: 'm', content }, ...fields };
}

function user(content: unknown, fields: JsonObject = {}): JsonObject {
  return { type: 'user', message: { content }, ...fields };
}

function issuesOf(value: unknown): string[] {
  const result = parseMessage(value);
  return result.ok ? [] : result.issues.map(({ message }) => message);
}

describe('a good frame', () => {
  const cases: { row: string; frame: JsonObject; expected: Record<string, unknown> }[] = [
    {
      row: 'a user text stays a text (PY-232)',
      frame: user('hi'),
      expected: { kind: 'user', content: 'hi', uuid: undefined },
    },
    {
      row: 'user blocks become typed blocks (PY-232)',
      frame: user([
        { type: 'text', text: 'a' },
        { type: 'tool_result', tool_use_id: 't', content: 'r', is_error: true },
        { type: 'tool_use', id: 'i', name: 'n', input: {} },
      ]),
      expected: {
        content: [
          { type: 'text', text: 'a' },
          { type: 'tool_result', toolUseId: 't', content: 'r', isError: true },
          { type: 'tool_use', id: 'i', name: 'n', input: {} },
        ],
      },
    },
    {
      row: 'images and thinking are left out of a user message (PY-233)',
      frame: user([{ type: 'image' }, { type: 'thinking' }, { type: 'text', text: 'a' }]),
      expected: { content: [{ type: 'text', text: 'a' }] },
    },
    {
      row: 'so are blocks of the API side (PY-233)',
      frame: user([{ type: 'server_tool_use' }, { type: 'advisor_tool_result' }]),
      expected: { content: [] },
    },
    {
      row: 'the fields beside the message (PY-234)',
      frame: user('x', { tool_use_result: { a: 1 }, uuid: 'u', parent_tool_use_id: 'p' }),
      expected: { toolUseResult: { a: 1 }, uuid: 'u', parentToolUseId: 'p' },
    },
    {
      row: 'an origin with a kind is kept with its other keys (PY-235)',
      frame: user('x', { origin: { kind: 'peer', from: 'f', later: 1 } }),
      expected: { origin: { kind: 'peer', from: 'f', later: 1 } },
    },
    {
      row: 'an origin without a string kind is none (PY-235)',
      frame: user('x', { origin: { kind: 5 } }),
      expected: { origin: undefined },
    },
    {
      row: 'fields of the inner message (PY-236)',
      frame: {
        type: 'assistant',
        message: { model: 'm', content: [], id: 'msg_1', stop_reason: 'end_turn', usage: { input_tokens: 1 } },
      },
      expected: {
        kind: 'assistant',
        model: 'm',
        messageId: 'msg_1',
        stopReason: 'end_turn',
        usage: { input_tokens: 1 },
      },
    },
    {
      row: 'the error of an assistant frame (PY-237)',
      frame: assistant([], { error: 'rate_limit' }),
      expected: { error: 'rate_limit' },
    },
    ...['unknown', 'an error of a newer CLI', ''].map((error) => ({
      row: `the error ${JSON.stringify(error)}, beside content (PY-237)`,
      frame: assistant([{ type: 'text', text: 'a' }], { error }),
      expected: { error, content: [{ type: 'text', text: 'a' }] },
    })),
    {
      row: 'redacted thinking and web results are left out, which may leave nothing (PY-239)',
      frame: assistant([{ type: 'redacted_thinking' }, { type: 'web_search_tool_result' }]),
      expected: { content: [] },
    },
    {
      row: 'blocks of the API side in an assistant message (PY-240)',
      frame: assistant([
        { type: 'server_tool_use', id: 'i', name: 'web_search', input: {} },
        { type: 'advisor_tool_result', tool_use_id: 'i', content: [1] },
      ]),
      expected: {
        content: [
          { type: 'server_tool_use', id: 'i', name: 'web_search', input: {} },
          { type: 'advisor_tool_result', toolUseId: 'i', content: [1] },
        ],
      },
    },
    {
      row: 'a tool result that does not say whether it failed (PY-242)',
      frame: user([{ type: 'tool_result', tool_use_id: 't' }]),
      expected: { content: [{ type: 'tool_result', toolUseId: 't', content: undefined, isError: undefined }] },
    },
    {
      row: 'a task update with nothing in it (PY-244)',
      frame: { type: 'system', subtype: 'task_updated' },
      expected: { kind: 'task_updated', taskId: '', patch: {}, status: undefined },
    },
    {
      row: 'a task update whose patch is no object (PY-244)',
      frame: { type: 'system', subtype: 'task_updated', task_id: 't', patch: 'x' },
      expected: { taskId: 't', patch: {} },
    },
    {
      row: 'the status of a task update comes from the patch (PY-244)',
      frame: { type: 'system', subtype: 'task_updated', patch: { status: 'killed' } },
      expected: { status: 'killed' },
    },
    {
      row: 'an unknown system subtype is a system message (PY-245)',
      frame: { type: 'system', subtype: 'brand_new', a: 1 },
      expected: { kind: 'system', subtype: 'brand_new' },
    },
    {
      row: 'a hook event is named by hook_event (PY-246)',
      frame: { type: 'system', subtype: 'hook_started', hook_event: 'Stop', hook_name: 'n' },
      expected: { kind: 'hook_event', hookEventName: 'Stop' },
    },
    {
      row: 'or by the next name that is not empty (PY-246)',
      frame: { type: 'system', subtype: 'hook_response', hook_event: '', hook_name: 'n' },
      expected: { hookEventName: 'n' },
    },
    {
      row: 'hook_progress is a plain system message (PY-246)',
      frame: { type: 'system', subtype: 'hook_progress' },
      expected: { kind: 'system' },
    },
    {
      row: 'the result, renamed; what is absent is unset (PY-248)',
      frame: { ...RESULT, modelUsage: { m: { costUSD: 1 } } },
      expected: {
        kind: 'result',
        durationMs: 1,
        durationApiMs: 1,
        isError: false,
        numTurns: 1,
        modelUsage: { m: { costUSD: 1 } },
        totalCostUsd: undefined,
        result: undefined,
      },
    },
    {
      row: 'an empty deferred call is none (PY-249)',
      frame: { ...RESULT, deferred_tool_use: {} },
      expected: { deferredToolUse: undefined },
    },
    {
      row: 'these pass unchanged (PY-250)',
      frame: {
        ...RESULT,
        terminal_reason: 'api_error',
        api_error_status: 529,
        errors: [' a ', 1],
        structured_output: { a: 1 },
        permission_denials: [{ tool_name: 'Bash' }],
      },
      expected: {
        terminalReason: 'api_error',
        apiErrorStatus: 529,
        errors: [' a ', 1],
        structuredOutput: { a: 1 },
        permissionDenials: [{ tool_name: 'Bash' }],
      },
    },
    {
      row: 'the raw stream event (PY-251)',
      frame: { type: 'stream_event', event: { type: 'ping' }, ...IDS },
      expected: { kind: 'stream_event', event: { type: 'ping' }, uuid: 'u', sessionId: 's' },
    },
    {
      row: 'rate limit fields, and the whole info as raw (PY-252)',
      frame: {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 5, rateLimitType: 'five_hour', z: 1 },
        ...IDS,
      },
      expected: {
        kind: 'rate_limit_event',
        rateLimitInfo: {
          status: 'rejected',
          resetsAt: 5,
          rateLimitType: 'five_hour',
          utilization: undefined,
          overageStatus: undefined,
          overageResetsAt: undefined,
          overageDisabledReason: undefined,
          raw: { status: 'rejected', resetsAt: 5, rateLimitType: 'five_hour', z: 1 },
        },
      },
    },
    {
      row: 'a reset conversation (PY-253)',
      frame: { type: 'conversation_reset', new_conversation_id: 'n', ...IDS },
      expected: { kind: 'conversation_reset', newConversationId: 'n' },
    },
    ...['keep_alive', 'tool_progress', 'auth_status', 'brand_new'].map((type) => ({
      row: `${type} is an unknown message (PY-254)`,
      frame: { type },
      expected: { kind: 'unknown', type },
    })),
  ];
  test.each(cases)('$row', ({ frame, expected }) => {
    expect(parseMessageOrThrow(frame)).toMatchObject(expected);
  });

  test('an unset field is not false (PY-242)', () => {
    const message = parseMessageOrThrow(user([{ type: 'tool_result', tool_use_id: 't' }]));
    if (message.kind !== 'user' || typeof message.content === 'string') throw new Error('kind');
    expect(message.content[0]).toHaveProperty('isError', undefined);
  });

  test('every system message keeps its subtype and the frame itself (PY-247)', () => {
    const task = { task_id: 't', description: 'd', status: 'x', output_file: 'o', summary: 's' };
    for (const subtype of [
      'init',
      'task_started',
      'task_progress',
      'task_notification',
      'task_updated',
      'mirror_error',
      'hook_started',
      'hook_response',
    ]) {
      const frame = { type: 'system', subtype, ...task, usage: {}, ...IDS };
      const message = parseMessageOrThrow(frame);
      expect(message).toMatchObject({ subtype });
      expect('data' in message && message.data).toBe(frame);
    }
  });

  test('an optional field of another type is unset, and still in the raw frame', () => {
    const frame = assistant([], { error: 5 });
    const message = parseMessageOrThrow(frame);
    expect(message).toMatchObject({ error: undefined });
    expect('raw' in message && message.raw.error).toBe(5);
  });
});

describe('a bad frame', () => {
  const missing = (what: string, key: string) => `Missing required field in ${what}: '${key}'`;
  const cases: { row: string; frame: unknown; issues: string[] }[] = [
    {
      row: 'thinking without a signature (PY-238)',
      frame: assistant([{ type: 'thinking', thinking: 'x' }]),
      issues: [missing('assistant message', 'signature')],
    },
    {
      row: 'an assistant message without a model (PY-236)',
      frame: { type: 'assistant', message: { content: [] } },
      issues: [missing('assistant message', 'model')],
    },
    {
      row: 'assistant content that is a text (PY-241)',
      frame: assistant('hello'),
      issues: [`Invalid field in assistant message: 'content' must be an array, got string "hello"`],
    },
    {
      row: 'a block that is not an object (PY-241)',
      frame: assistant(['hello']),
      issues: ['Invalid content block in assistant message: got string "hello"'],
    },
    { row: 'a block without a type (PY-241)', frame: user([{ text: 'x' }]), issues: [missing('user message', 'type')] },
    {
      row: 'a started task (PY-243)',
      frame: { type: 'system', subtype: 'task_started', task_id: 't', ...IDS },
      issues: [missing('system message', 'description')],
    },
    {
      row: 'the progress of a task (PY-243)',
      frame: { type: 'system', subtype: 'task_progress', task_id: 't', description: 'd', ...IDS },
      issues: [missing('system message', 'usage')],
    },
    {
      row: 'every missing field of a task notification is named (PY-243)',
      frame: { type: 'system', subtype: 'task_notification' },
      issues: ['task_id', 'status', 'output_file', 'summary', 'uuid', 'session_id'].map((key) =>
        missing('system message', key),
      ),
    },
    {
      row: 'the required fields of a result (PY-248)',
      frame: { type: 'result' },
      issues: ['subtype', 'duration_ms', 'duration_api_ms', 'is_error', 'num_turns', 'session_id'].map((key) =>
        missing('result message', key),
      ),
    },
    {
      row: 'a deferred call without its input (PY-249)',
      frame: { ...RESULT, deferred_tool_use: { id: 'i', name: 'n' } },
      issues: [missing('result message', 'input')],
    },
    {
      row: 'a stream event without ids (PY-251)',
      frame: { type: 'stream_event', event: {} },
      issues: [missing('stream_event message', 'uuid'), missing('stream_event message', 'session_id')],
    },
    {
      row: 'a rate limit without a status (PY-252)',
      frame: { type: 'rate_limit_event', rate_limit_info: {}, ...IDS },
      issues: [missing('rate_limit_event message', 'status')],
    },
    {
      row: 'a reset without the new id (PY-253)',
      frame: { type: 'conversation_reset', ...IDS },
      issues: [missing('conversation_reset message', 'new_conversation_id')],
    },
    { row: 'no type (PY-255)', frame: { hello: 1 }, issues: ["Message missing 'type' field"] },
    { row: 'an empty type (PY-255)', frame: { type: '' }, issues: ["Message missing 'type' field"] },
    {
      row: 'a system frame without a subtype',
      frame: { type: 'system' },
      issues: [missing('system message', 'subtype')],
    },
    {
      row: 'user content that is neither text nor list',
      frame: user({ a: 1 }),
      issues: [`Invalid field in user message: 'content' must be a string or an array, got object`],
    },
    {
      row: 'D14: a message that is not an object',
      frame: { type: 'assistant', message: 'x' },
      issues: [
        `Invalid field in assistant message: 'message' must be an object, got string "x"`,
        missing('assistant message', 'content'),
        missing('assistant message', 'model'),
      ],
    },
    {
      row: 'D14: no message at all',
      frame: { type: 'user' },
      issues: [missing('user message', 'message'), missing('user message', 'content')],
    },
    { row: 'not an object', frame: [1, 2], issues: ['Invalid message data type (expected an object, got array of 2)'] },
    { row: 'null', frame: null, issues: ['Invalid message data type (expected an object, got null)'] },
  ];
  test.each(cases)('$row', ({ frame, issues }) => {
    expect(issuesOf(frame)).toEqual(issues);
    const result = parseMessage(frame);
    expect(result.ok ? undefined : result.raw).toBe(frame);
  });

  test('PY-255, D14: thrown, it is a MessageParseError with the frame and all issues', () => {
    const frame = { type: 'assistant', message: 7 };
    let thrown: unknown;
    try {
      parseMessageOrThrow(frame);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(MessageParseError);
    expect(thrown).toMatchObject({ errorClass: 'message_invalid', data: frame });
    expect((thrown as MessageParseError).data).toBe(frame);
    expect((thrown as MessageParseError).issues.length).toBe(3);
    expect((thrown as Error).message).toContain("'message' must be an object");
  });

  test('an issue says where it is', () => {
    const result = parseMessage(assistant([{ type: 'text', text: 'a' }, { type: 'text' }]));
    expect(result.ok ? [] : result.issues.map(({ path }) => path)).toEqual([['message', 'content', 1, 'text']]);
  });

  test('one bad frame says nothing about the next (PY-256)', () => {
    expect(parseMessage({ type: 'result' }).ok).toBe(false);
    expect(parseMessage(RESULT).ok).toBe(true);
  });
});

describe('for any JSON', () => {
  const types = fc.constantFrom(
    'user',
    'assistant',
    'system',
    'result',
    'stream_event',
    'rate_limit_event',
    'conversation_reset',
    'x',
  );
  const subtypes = fc.constantFrom(
    'task_started',
    'task_progress',
    'task_notification',
    'task_updated',
    'hook_started',
    'mirror_error',
    'success',
  );
  const json = fc.jsonValue() as fc.Arbitrary<unknown>;
  const block = fc.oneof(
    json,
    fc.record({
      type: fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result', 'server_tool_use', 'z'),
      text: json,
      input: json,
      content: json,
    }),
  );
  /** Random values at the places where the parser looks. */
  const nearFrame = fc.record(
    {
      type: types,
      subtype: fc.oneof(subtypes, json),
      message: fc.oneof(json, fc.record({ content: fc.oneof(json, fc.array(block)), model: json, usage: json })),
      patch: json,
      origin: json,
      rate_limit_info: json,
      deferred_tool_use: json,
      uuid: json,
      session_id: json,
      event: json,
      errors: json,
    },
    { requiredKeys: ['type'] },
  );

  test('parsing never throws, and a failure names at least one issue', () => {
    fc.assert(
      fc.property(fc.oneof(json, nearFrame), (value) => {
        const result = parseMessage(value);
        if (!result.ok) expect(result.issues.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  test('an object with hostile names does not make the issue text throw', () => {
    const hostile = { constructor: { name: { toString: 1 } }, toString: 1 };
    expect(issuesOf({ type: 'result', subtype: hostile }).length).toBe(6);
    expect(issuesOf({ type: 'system', subtype: hostile }).length).toBe(1);
  });
});

test('the strict union is closed: a switch over it needs no default', () => {
  const label = (message: Message): string => {
    switch (message.kind) {
      case 'user':
      case 'assistant':
      case 'system':
      case 'task_started':
      case 'task_progress':
      case 'task_notification':
      case 'task_updated':
      case 'hook_event':
      case 'mirror_error':
      case 'result':
      case 'stream_event':
      case 'rate_limit_event':
      case 'conversation_reset':
      case 'unknown':
        return message.kind;
    }
  };
  expect(label(parseMessageOrThrow(user('x')))).toBe('user');
});
