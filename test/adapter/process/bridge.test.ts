import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { EvaluationAbortedError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import { type Clock, systemClock } from '../../../src/adapter/limits/clock.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import type { ToolContext } from '../../../src/adapter/prompt/prompt-types.js';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { ToolResult } from '../../../src/adapter/prompt/tool-result.js';
import { ToolInvoked } from '../../../src/adapter/state/events.js';
import { defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ToolPermissions } from '../../../src/adapter/state/slices.js';
import type { Frames, ScriptItem } from '../../../src/testing/index.js';
import { createDeferred } from '../../../src/util/deferred.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { play } from '../support/play.js';
import { promptWith } from './prompt-with.js';

const RECORDED = ['mcp-sdk', 'mcp-sdk-parallel', 'mcp-always-load', 'hooks-main-four'];

const adding = (more: { handler?: Tool<unknown>['handler'] } = {}) =>
  new Tool({
    name: 'lookup',
    description: 'Looks a number up',
    params: z.object({ n: z.number() }),
    handler: ({ n }) => ToolResult.ok('found', { sum: n + 1 }),
    ...more,
  });

/** One `tools/call` as the recordings have it; the answer is awaited apart, with {@link answered}. */
function call(id: string, args: JsonObject, meta?: JsonObject): ScriptItem {
  const params = { name: 'lookup', arguments: args, ...(meta && { _meta: meta }) };
  return ask(id, { method: 'tools/call', params, jsonrpc: '2.0', id });
}

const answered = (id: string): ScriptItem =>
  ({ in: { type: 'control_response', response: { request_id: id, subtype: 'success' } } }) as never;

const ask = (id: string, message: JsonObject): ScriptItem =>
  ({
    type: 'control_request',
    request_id: id,
    request: { subtype: 'mcp_message', server_name: 'wink', message },
  }) as never;

/** A turn in which the model calls the tool once; `_meta` names the call unless told otherwise. */
function oneCall(
  { prompt, init, toolUse, toolResult, result }: Frames,
  args: JsonObject,
  { meta = { 'claudecode/toolUseId': 'toolu_9' } }: { meta?: JsonObject } = {},
): ScriptItem {
  return [
    prompt(),
    init(),
    toolUse('mcp__wink__lookup', { ...args }, { toolUseId: 'toolu_9' }),
    call('c1', args, meta),
    answered('c1'),
    toolResult('what the tool said'),
    result('Done.'),
  ];
}

/** Answers to JSON-RPC messages, by the id of the control request. */
function rpcAnswers(frames: readonly JsonObject[]): Map<string, JsonObject> {
  const answers = new Map<string, JsonObject>();
  for (const { response } of frames) {
    if (!isJsonObject(response) || !isJsonObject(response.response)) continue;
    const answer = response.response.mcp_response;
    if (isJsonObject(answer)) answers.set(String(response.request_id), answer);
  }
  return answers;
}

describe('the server as the CLI sees it', () => {
  const listing = (frames: Frames): ScriptItem => [
    ask('i', {
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} },
      jsonrpc: '2.0',
      id: 0,
    }),
    answered('i'),
    ask('l', { method: 'tools/list', jsonrpc: '2.0', id: 1 }),
    answered('l'),
    frames.turn('Done.'),
  ];

  test('it is `wink` 1.0.0 and lists the tool that has a handler, no other (AD-173)', async () => {
    await using stage = play(listing, { recordings: RECORDED });
    const described = new Tool({ name: 'described', description: 'Only described' });
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([described, adding()]), { session: new Session() });
    const answers = rpcAnswers(stage.sent.frames);
    expect(answers.get('i')?.result).toMatchObject({ serverInfo: { name: 'wink', version: '1.0.0' } });
    const listed = {
      tools: [
        {
          name: 'lookup',
          description: 'Looks a number up',
          inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        },
      ],
    };
    expect(answers.get('l')?.result).toMatchObject(listed);
    // What is sent ahead is left out when it is not ready in time: a busy machine must not fail this.
    expect(stage.sent.initialize).toMatchObject([{ sdkMcpServers: ['wink'] }]);
  });

  test('every tool is listed as one to be loaded always (AD-383)', async () => {
    await using stage = play(listing, { recordings: RECORDED });
    const other = new Tool({ name: 'other', description: 'Another one', handler: () => ToolResult.ok('x') });
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([adding(), other]), { session: new Session() });
    const listed = {
      tools: [
        { name: 'lookup', _meta: { 'anthropic/alwaysLoad': true } },
        { name: 'other', _meta: { 'anthropic/alwaysLoad': true } },
      ],
    };
    expect(rpcAnswers(stage.sent.frames).get('l')?.result).toMatchObject(listed);
  });

  test('without a tool that has a handler there is no server (AD-174)', async () => {
    await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
    const described = new Tool({ name: 'described', description: 'Only described' });
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([described]), { session: new Session() });
    expect(stage.sent.initialize[0]).not.toHaveProperty('sdkMcpServers');
    expect(stage.sent.argv[0]?.join(' ')).not.toContain('mcp');
  });

  test('the model’s name for `lookup` is mcp__wink__lookup (AD-175)', async () => {
    await using stage = play(
      (frames) => {
        const { prompt, init, toolUse, hook, toolResult, result } = frames;
        return [
          prompt(),
          init(),
          toolUse('mcp__wink__lookup', { n: 1 }),
          hook('PreToolUse'),
          call('c1', { n: 1 }),
          answered('c1'),
          hook('PostToolUse', { tool_response: 'found' }),
          toolResult('found'),
          result('Done.'),
        ];
      },
      { recordings: RECORDED },
    );
    const session = new Session();
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([adding()]), { session });
    expect(stage.sent.argv[0]).toContain('--allowedTools=mcp__wink__lookup');
    expect(stage.sent.toolResults).toMatchObject([{ server: 'wink', tool: 'lookup' }]);
    // The hooks knew it under that name, and left the report to the bridge.
    expect(session.query(ToolInvoked).all()).toMatchObject([
      { name: 'lookup', source: 'bridge', callId: expect.stringMatching(/^toolu_/) },
    ]);
  });

  test('an unknown method is -32601, a request that cannot be carried out -32603 (AD-196)', async () => {
    await using stage = play(
      (frames) => [
        ask('u', { method: 'resources/teleport', jsonrpc: '2.0', id: 1 }),
        answered('u'),
        ask('x', { method: 'tools/call', params: { name: 5 }, jsonrpc: '2.0', id: 2 }),
        answered('x'),
        frames.turn('Done.'),
      ],
      { recordings: 'none', why: 'the CLI only sends methods that there are' },
    );
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([adding()]), { session: new Session() });
    const answers = rpcAnswers(stage.sent.frames);
    expect(answers.get('u')).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(answers.get('x')).toMatchObject({ id: 2, error: { code: -32603 } });
  });
});

