import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PromptValidationError, VisibilityExpansionRequired } from '../../../src/adapter/errors/prompt-errors.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import type { ToolContext } from '../../../src/adapter/prompt/prompt-types.js';
import { Tool, type ToolConfig } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import { defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { makeBridge, textOf } from './make-bridge.js';

const COUNT = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;

/** A tool named `t` whose handler gives what it is told. */
const toolThat = (handler: ToolConfig<unknown, unknown>['handler'], more: Partial<ToolConfig<unknown, unknown>> = {}) =>
  new Tool<unknown, unknown>({ name: 't', description: 'Does it', handler, ...more });
const giving = (result: unknown) => toolThat(() => result as ToolResult);

describe('the server', () => {
  test('serves what has a handler, always loaded, and nothing else', () => {
    const { server, logged } = makeBridge([
      toolThat(() => ToolResult.ok('x'), { params: COUNT }),
      new Tool({ name: 'described', description: 'Only described' }),
    ]);
    expect(server).toEqual({
      name: 'wink',
      version: '1.0.0',
      tools: [
        {
          name: 't',
          description: 'Does it',
          inputSchema: COUNT,
          _meta: { 'anthropic/alwaysLoad': true },
          call: expect.any(Function),
        },
      ],
    });
    expect(logged.map(({ level, event, context }) => [level, event, context])).toEqual([
      ['debug', 'bridge.tool_registered', { toolName: 't' }],
      ['info', 'bridge.mcp_server_created', { serverName: 'wink', toolCount: 1 }],
    ]);
  });

  test('there is none without a handler', () => {
    const described = new Tool({ name: 'described', description: 'Only described' });
    expect(makeBridge([described]).server).toBe(undefined);
    expect(makeBridge([]).server).toBe(undefined);
  });

  test('a tool without parameters has an empty object schema, and its handler gets undefined (AD-176)', async () => {
    const got: unknown[] = [];
    const bridge = makeBridge([
      toolThat((params) => {
        got.push(params);
        return ToolResult.ok('x');
      }),
    ]);
    expect(bridge.server?.tools[0]?.inputSchema).toEqual({ type: 'object', properties: {} });
    await bridge.serve('t');
    expect(got).toEqual([undefined]);
    expect(textOf(await bridge.serve('t', { a: 1 }))).toMatch(/^Validation error: a: /);
    expect(got).toHaveLength(1);
  });

  test('parameters that are no object are refused when the tool is built (AD-177)', () => {
    for (const params of [{ type: 'string' }, { type: 'array' }, { enum: [1] }]) {
      expect(() => toolThat(() => ToolResult.ok('x'), { params })).toThrow(PromptValidationError);
    }
  });
});

describe('what the model sees', () => {
  class Shown {
    readonly #text: string | (() => string);
    constructor(text: string | (() => string)) {
      this.#text = text;
    }
    render(): string {
      return typeof this.#text === 'string' ? this.#text : this.#text();
    }
    toJSON(): object {
      return { shown: true };
    }
  }
  const throwing = new Shown(() => {
    throw new Error('cannot');
  });
  const cases = [
    { title: 'a value with `render()` is its string (AD-182)', value: new Shown('as text'), text: 'as text' },
    { title: 'a value without `render()` is its JSON (AD-183)', value: { a: 1, b: undefined }, text: '{"a":1}' },
    { title: 'a `render()` that throws leaves the JSON (AD-185)', value: throwing, text: '{"shown":true}' },
    { title: 'a text is itself', value: 'plain', text: 'plain' },
    { title: 'a false value is a value', value: 0, text: '0' },
    { title: 'bytes are UTF-8', value: new TextEncoder().encode('h\u00e9'), text: 'h\u00e9' },
  ];
  for (const { title, value, text } of cases) {
    test(title, async () => {
      const { serve, invoked } = makeBridge([giving(ToolResult.ok('message', value))]);
      expect(await serve('t')).toEqual({ content: [{ type: 'text', text }], isError: false });
      expect(invoked()).toEqual([expect.objectContaining({ value, renderedOutput: text })]);
    });
  }

  test('without a value, or with one that renders as nothing, it is the message (AD-184)', async () => {
    for (const value of [undefined, null, new Shown('')]) {
      const { serve } = makeBridge([giving(ToolResult.ok('message', value))]);
      expect(textOf(await serve('t'))).toBe('message');
    }
  });

  test('a value that is kept from the context stays in the event (AD-186)', async () => {
    const result = new ToolResult({ message: 'done', value: { secret: 1 }, excludeValueFromContext: true });
    const { serve, invoked } = makeBridge([giving(result)]);
    expect(textOf(await serve('t'))).toBe('done');
    expect(invoked()).toEqual([
      expect.objectContaining({ value: { secret: 1 }, renderedOutput: 'done', success: true }),
    ]);
    expect(invoked()[0]?.result).toBe(result);
  });

  test('a result without success is an error (AD-187)', async () => {
    const { serve, invoked } = makeBridge([giving(ToolResult.failed('no such order'))]);
    expect(await serve('t')).toEqual({ content: [{ type: 'text', text: 'no such order' }], isError: true });
    expect(invoked()).toEqual([expect.objectContaining({ success: false, error: 'no such order' })]);
  });

  test('what is no ToolResult is an error that says so (AD-193)', async () => {
    for (const result of ['a string', undefined, { message: 'm' }, null, 5]) {
      const { serve, invoked, logged } = makeBridge([giving(result)]);
      const served = await serve('t');
      expect(served.isError).toBe(true);
      expect(textOf(served)).toMatch(/^Error: .*ToolResult was expected/);
      expect(invoked()).toEqual([expect.objectContaining({ success: false })]);
      expect(logged.at(-1)).toMatchObject({ event: 'bridge.handler_error', context: { toolName: 't' } });
    }
  });
});

describe('the call', () => {
  test('the handler gets parsed arguments and all of its context; the session hears of it once', async () => {
    const calls: [unknown, ToolContext][] = [];
    const deadline = Deadline.fromNow(60_000);
    const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 10 }));
    const slice = defineSlice<unknown>('Numbers');
    const tool = new Tool({
      name: 't',
      description: 'Does it',
      params: z.object({ n: z.number().default(7) }),
      resultSlice: slice,
      handler: (params, { context }) => {
        calls.push([params, context]);
        return ToolResult.ok('message', { n: params.n + 1 });
      },
    });
    const bridge = makeBridge([tool], { deadline, budgetTracker });
    await bridge.serve('t', {}, { meta: { 'claudecode/toolUseId': 'toolu_5' } });
    const [[params, context] = []] = calls;
    expect(params).toEqual({ n: 7 });
    expect(context?.prompt).toBe(bridge.prompt);
    expect(context?.renderedPrompt).toBe(bridge.renderedPrompt);
    expect(context?.adapter).toBe(bridge.adapter);
    expect(context?.session).toBe(bridge.session);
    expect(context?.deadline).toBe(deadline);
    expect(context?.budgetTracker).toBe(budgetTracker);
    expect(context?.callId).toBe('toolu_5');
    expect(bridge.session.query(slice).all()).toEqual([{ n: 8 }]);
    expect(bridge.invoked()).toEqual([
      {
        type: 'toolInvoked',
        eventId: expect.any(String),
        createdAt: expect.any(String),
        adapter: 'claude_agent_sdk',
        sessionId: bridge.session.sessionId,
        promptName: 'tests:one',
        name: 't',
        params: {},
        result: expect.any(ToolResult),
        success: true,
        value: { n: 8 },
        renderedOutput: '{"n":8}',
        callId: 'toolu_5',
        durationMs: expect.any(Number),
        source: 'bridge',
      },
    ]);
  });

  const wrong = [
    { name: 'an unknown argument', args: { n: 1, m: 2 }, word: 'm' },
    { name: 'a text for a number', args: { n: '5' }, word: 'n' },
    { name: 'a missing argument', args: {}, word: 'n' },
  ];
  for (const { name, args, word } of wrong) {
    test(`${name} is a validation error, and the handler does not run`, async () => {
      let runs = 0;
      const tool = toolThat(
        () => {
          runs += 1;
          return ToolResult.ok('x');
        },
        { params: COUNT },
      );
      const { serve, invoked, logged } = makeBridge([tool]);
      const served = await serve('t', args);
      expect(served.isError).toBe(true);
      expect(textOf(served)).toMatch(/^Validation error:/);
      expect(textOf(served)).toContain(word);
      expect(runs).toBe(0);
      expect(invoked()).toEqual([expect.objectContaining({ success: false, params: args })]);
      expect(logged.at(-1)).toMatchObject({ level: 'warn', event: 'bridge.validation_error' });
    });
  }

  test('an asynchronous schema is awaited', async () => {
    const params = z.object({ n: z.number().refine(async (n) => n > 1, 'too small') });
    const { serve } = makeBridge([toolThat(() => ToolResult.ok('ran'), { params })]);
    expect(textOf(await serve('t', { n: 2 }))).toBe('ran');
    expect(textOf(await serve('t', { n: 1 }))).toMatch(/^Validation error: .*too small/);
  });

  test('a limit that is reached keeps the handler from running', async () => {
    const spent = new BudgetTracker(new Budget({ maxTotalTokens: 1 }));
    spent.record({ inputTokens: 1 });
    const tool = toolThat(() => {
      throw new Error('it ran');
    });
    const { serve, invoked } = makeBridge([tool], { budgetTracker: spent });
    expect(await serve('t')).toEqual({ content: [{ type: 'text', text: 'Token budget exhausted' }], isError: true });
    expect(invoked()).toHaveLength(1);
  });

  test('a handler that throws, or rejects, is an error of its own', async () => {
    const failures = [
      () => {
        throw new Error('odd');
      },
      () => Promise.reject(new Error('odd')),
      () => {
        throw 'odd';
      },
    ];
    for (const handler of failures) {
      const { serve, invoked } = makeBridge([toolThat(handler)]);
      expect(await serve('t')).toEqual({ content: [{ type: 'text', text: 'Error: odd' }], isError: true });
      expect(invoked()).toEqual([expect.objectContaining({ success: false, error: 'Error: odd', name: 't' })]);
    }
  });

  test('a request to open sections is kept aside and ends the turn; the model reads no error', async () => {
    const request = new VisibilityExpansionRequired({ a: 'full' }, 'need it', ['a']);
    const { serve, asked, invoked } = makeBridge([
      toolThat(() => {
        throw request;
      }),
    ]);
    const served = await serve('t');
    expect(served.isError).toBe(false);
    expect(asked).toEqual([request, 'stop']);
    expect(invoked()).toHaveLength(1);
  });

  test('an end of the evaluation reaches the handler, which is not waited for', async () => {
    const controller = new AbortController();
    const started = createDeferred<ToolContext>();
    const tool = toolThat((_, { context }) => {
      started.resolve(context);
      return new Promise(() => {});
    });
    const { serve, invoked } = makeBridge([tool], { signal: controller.signal });
    const served = serve('t');
    const { signal } = await started.promise;
    expect(signal.aborted).toBe(false);
    controller.abort();
    expect(signal.aborted).toBe(true);
    expect(await served).toMatchObject({ isError: true });
    expect(invoked()).toHaveLength(1);
    const late = await serve('t');
    expect(textOf(late)).toBe('Error: the evaluation has ended');
  });

  test('a call that the CLI cancels reaches its handler, and only its own', async () => {
    const controller = new AbortController();
    const contexts: ToolContext[] = [];
    const release = createDeferred<ToolResult>();
    const tool = toolThat((_, { context }) => {
      contexts.push(context);
      return release.promise;
    });
    const { serve } = makeBridge([tool]);
    const cancelled = serve('t', {}, { signal: controller.signal });
    const other = serve('t');
    await Promise.resolve();
    controller.abort();
    expect(await cancelled).toMatchObject({ isError: true });
    expect(contexts.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    release.resolve(ToolResult.ok('done'));
    expect(textOf(await other)).toBe('done');
  });

  test('a bus that throws takes the answer away from nobody', async () => {
    class Broken extends InProcessEventBus {
      override publish(): never {
        throw new Error('bus');
      }
    }
    const session = new Session({ bus: new Broken() });
    const { serve, logged } = makeBridge([giving(ToolResult.ok('done'))], { session });
    expect(textOf(await serve('t'))).toBe('done');
    expect(logged.at(-1)).toMatchObject({ level: 'error', event: 'event_delivery_failed' });
  });
});

