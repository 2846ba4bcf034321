import { describe, expect, test } from 'vitest';
import type { HookCallback } from '../../src/control/hook-types.js';
import type { JsonObject } from '../../src/util/json.js';
import { settle, startSession } from './session.js';

async function answersOf(
  result: (...args: Parameters<HookCallback>) => unknown,
  {
    event = 'PreToolUse',
    onHookError = 'report' as 'report' | 'deny',
    request = { callback_id: 'hook_0', input: { hook_event_name: 'x' }, tool_use_id: 't' } as JsonObject,
  } = {},
): Promise<{ answers: JsonObject[]; codes: string[] }> {
  const { peer, codes } = startSession({
    callbacks: { onHookError, hooks: [{ callbackId: 'hook_0', event, callback: result as HookCallback }] },
  });
  peer.ask('r1', 'hook_callback', request);
  await settle();
  return { answers: peer.answersTo('r1'), codes: codes() };
}

function succeeded(response: unknown): JsonObject[] {
  return [{ subtype: 'success', request_id: 'r1', response }];
}

describe('results that say nothing to the CLI', () => {
  const mistaken: readonly [name: string, result: JsonObject, problem: string][] = [
    ['a decision at the top', { permissionDecision: 'deny' }, 'permissionDecision is no field of a hook output'],
    ['one beside a known field', { continue: true, permissionDecision: 'deny' }, 'permissionDecision is no field'],
    ['the answer of canUseTool', { behavior: 'deny', message: 'no' }, 'behavior is no field of a hook output'],
    ['a made-up field', { deny: true }, 'deny is no field of a hook output'],
  ];

  for (const [name, result, problem] of mistaken) {
    test(`${name} denies the tool, with a diagnostic (L4-55)`, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(codes).toEqual(['callback_result_invalid']);
      expect(answers).toMatchObject(
        succeeded({
          hookSpecificOutput: {
            permissionDecision: 'deny',
            permissionDecisionReason: expect.stringContaining(problem),
          },
        }),
      );
    });
  }

  test('unknown fields pass, and so does a decision that is also in its place (L4-20)', async () => {
    const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'deny' };
    for (const result of [{ nextYear: {} }, { continue: true, later: 1 }, { behavior: 'deny', hookSpecificOutput }]) {
      expect((await answersOf(() => result)).answers).toEqual(succeeded(result));
    }
    const behavior = { behavior: 'deny' };
    expect((await answersOf(() => behavior, { event: 'PostToolUse' })).answers).toEqual(succeeded(behavior));
  });
});

describe('calls', () => {
  test('the callback gets the input as it came, the tool use id and a signal (TS-124, PY-203)', async () => {
    const seen: unknown[] = [];
    await answersOf((...args) => {
      seen.push(...args);
    });
    expect(seen).toEqual([{ hook_event_name: 'x' }, 't', { signal: expect.any(AbortSignal) }]);
  });

  test('without a tool use id the callback gets undefined (PY-204)', async () => {
    const seen: unknown[] = [];
    await answersOf((_input, toolUseId) => void seen.push(toolUseId), {
      request: { callback_id: 'hook_0', input: {} },
    });
    expect(seen).toEqual([undefined]);
  });

  for (const callback_id of ['hook_9', undefined, 5, `hook ü ${'9'.repeat(100)}`, '']) {
    test(`the id ${callback_id} is not found, and the answer names it (TS-125, PY-210)`, async () => {
      const { answers } = await answersOf(() => ({}), { request: { callback_id } });
      expect(answers).toEqual([
        { subtype: 'error', request_id: 'r1', error: `No hook callback found for ID: ${callback_id}` },
      ]);
    });
  }

  test('an event the SDK does not know is called like any other (PY-213)', async () => {
    const { answers } = await answersOf(() => ({ reason: 'x' }), { event: 'FutureEvent' });
    expect(answers).toEqual(succeeded({ reason: 'x' }));
  });
});

