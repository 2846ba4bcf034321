import { describe, expect, test } from 'vitest';
import {
  EvaluationAbortedError,
  PromptEvaluationError,
  ThrottleError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { SDKMessage } from '../../../src/index.js';
import { ASKED, addTool, askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { ManualClock } from '../support/manual-clock.js';
import { play } from '../support/play.js';
import { promptWith } from './prompt-with.js';

const interrupt = { type: 'control_request', request: { subtype: 'interrupt' } };

describe('a run that goes well', () => {
  test('one user frame, nothing but control frames before it, and the text comes back (AD-112, AD-117)', async () => {
    await using stage = play(
      ({ prompt, init, assistantText, result }) => [
        prompt(ASKED),
        init(),
        assistantText('Said before.'),
        result('Four.'),
      ],
      { recordings: ['hello'] },
    );
    const session = new Session();
    const adapter = new ClaudeAgentAdapter({ ...stage.machine });
    const response = await adapter.evaluate(askPrompt({ name: 'adder' }), { session });
    expect(response.text).toBe('Four.');
    expect(response.output).toBeNull();
    expect(stage.sent.userMessages).toEqual([
      {
        type: 'user',
        message: { role: 'user', content: ASKED },
        parent_tool_use_id: null,
        session_id: 'adder',
        client_composed: true,
      },
    ]);
    const types = stage.sent.frames.map(({ type }) => type);
    const before = types.slice(0, types.indexOf('user'));
    expect(new Set(before)).toEqual(new Set(['control_request']));
  });

  test('one promptExecuted with everything that is known (AD-063)', async () => {
    await using stage = play(
      ({ prompt, init, assistantText, result }) => [
        prompt(),
        init(),
        assistantText('Four.'),
        result('{"sum":4}', {
          ...{ num_turns: 3, duration_api_ms: 17, total_cost_usd: 0.25 },
          structured_output: { sum: 4 },
        }),
      ],
      { recordings: ['hello', 'structured-output'], sessionId: '5e551000-0000-4000-8000-0000000000aa' },
    );
    const session = new Session();
    const clock = new ManualClock();
    const output = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
    const response = await new ClaudeAgentAdapter({ ...stage.machine, clock }).evaluate(promptWith([], output), {
      session,
      onMessage: ({ type }) => type === 'assistant' && clock.advance(1_234),
    });
    expect(typesOf(session)).toEqual(['promptRendered', 'promptExecuted']);
    expect(eventsOf(session)[1]).toMatchObject({
      adapter: 'claude_agent_sdk',
      sessionId: session.sessionId,
      promptName: 'test:process',
      promptNs: 'test',
      promptKey: 'process',
      text: '{"sum":4}',
      output: { sum: 4 },
      usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0 },
      durationMs: 1_234,
      durationApiMs: 17,
      totalCostUsd: 0.25,
      numTurns: 3,
      stopReason: 'end_turn',
      cliSessionId: '5e551000-0000-4000-8000-0000000000aa',
    });
    expect((eventsOf(session)[1] as { result?: unknown }).result).toBe(response);
    expect(response.report).toMatchObject({ outcome: { status: 'completed' }, promptName: 'test:process' });
  });

  test('promptRendered comes once, before the process gets any input (AD-061)', async () => {
    await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
    const session = new Session();
    const started: number[] = [];
    const bus = session.bus.publish.bind(session.bus);
    session.bus.publish = (event) => {
      started.push(stage.runs.length);
      return bus(event);
    };
    await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt({ tools: [addTool] }), { session });
    expect(typesOf(session)).toEqual(['promptRendered', 'promptExecuted']);
    expect(started[0]).toBe(0);
    expect(eventsOf(session)[0]).toMatchObject({
      promptName: null,
      renderedPrompt: ASKED,
      tools: [{ name: 'add', description: 'Adds two numbers.', inputSchema: { type: 'object', required: ['a', 'b'] } }],
    });
  });

  test('a hook request after the first assistant message gets its reply (AD-113)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'echo one' }),
        hook('PreToolUse', {}, { expect: {} }),
        toolResult('one'),
        result('Done.'),
      ],
      { recordings: ['hook-pretool-allow', 'hello'] },
    );
    const session = new Session();
    const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
    expect(response.text).toBe('Done.');
    expect(stage.sent.hookOutputs).toMatchObject([{ event: 'PreToolUse', output: {} }]);
  });

  test('after the result the input ends, and the process leaves by itself (AD-114)', async () => {
    await using stage = play(({ turn }) => turn('Done.'), { recordings: ['hello'] });
    const session = new Session();
    await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
    expect(stage.runs).toMatchObject([{ sawEndOfInput: true, exitCode: 0, signals: [] }]);
  });

  test('the last assistant message stands in for a result without a text (AD-118)', async () => {
    await using stage = play(
      ({ prompt, init, assistantText, result }) => [
        prompt(),
        init(),
        assistantText('Not this.'),
        // One message of the model, a frame for each of its blocks.
        ...['The answer:\n', '\n42.'].map((text) => {
          const frame = assistantText(text);
          return { ...frame, message: { ...frame.message, id: 'msg_last' } };
        }),
        assistantText('Nor this of a sub-agent.', { parent_tool_use_id: 'toolu_1' }),
        result(''),
      ],
      { recordings: ['hello'] },
    );
    const session = new Session();
    const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), { session });
    expect(response.text).toBe('The answer:\n\n42.');
  });

  test('stream events reach onMessage in order, before the promise settles (AD-111)', async () => {
    await using stage = play(
      ({ prompt, init, partialText, assistantText, result }) => [
        prompt(),
        init(),
        partialText(['Fo', 'ur.']),
        assistantText('Four.'),
        result('Four.'),
      ],
      { recordings: ['partial-messages'] },
    );
    const session = new Session();
    const seen: SDKMessage[] = [];
    const adapter = new ClaudeAgentAdapter({
      ...stage.machine,
      clientConfig: { ...stage.machine.clientConfig, includePartialMessages: true },
    });
    const exits: unknown[] = [];
    await adapter.evaluate(askPrompt(), {
      session,
      onMessage: (message) => {
        seen.push(message);
        // The process still waits for its input to end.
        if (message.type !== 'result') exits.push(stage.runs[0]?.exitCode);
      },
    });
    expect(new Set(exits)).toEqual(new Set([undefined]));
    expect(seen.map(({ type }) => type)).toEqual([
      ...['system', ...Array.from({ length: 7 }, () => 'stream_event'), 'assistant', 'result'],
    ]);
    const deltas = seen.flatMap((message) =>
      message.type === 'stream_event' && message.event.type === 'content_block_delta' ? [message.event.delta] : [],
    );
    expect(deltas).toMatchObject([{ text: 'Fo' }, { text: 'ur.' }]);
    expect(stage.sent.argv[0]).toContain('--include-partial-messages');
  });

  test('what onMessage throws is logged and stops nothing', async () => {
    await using stage = play(({ turn }) => turn('Four.'), { recordings: ['hello'] });
    const errors: unknown[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (message: string) => void errors.push(message),
    };
    const adapter = new ClaudeAgentAdapter({ ...stage.machine, logger });
    const response = await adapter.evaluate(askPrompt(), {
      session: new Session(),
      onMessage: (message) => {
        if (message.type === 'result') throw new Error('mine');
        return Promise.reject(new Error('late')) as never;
      },
    });
    expect(response.text).toBe('Four.');
    expect(new Set(errors)).toEqual(new Set(['claude_agent_sdk.event_delivery_failed']));
    expect(errors).toHaveLength(3);
  });

  test('`resume` reaches the CLI, and the id it reports comes back (AD-130)', async () => {
    const [old, now] = ['5e551000-0000-4000-8000-00000000000a', '5e551000-0000-4000-8000-00000000000b'];
    await using stage = play(({ process, turn }) => [process({ argv: { '--resume': old } }), turn('Again.')], {
      recordings: ['resume'],
      sessionId: now,
    });
    const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
      session: new Session(),
      resume: old,
    });
    expect(response.cliSessionId).toBe(now);
  });

  test.each([
    ['killed', [{ kill: 'SIGKILL' }], PromptEvaluationError],
    ['interrupted', [{ in: interrupt, answer: {} }, { exit: 0 }], EvaluationAbortedError],
  ] as const)(
    'a session that was %s in a tool call gives one good result when it is resumed (AD-387)',
    async (_, end, failure) => {
      const id = '5e551000-0000-4000-8000-00000000000a';
      await using stage = play(
        ({ process, prompt, init, toolUse, turn }) => [
          process(),
          prompt(),
          init(),
          toolUse('Bash', { command: 'sleep 60' }),
          ...end,
          process({ argv: { '--resume': id } }),
          turn('Second.'),
        ],
        { recordings: ['resume-after-kill'], sessionId: id },
      );
      const session = new Session();
      const adapter = new ClaudeAgentAdapter({ ...stage.machine });
      const caller = new AbortController();
      const failed: unknown = await adapter
        .evaluate(askPrompt(), {
          session,
          signal: caller.signal,
          onMessage: ({ type }) => {
            if (type === 'assistant' && failure === EvaluationAbortedError) caller.abort();
          },
        })
        .catch((error) => error);
      expect(failed).toBeInstanceOf(failure);
      const results: unknown[] = [];
      const response = await adapter.evaluate(askPrompt({ template: 'Go on.' }), {
        session,
        resume: (failed as PromptEvaluationError).partial?.cliSessionId,
        onMessage: (message) => {
          if (message.type === 'result') results.push(message);
        },
      });
      expect(results).toHaveLength(1);
      expect(response.text).toBe('Second.');
    },
  );

  test('a background task goes on after the first result, and the result of its turn counts', async () => {
    await using stage = play(
      ({ turn, init, assistantText, result, endOfInput }) => [
        turn('Started in the background.'),
        endOfInput(),
        init(),
        assistantText('The background task finished.'),
        result(),
        { exit: 0 },
      ],
      { recordings: ['bash-background-eof'] },
    );
    const response = await new ClaudeAgentAdapter({ ...stage.machine }).evaluate(askPrompt(), {
      session: new Session(),
    });
    expect(response.text).toBe('The background task finished.');
  });
});