describe('the id of a call', () => {
  const tool = giving(ToolResult.ok('done'));

  test('is that of the request; the one that waited for it is given to no other', async () => {
    const { serve, pre, invoked } = makeBridge([tool]);
    await pre('mcp__wink__t', {}, { tool_use_id: 'toolu_1' });
    await pre('mcp__wink__t', {}, { tool_use_id: 'toolu_2' });
    await serve('t', {}, { meta: { 'claudecode/toolUseId': 'toolu_1' } });
    await serve('t');
    await serve('t', {}, { meta: { 'claudecode/toolUseId': 5 } });
    expect(invoked().map(({ callId }) => callId)).toEqual(['toolu_1', 'toolu_2', undefined]);
  });

  test('is the oldest of those that PreToolUse saw for an equal call', async () => {
    const { serve, pre, invoked } = makeBridge([toolThat(() => ToolResult.ok('x'), { params: COUNT })]);
    await pre('mcp__wink__t', { n: 1 }, { tool_use_id: 'toolu_1' });
    await pre('mcp__wink__t', { n: 2 }, { tool_use_id: 'toolu_2' });
    await pre('mcp__wink__t', { n: 2 }, { tool_use_id: 'toolu_3' });
    await serve('t', { n: 2 });
    await serve('t', { n: 1 });
    await serve('t', { n: 2 });
    expect(invoked().map(({ callId }) => callId)).toEqual(['toolu_2', 'toolu_1', 'toolu_3']);
  });
});