describe('results', () => {
  const passed: { name: string; result: unknown; response?: unknown }[] = [
    { name: 'an empty object (PY-205)', result: {} },
    { name: 'undefined, as {}', result: undefined, response: {} },
    { name: 'null, as {}', result: null, response: {} },
    { name: 'async (TS-124)', result: { async: true, asyncTimeout: 5 } },
    { name: 'async_ (PY-206)', result: { async_: true, asyncTimeout: 5 }, response: { async: true, asyncTimeout: 5 } },
    {
      name: 'continue_ (PY-207)',
      result: { continue_: false, stopReason: 'x' },
      response: { continue: false, stopReason: 'x' },
    },
    {
      name: 'continue_ inside hookSpecificOutput stays (PY-208)',
      result: { hookSpecificOutput: { hookEventName: 'PreToolUse', continue_: 1 } },
    },
    {
      name: 'all known fields and unknown ones (PY-209)',
      result: {
        continue: true,
        suppressOutput: true,
        stopReason: 's',
        decision: 'approve',
        systemMessage: 'm',
        terminalSequence: 't',
        reason: 'r',
        newField: { any: [1] },
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'defer',
          permissionDecisionReason: 'p',
          updatedInput: { a: 1 },
          additionalContext: 'c',
          alsoNew: 1,
        },
      },
    },
    { name: 'fields that are undefined', result: { continue: undefined, systemMessage: undefined }, response: {} },
    {
      name: 'an instance of a class of the program',
      result: new (class {
        readonly reason = 'r';
      })(),
      response: { reason: 'r' },
    },
  ];
  for (const { name, result, response } of passed) {
    test(`${name}: passes`, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(answers).toEqual(succeeded(response ?? result));
      expect(codes).toEqual([]);
    });
  }

  const bad: { result: unknown; named: string }[] = [
    { result: 'deny', named: 'string "deny"' },
    { result: false, named: 'boolean false' },
    { result: [{}], named: 'array of 1' },
    { result: new Map(), named: 'Map' },
    { result: new Error('x'), named: 'Error' },
    {
      result: { decision: 5, hookSpecificOutput: 'x' },
      named: "`decision` must be 'approve' or 'block', got number 5",
    },
    { result: { decision: 'deny' }, named: "`decision` must be 'approve' or 'block', got string" },
    { result: { continue: 'no' }, named: '`continue` must be true or false, got string "no"' },
    { result: { async: 'yes' }, named: '`async` must be true or false, got string' },
    { result: { asyncTimeout: '5' }, named: '`asyncTimeout` must be a number, got string' },
    { result: { reason: null }, named: '`reason` must be a string, got null' },
    { result: { hookSpecificOutput: 'x' }, named: '`hookSpecificOutput` must be an object, got string' },
    { result: { hookSpecificOutput: { permissionDecision: 'deny' } }, named: 'hookEventName is missing' },
    {
      result: { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'block' } },
      named: 'got string "block"',
    },
    {
      result: { hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: 'x' } },
      named: '`hookSpecificOutput.updatedInput` must be an object, got string',
    },
    {
      result: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: 'allow' } },
      named: '`hookSpecificOutput.decision` must be an object, got string "allow"',
    },
    {
      result: { hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 1 } },
      named: 'additionalContext` must be a string, got number 1',
    },
  ];
  for (const { result, named } of bad) {
    test(`a result of a wrong shape denies the tool and is named: ${named}`, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(answers).toEqual(
        succeeded({
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: expect.stringContaining(named),
          },
        }),
      );
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }

  const closed = (message: unknown) => [
    {
      event: 'PreToolUse',
      answer: succeeded({
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: message,
        },
      }),
    },
    {
      event: 'PermissionRequest',
      answer: succeeded({
        hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message } },
      }),
    },
    { event: 'UserPromptSubmit', answer: succeeded({ decision: 'block', reason: message }) },
    { event: 'Stop', answer: [{ subtype: 'error', request_id: 'r1', error: message }] },
    { event: 'FutureEvent', answer: [{ subtype: 'error', request_id: 'r1', error: message }] },
  ];
  for (const { event, answer } of closed(expect.stringContaining('string "bad"'))) {
    test(`a bad result of ${event} fails closed`, async () => {
      const { answers } = await answersOf(() => 'bad', { event });
      expect(answers).toEqual(answer);
    });
  }
  for (const { event, answer } of closed(expect.stringMatching(/JSON/))) {
    test(`a result of ${event} that is not JSON fails closed (PY-212)`, async () => {
      const { answers, codes } = await answersOf(() => ({ extra: 1n }), { event });
      expect(answers).toEqual(answer);
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }
  for (const { event, answer } of closed('broken')) {
    test(`with onHookError 'deny', a throw from ${event} fails closed`, async () => {
      const { answers, codes } = await answersOf(() => Promise.reject(new Error('broken')), {
        event,
        onHookError: 'deny',
      });
      expect(answers).toEqual(answer);
      expect(codes).toEqual(['callback_threw']);
    });
    test(`a throw from ${event} is an error answer (TS-125, PY-211)`, async () => {
      const { answers } = await answersOf(
        () => {
          throw new Error('broken');
        },
        { event },
      );
      expect(answers).toEqual([{ subtype: 'error', request_id: 'r1', error: 'broken' }]);
    });
  }

  test('a result whose getter throws is no answer and fails closed', async () => {
    const { answers, codes } = await answersOf(() => ({
      get reason(): string {
        throw new Error('trap');
      },
    }));
    expect(answers).toEqual(denied('trap'));
    expect(codes).toEqual(['callback_result_invalid']);
  });
});

