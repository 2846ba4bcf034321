import { describe, expect, test } from 'vitest';
import type { CanUseTool } from '../../src/control/permission-types.js';
import type { JsonObject } from '../../src/util/json.js';
import { type SessionOptions, settle, startSession } from './session.js';

const ASK = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };

async function answersOf(
  canUseTool: ((...args: Parameters<CanUseTool>) => unknown) | undefined,
  options: SessionOptions = {},
  ask: JsonObject = ASK,
): Promise<{ answers: JsonObject[]; codes: string[] }> {
  const { peer, codes } = startSession({
    ...options,
    callbacks: { ...options.callbacks, ...(canUseTool === undefined ? {} : { canUseTool: canUseTool as CanUseTool }) },
  });
  peer.ask('r1', 'can_use_tool', ask);
  await settle();
  return { answers: peer.answersTo('r1'), codes: codes() };
}

describe('what the callback gets', () => {
  test('name, input and the camelCase options; twelve keys are always there (TS-113, PY-223)', async () => {
    const seen: unknown[] = [];
    await answersOf((...args) => {
      seen.push(...args);
      return { behavior: 'allow' };
    });
    expect(seen[0]).toBe('Bash');
    expect(seen[1]).toEqual({ command: 'ls' });
    expect(Object.keys(seen[2] as object)).toEqual([
      'signal',
      'suggestions',
      'blockedPath',
      'decisionReason',
      'title',
      'displayName',
      'description',
      'defaultToNo',
      'suppressAlwaysAllowRule',
      'toolUseID',
      'agentID',
      'requestId',
    ]);
    expect(seen[2]).toMatchObject({ toolUseID: 'toolu_1', requestId: 'r1' });
    expect((seen[2] as { signal: unknown }).signal).toBeInstanceOf(AbortSignal);
  });

  test('every field of the request arrives under its own name (TS-113, PY-223)', async () => {
    let seen: unknown;
    await answersOf(
      (_name, _input, options) => {
        seen = options;
        return null;
      },
      {},
      {
        ...ASK,
        permission_suggestions: [{ type: 'setMode', mode: 'plan', destination: 'session' }],
        blocked_path: '/x',
        decision_reason: 'why',
        decision_reason_type: 'rule',
        title: 't',
        display_name: 'd',
        description: 'e',
        default_to_no: true,
        suppress_always_allow_rule: true,
        agent_id: 'a',
        requires_user_interaction: true,
        mcp_server: { name: 's', source: 'sdk' },
        matched_ask_rule: { source: 'user', tool_name: 'Bash', rule_content: 'ls' },
        classifier_approvable: true,
      },
    );
    const { signal: _, ...options } = seen as JsonObject;
    expect(options).toEqual({
      suggestions: [{ type: 'setMode', mode: 'plan', destination: 'session' }],
      blockedPath: '/x',
      decisionReason: 'why',
      decisionReasonType: 'rule',
      title: 't',
      displayName: 'd',
      description: 'e',
      defaultToNo: true,
      suppressAlwaysAllowRule: true,
      toolUseID: 'toolu_1',
      agentID: 'a',
      requestId: 'r1',
      requiresUserInteraction: true,
      mcpServer: { name: 's', source: 'sdk' },
      matchedAskRule: { source: 'user', toolName: 'Bash', ruleContent: 'ls' },
    });
  });

  test('suggestions of null are an empty list (PY-224)', async () => {
    let suggestions: unknown;
    await answersOf(
      (_name, _input, options) => {
        suggestions = options.suggestions;
        return null;
      },
      {},
      { ...ASK, permission_suggestions: null },
    );
    expect(suggestions).toEqual([]);
  });

  test('a request without a name and an input reaches the callback with undefined', async () => {
    const seen: unknown[] = [];
    await answersOf(
      (name, input) => {
        seen.push(name, input);
        return null;
      },
      {},
      {},
    );
    expect(seen).toEqual([undefined, undefined]);
  });
});