describe('a run that fails', () => {
  test('the stream ends without a result (AD-116)', async () => {
    await using stage = play(
      ({ prompt, init, assistantText, exit }) => [prompt(), init(), assistantText('So far.'), exit(0)],
      { recordings: ['hello'] },
    );
    const session = new Session();
    const error: unknown = await new ClaudeAgentAdapter({ ...stage.machine })
      .evaluate(askPrompt(), { session })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({
      phase: 'response',
      partial: { text: 'So far.', usage: { inputTokens: 10 } },
      report: { outcome: { status: 'failed' } },
    });
    expect(typesOf(session)).toEqual(['promptRendered']);
  });

  test('no executable is a request error with a way to install it (AD-292)', async () => {
    await using stage = play([], { recordings: 'none', why: 'nothing is started', neverStarted: true });
    const adapter = new ClaudeAgentAdapter({
      ...stage.machine,
      clientConfig: { pathToClaudeCodeExecutable: '/nowhere/claude' },
    });
    const error: unknown = await adapter.evaluate(askPrompt(), { session: new Session() }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).not.toBeInstanceOf(ThrottleError);
    expect(error).toMatchObject({
      phase: 'request',
      message: expect.stringMatching(
        /at \/nowhere\/claude\..*`npm install .*`, or give its path: `pathToClaudeCodeExecutable`/s,
      ),
      partial: undefined,
    });
  });

  test.each([
    [3, 'AD-294'],
    [1, 'AD-108'],
  ])('an exit with %d, and what was said on stderr (%s)', async (code) => {
    await using stage = play(
      ({ prompt, init, stderr, exit }) => [prompt(), init(), stderr('first\nit broke\nlast ü\n'), exit(code)],
      { recordings: ['hello'] },
    );
    const error: unknown = await new ClaudeAgentAdapter({ ...stage.machine })
      .evaluate(askPrompt(), { session: new Session() })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({
      phase: 'request',
      providerPayload: { exitCode: code, stderr: 'first\nit broke\nlast ü' },
    });
  });
});