describe('a call', () => {
  test('the handler gets parsed arguments and the whole context (AD-178)', async () => {
    await using stage = play((frames) => oneCall(frames, { n: 4, day: '2026-11-22' }), { recordings: RECORDED });
    const calls: { params: unknown; context: ToolContext }[] = [];
    const tool = new Tool({
      name: 'lookup',
      description: 'Looks a number up',
      params: z.object({ n: z.number(), day: z.string(), times: z.number().default(2) }),
      handler: (params, { context }) => {
        calls.push({ params, context });
        return ToolResult.ok('found', params.n * params.times);
      },
    });
    const prompt = promptWith([tool]);
    const session = new Session();
    const deadline = Deadline.fromNow(60_000);
    const budgetTracker = new BudgetTracker(new Budget({ maxTotalTokens: 1_000 }));
    const adapter = new ClaudeAgentAdapter(stage.machine);
    await adapter.evaluate(prompt, { session, deadline, budgetTracker });
    expect(calls).toHaveLength(1);
    const [{ params, context } = {}] = calls;
    expect(params).toEqual({ n: 4, day: '2026-11-22', times: 2 });
    expect(context?.prompt).toBe(prompt);
    expect(context?.renderedPrompt.text).toContain('Go.');
    expect(context?.adapter).toBe(adapter);
    expect(context?.session).toBe(session);
    expect(context?.deadline).toBe(deadline);
    expect(context?.budgetTracker).toBe(budgetTracker);
    expect(stage.sent.toolResults).toMatchObject([{ content: [{ type: 'text', text: '8' }], isError: false }]);
  });

  const wrong = [
    { title: 'an unknown argument (AD-179)', args: { n: 1, more: true }, word: 'more' },
    { title: 'a text where a number is declared (AD-180)', args: { n: '5' }, word: 'n' },
  ];
  for (const { title, args, word } of wrong) {
    test(`a validation error without a call of the handler: ${title}`, async () => {
      await using stage = play((frames) => oneCall(frames, args), { recordings: RECORDED });
      const tool = adding({
        handler: () => {
          throw new Error('it ran');
        },
      });
      const session = new Session();
      await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), { session });
      const [{ content, isError } = {}] = stage.sent.toolResults;
      expect(isError).toBe(true);
      expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^Validation error: /) }]);
      expect(JSON.stringify(content)).toContain(word);
      expect(JSON.stringify(content)).not.toContain('it ran');
      expect(session.query(ToolInvoked).all()).toMatchObject([{ success: false }]);
    });
  }

  test('a handler that throws is an error for the model, and the run goes on (AD-181)', async () => {
    await using stage = play((frames) => oneCall(frames, { n: 1 }), { recordings: RECORDED });
    const tool = adding({
      handler: () => {
        throw new Error('the shelf is empty');
      },
    });
    const session = new Session();
    const response = await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), { session });
    expect(response.text).toBe('Done.');
    expect(stage.sent.toolResults).toMatchObject([
      { isError: true, content: [{ type: 'text', text: 'Error: the shelf is empty' }] },
    ]);
    expect(session.query(ToolInvoked).all()).toMatchObject([
      { success: false, error: 'Error: the shelf is empty', source: 'bridge' },
    ]);
  });

  test('while a handler works, hooks are answered (AD-188)', async () => {
    const hookAnswered = createDeferred<void>();
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('mcp__wink__lookup', { n: 1 }),
        call('c1', { n: 1 }, { 'claudecode/toolUseId': 'toolu_1' }),
        toolUse('Bash', { command: 'echo hi' }),
        hook('PreToolUse'),
        hook('PostToolUse', { tool_response: { stdout: 'hi' } }),
        answered('c1'),
        toolResult('found'),
        result('Done.'),
      ],
      { recordings: RECORDED },
    );
    const tool = adding({
      handler: async () => {
        await hookAnswered.promise;
        return ToolResult.ok('found');
      },
    });
    const session = new Session();
    // The handler is done only after the hook: were the hook to wait for it, neither would ever be.
    session.bus.subscribe(ToolInvoked, ({ source }) => {
      if (source === 'native') hookAnswered.resolve();
    });
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), { session });
    expect(session.query(ToolInvoked).all()).toMatchObject([
      { name: 'Bash', source: 'native' },
      { name: 'lookup', source: 'bridge' },
    ]);
  });

  test('what a handler puts into a slice is seen by the next hook, and after the run (AD-194)', async () => {
    const Notes = defineSlice<{ text: string }>('Notes');
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'echo hi' }),
        hook('PreToolUse'),
        toolUse('mcp__wink__lookup', { n: 1 }),
        call('c1', { n: 1 }),
        answered('c1'),
        toolUse('Bash', { command: 'echo hi' }),
        hook('PreToolUse'),
        toolResult('denied', { isError: true }),
        result('Done.'),
      ],
      { recordings: [...RECORDED, 'hook-pretool-deny'] },
    );
    const tool = adding({
      handler: (_, { context: { session } }) => {
        session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
        session.mutate(Notes).append({ text: 'blocked' });
        return ToolResult.ok('found');
      },
    });
    const session = new Session();
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), { session });
    expect(stage.sent.hookOutputs.map(({ output }) => output)).toEqual([
      {},
      { hookSpecificOutput: expect.objectContaining({ permissionDecision: 'deny' }) },
    ]);
    expect(session.query(Notes).all()).toEqual([{ text: 'blocked' }]);
  });

  test('a deadline that passes after PreToolUse keeps the handler from running (AD-192)', async () => {
    let late = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + late };
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('mcp__wink__lookup', { n: 1 }),
        hook('PreToolUse'),
        toolUse('Bash', { command: 'sleep 61' }),
        hook('PostToolUse', { tool_response: { stdout: '' } }),
        call('c1', { n: 1 }),
        answered('c1'),
        toolResult('late', { isError: true }),
        result('Done.'),
      ],
      { recordings: RECORDED },
    );
    let runs = 0;
    const tool = adding({
      handler: () => {
        runs += 1;
        return ToolResult.ok('found');
      },
    });
    const session = new Session();
    session.bus.subscribe(ToolInvoked, ({ source }) => {
      if (source === 'native') late = 61_000;
    });
    await new ClaudeAgentAdapter({ ...stage.machine, clock }).evaluate(promptWith([tool]), {
      session,
      deadline: Deadline.fromNow(60_000, { clock }),
    });
    expect(stage.sent.hookOutputs[0]?.output).toEqual({});
    expect(stage.sent.toolResults).toMatchObject([
      { isError: true, content: [{ type: 'text', text: 'Deadline exceeded' }] },
    ]);
    expect(runs).toBe(0);
  });

  test('a handler hears when the evaluation is aborted (AD-195)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, expectRequest, errorResult, endOfInput }) => [
        prompt(),
        init(),
        toolUse('mcp__wink__lookup', { n: 1 }),
        call('c1', { n: 1 }, { 'claudecode/toolUseId': 'toolu_1' }),
        { inAny: [answered('c1'), expectRequest('interrupt')] } as never,
        errorResult('error_during_execution', ['interrupted'], { terminal_reason: 'aborted_tools' }),
        endOfInput(),
      ],
      { recordings: ['mcp-sdk-interrupt'] },
    );
    const controller = new AbortController();
    const heard = createDeferred<unknown>();
    const tool = adding({
      handler: (_, { context: { signal } }) => {
        signal.addEventListener('abort', () => heard.resolve(signal.reason), { once: true });
        expect(signal.aborted).toBe(false);
        controller.abort(new Error('enough'));
        return new Promise(() => {});
      },
    });
    const run = new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), {
      session: new Session(),
      signal: controller.signal,
    });
    await expect(run).rejects.toBeInstanceOf(EvaluationAbortedError);
    expect(await heard.promise).toEqual(new Error('enough'));
  });
});