describe('what is answered', () => {
  const update = { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  const accepted: { name: string; result: unknown; response: JsonObject }[] = [
    {
      name: 'a bare allow gets the input that was asked about (TS-113, PY-215)',
      result: { behavior: 'allow' },
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    },
    {
      name: 'an empty updatedInput is respected (PY-216)',
      result: { behavior: 'allow', updatedInput: {} },
      response: { behavior: 'allow', updatedInput: {} },
    },
    {
      name: 'an allow with everything, unknown keys too (TS-114)',
      result: {
        behavior: 'allow',
        updatedInput: { command: 'pwd' },
        updatedPermissions: [update],
        decisionClassification: 'user_permanent',
        extra: 1,
      },
      response: {
        behavior: 'allow',
        updatedInput: { command: 'pwd' },
        updatedPermissions: [update],
        decisionClassification: 'user_permanent',
        extra: 1,
      },
    },
    {
      name: 'updatedInput null is the same as none',
      result: { behavior: 'allow', updatedInput: null },
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    },
    {
      name: 'an empty updatedPermissions is sent (PY-217)',
      result: { behavior: 'allow', updatedInput: {}, updatedPermissions: [] },
      response: { behavior: 'allow', updatedInput: {}, updatedPermissions: [] },
    },
    {
      name: 'a deny that interrupts (TS-115, PY-219)',
      result: { behavior: 'deny', message: 'no', interrupt: true },
      response: { behavior: 'deny', message: 'no', interrupt: true },
    },
    {
      name: 'a deny without a message stays without one',
      result: { behavior: 'deny' },
      response: { behavior: 'deny' },
    },
    {
      name: 'a toolUseID of its own is overwritten',
      result: { behavior: 'allow', updatedInput: {}, toolUseID: 'mine' },
      response: { behavior: 'allow', updatedInput: {} },
    },
  ];
  for (const { name, result, response } of accepted) {
    for (const how of ['returned', 'resolved', 'from a thenable'] as const) {
      test(`${name}, ${how}`, async () => {
        const { answers, codes } = await answersOf(() => wrap(result, how));
        expect(answers).toEqual([
          { subtype: 'success', request_id: 'r1', response: { ...response, toolUseID: 'toolu_1' } },
        ]);
        expect(codes).toEqual([]);
      });
    }
  }

  test('a deny gets an empty message, with fillDenyMessage (PY-218)', async () => {
    const { answers } = await answersOf(() => ({ behavior: 'deny' }), { policy: { fillDenyMessage: true } });
    expect(answers[0]!.response).toEqual({ behavior: 'deny', message: '', toolUseID: 'toolu_1' });
  });

  test('what a callback does to the input it was given does not change a bare allow', async () => {
    const { answers } = await answersOf((_name, input) => {
      input.command = '(hidden)';
      return { behavior: 'allow' };
    });
    expect(answers[0]!.response).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' }, toolUseID: 'toolu_1' });
  });

  test('a bare allow of a question without an input stays bare', async () => {
    const { answers } = await answersOf(() => ({ behavior: 'allow' }), {}, { tool_name: 'Bash', tool_use_id: 't' });
    expect(answers[0]!.response).toEqual({ behavior: 'allow', toolUseID: 't' });
  });

  test('null sends no answer, and nothing is owed any more (TS-116)', async () => {
    const { peer, controller } = startSession({ callbacks: { canUseTool: async () => null } });
    peer.ask('r1', 'can_use_tool', ASK);
    expect(controller.inbound.openCount).toBe(1);
    await settle();
    expect(peer.answersTo('r1')).toEqual([]);
    expect(controller.inbound.openCount).toBe(0);
  });

  const rejected: { result: unknown; named: string }[] = [
    { result: undefined, named: 'undefined' },
    { result: {}, named: 'behavior undefined' },
    { result: 'allow', named: 'string "allow"' },
    { result: true, named: 'boolean true' },
    { result: [], named: 'array of 0' },
    { result: { behavior: 'maybe' }, named: 'string "maybe"' },
    { result: { behavior: 'allow', updatedInput: 'ls' }, named: 'updatedInput string "ls"' },
    { result: { behavior: 'allow', updatedPermissions: {} }, named: 'updatedPermissions object' },
    { result: { behavior: 'deny', message: 5 }, named: 'message number 5' },
    { result: { behavior: 'deny', message: 'm', interrupt: 'yes' }, named: 'interrupt string' },
  ];
  for (const { result, named } of rejected) {
    test(`a result that is no decision denies and is named: ${named} (PY-221)`, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(answers).toEqual([
        {
          subtype: 'success',
          request_id: 'r1',
          response: { behavior: 'deny', message: expect.stringContaining(named), toolUseID: 'toolu_1' },
        },
      ]);
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }

  const thrown = [
    { name: 'an error', value: new Error('broken'), text: 'broken' },
    { name: 'a string', value: 'broken', text: 'broken' },
    { name: 'undefined', value: undefined, text: 'undefined' },
    { name: 'a plain object', value: { message: 'broken', code: '42501' }, text: 'broken' },
    { name: 'something without a text', value: Object.create(null), text: 'object' },
  ];
  for (const { name, value, text } of thrown) {
    for (const how of ['thrown', 'rejected'] as const) {
      test(`${name} ${how} is an error answer with its text (TS-117, PY-220)`, async () => {
        const { answers, codes } = await answersOf(() => fail(value, how));
        expect(answers).toEqual([{ subtype: 'error', request_id: 'r1', error: text }]);
        expect(codes).toEqual(['callback_threw']);
      });
      test(`with onHookError 'deny', ${name} ${how} denies`, async () => {
        const { answers } = await answersOf(() => fail(value, how), { callbacks: { onHookError: 'deny' } });
        expect(answers[0]!.response).toEqual({ behavior: 'deny', message: text, toolUseID: 'toolu_1' });
      });
    }
  }

  test('without a callback the answer says so (TS-118, PY-222)', async () => {
    const { answers } = await answersOf(undefined);
    expect(answers).toEqual([{ subtype: 'error', request_id: 'r1', error: 'canUseTool callback is not provided.' }]);
  });

  for (const [name, value] of [
    ['a BigInt', 1n],
    ['a cycle', cycle()],
  ] as const) {
    test(`a result with ${name} is an error answer (TS-119)`, async () => {
      const { answers, codes } = await answersOf(() => ({ behavior: 'allow', extra: value }));
      expect(answers).toEqual([{ subtype: 'error', request_id: 'r1', error: expect.stringMatching(/JSON/) }]);
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }
});

describe('a result that JSON would change is never an allow', () => {
  class Deny {
    get behavior() {
      return 'deny';
    }
    get message() {
      return 'no';
    }
  }
  class Input {
    get command() {
      return 'ls';
    }
  }
  const cases: { name: string; result: unknown; named: string }[] = [
    { name: 'getters of a class', result: new Deny(), named: 'behavior' },
    { name: 'inherited fields', result: Object.create({ behavior: 'deny', message: 'no' }), named: 'behavior' },
    {
      name: 'a deny with an inherited interrupt',
      result: Object.assign(Object.create({ interrupt: true }), { behavior: 'deny' }),
      named: 'interrupt',
    },
    { name: 'a toJSON that gives null', result: { behavior: 'allow', toJSON: () => null }, named: 'null' },
    ...[new Map([['a', 1]]), new Input(), { deep: [new Set()] }].map((updatedInput) => ({
      name: `an updatedInput of ${updatedInput.constructor.name}`,
      result: { behavior: 'allow', updatedInput },
      named: 'updatedInput',
    })),
    {
      name: 'an updatedInput that becomes a string',
      result: { behavior: 'allow', updatedInput: new Date(0) },
      named: 'updatedInput string',
    },
    {
      name: 'rules in a set',
      result: { behavior: 'allow', updatedPermissions: [{ rules: new Set() }] },
      named: 'updatedPermissions.0.rules',
    },
  ];
  for (const { name, result, named } of cases) {
    test(name, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(answers).toEqual([
        {
          subtype: 'success',
          request_id: 'r1',
          response: { behavior: 'deny', message: expect.stringContaining(named), toolUseID: 'toolu_1' },
        },
      ]);
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }

  test("with onHookError 'deny', a BigInt denies (TS-119)", async () => {
    const { answers } = await answersOf(() => ({ behavior: 'allow', updatedInput: { n: 1n } }), {
      callbacks: { onHookError: 'deny' },
    });
    expect(answers[0]!.response).toEqual({
      behavior: 'deny',
      message: expect.stringMatching(/JSON/),
      toolUseID: 'toolu_1',
    });
  });

  test('an allow from own fields of a class passes as JSON has it', async () => {
    class Allow {
      readonly behavior = 'allow';
      readonly updatedInput = { at: new Date(0) };
    }
    const { answers, codes } = await answersOf(() => new Allow());
    expect(answers[0]!.response).toEqual({
      behavior: 'allow',
      updatedInput: { at: '1970-01-01T00:00:00.000Z' },
      toolUseID: 'toolu_1',
    });
    expect(codes).toEqual([]);
  });
});

test('a tool name that is no string does not reach a diagnostic', async () => {
  const { peer, diagnostics } = startSession({ callbacks: { canUseTool: (() => undefined) as unknown as CanUseTool } });
  peer.ask('r1', 'can_use_tool', { tool_name: { secret: 's' } });
  peer.ask('r2', 'can_use_tool', { tool_name: 'x'.repeat(1000) });
  await settle();
  expect(diagnostics.map((diagnostic) => diagnostic.details)).toEqual([
    { toolName: undefined },
    { toolName: 'x'.repeat(100) },
  ]);
});

function wrap(value: unknown, how: 'returned' | 'resolved' | 'from a thenable'): unknown {
  if (how === 'returned') return value;
  if (how === 'resolved') return Promise.resolve(value);
  // biome-ignore lint/suspicious/noThenProperty: a foreign promise is the case under test
  return { then: (resolve: (result: unknown) => void) => resolve(value) };
}

function fail(value: unknown, how: 'thrown' | 'rejected'): unknown {
  if (how === 'rejected') return Promise.reject(value);
  throw value;
}

function cycle(): object {
  const self: { self?: object } = {};
  self.self = self;
  return self;
}