describe('a PreToolUse result that JSON would change never lets the tool run', () => {
  const deny = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'no' };
  const allow = { hookEventName: 'PreToolUse', permissionDecision: 'allow' };
  class ByGetter {
    get hookSpecificOutput() {
      return deny;
    }
  }
  class InnerByGetter {
    readonly hookEventName = 'PreToolUse';
    get permissionDecision() {
      return 'deny';
    }
  }
  class InputByGetter {
    get command() {
      return 'ls';
    }
  }
  const hidden = Object.defineProperty({}, 'hookSpecificOutput', { value: deny });
  const lying = new Proxy({}, { get: (_, key) => (key === 'decision' ? 'block' : undefined) });
  const cases: { name: string; result: unknown; named: string }[] = [
    { name: 'a getter of a class', result: new ByGetter(), named: 'hookSpecificOutput' },
    { name: 'an inherited field', result: Object.create({ hookSpecificOutput: deny }), named: 'hookSpecificOutput' },
    { name: 'a field that is not enumerable', result: hidden, named: 'hookSpecificOutput' },
    { name: 'a proxy without keys', result: lying, named: 'decision' },
    { name: 'an inherited alias', result: Object.create({ continue_: false }), named: 'continue_' },
    { name: 'a toJSON that gives null', result: { hookSpecificOutput: deny, toJSON: () => null }, named: 'null' },
    {
      name: 'a toJSON that gives nothing',
      result: { hookSpecificOutput: deny, toJSON: () => undefined },
      named: 'undefined',
    },
    {
      name: 'a toJSON that leaves the decision out',
      result: { hookSpecificOutput: deny, toJSON: () => ({}) },
      named: 'hookSpecificOutput',
    },
    {
      name: 'getters of an inner class',
      result: { hookSpecificOutput: new InnerByGetter() },
      named: 'hookSpecificOutput.permissionDecision',
    },
    ...[
      new Map([['command', 'ls']]),
      new Set(),
      Promise.resolve({}),
      new Error('x'),
      new InputByGetter(),
      Object.create({ command: 'ls' }),
      { nested: [{ env: new Map() }] },
      { command: () => 'ls' },
    ].map((updatedInput) => ({
      name: `an updatedInput of ${Object.prototype.toString.call(updatedInput)} ${Object.keys(updatedInput)}`,
      result: { hookSpecificOutput: { ...allow, updatedInput } },
      named: 'hookSpecificOutput.updatedInput',
    })),
    {
      name: 'an updatedInput that becomes a string',
      result: { hookSpecificOutput: { ...allow, updatedInput: new Date(0) } },
      named: '`hookSpecificOutput.updatedInput` must be an object, got string',
    },
  ];
  for (const { name, result, named } of cases) {
    test(name, async () => {
      const { answers, codes } = await answersOf(() => result);
      expect(answers).toEqual(denied(named));
      expect(codes).toEqual(['callback_result_invalid']);
    });
  }

  test('what JSON carries over whole passes: own fields of classes, dates, other realms, helpers', async () => {
    class Output {
      readonly hookSpecificOutput = {
        ...allow,
        updatedInput: Object.assign(Object.create(null), { at: new Date(0), list: [1, null] }),
      };
      get isHelper() {
        return true;
      }
      method() {}
    }
    const { answers, codes } = await answersOf(() => new Output());
    expect(answers).toEqual(
      succeeded({
        hookSpecificOutput: { ...allow, updatedInput: { at: '1970-01-01T00:00:00.000Z', list: [1, null] } },
      }),
    );
    expect(codes).toEqual([]);
  });

  test('what was checked is what is sent, also when a getter changes its mind', async () => {
    let reads = 0;
    const { answers } = await answersOf(() => ({
      get hookSpecificOutput() {
        reads += 1;
        return reads === 1 ? deny : allow;
      },
    }));
    expect(answers).toEqual(succeeded({ hookSpecificOutput: deny }));
  });
});

test('an id that is an object without a text is not found, and is named by its type', async () => {
  const { answers } = await answersOf(() => ({}), { request: { callback_id: { toString: 1, secret: 's' } } });
  expect(answers).toEqual([{ subtype: 'error', request_id: 'r1', error: 'No hook callback found for ID: object' }]);
});

function denied(named: string): JsonObject[] {
  return succeeded({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(named),
    },
  });
}