describe('the id of a call', () => {
  /** Two calls with equal arguments, both under way before either is answered. */
  const parallel = (frames: Frames, metas: readonly (JsonObject | undefined)[]): ScriptItem => {
    const { prompt, init, toolUse, hook, toolResult, result } = frames;
    const ids = ['toolu_a', 'toolu_b'];
    return [
      prompt(),
      init(),
      ids.map((toolUseId) => [toolUse('mcp__wink__lookup', { n: 1 }, { toolUseId }), hook('PreToolUse')]),
      metas.map((meta, index) => call(`c${index}`, { n: 1 }, meta)),
      { inAny: metas.map((_, index) => answered(`c${index}`)) } as never,
      toolResult('found'),
      result('Done.'),
    ];
  };
  const idsOf = async (metas: readonly (JsonObject | undefined)[]) => {
    await using stage = play((frames) => parallel(frames, metas), { recordings: RECORDED });
    let under = 0;
    const both = createDeferred<void>();
    const tool = adding({
      handler: async () => {
        under += 1;
        if (under === 2) both.resolve();
        await both.promise;
        return ToolResult.ok('found');
      },
    });
    const session = new Session();
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([tool]), { session });
    return session
      .query(ToolInvoked)
      .all()
      .map(({ callId }) => callId);
  };
  const named = (id: string) => ({ 'claudecode/toolUseId': id, progressToken: 2 });

  test('of two equal calls at once each has its own (AD-189)', async () => {
    expect((await idsOf([named('toolu_b'), named('toolu_a')])).toSorted()).toEqual(['toolu_a', 'toolu_b']);
    expect((await idsOf([undefined, undefined])).toSorted()).toEqual(['toolu_a', 'toolu_b']);
  });

  test('it is the one that the request names (AD-190)', async () => {
    await using stage = play((frames) => oneCall(frames, { n: 1 }, { meta: named('toolu_other') }), {
      recordings: RECORDED,
    });
    const session = new Session();
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([adding()]), { session });
    expect(session.query(ToolInvoked).latest()?.callId).toBe('toolu_other');
  });

  test('a request that names none has the one that PreToolUse saw (AD-191)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('mcp__wink__lookup', { n: 2 }, { toolUseId: 'toolu_x' }),
        hook('PreToolUse'),
        toolUse('mcp__wink__lookup', { n: 1 }, { toolUseId: 'toolu_y' }),
        hook('PreToolUse'),
        call('c1', { n: 1 }),
        answered('c1'),
        call('c2', { n: 2 }),
        answered('c2'),
        toolResult('found'),
        result('Done.'),
      ],
      { recordings: RECORDED },
    );
    const session = new Session();
    await new ClaudeAgentAdapter(stage.machine).evaluate(promptWith([adding()]), { session });
    expect(
      session
        .query(ToolInvoked)
        .all()
        .map(({ callId }) => callId),
    ).toEqual(['toolu_y', 'toolu_x']);
  });
});
