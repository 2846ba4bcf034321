import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { AgentEvent } from '../../../src/adapter/agent/agent-event.js';
import type { AgentOptions } from '../../../src/adapter/agent/agent-types.js';
import { ClaudeCodeAdapter } from '../../../src/adapter/agent/claude-code-adapter.js';
import type { Script } from '../../../src/testing/index.js';
import { play, type Stage } from '../support/play.js';

function adapterOn(stage: Stage): ClaudeCodeAdapter {
  const { hostEnv, uid } = stage.machine;
  return new ClaudeCodeAdapter({ hostEnv, uid, pathToClaudeCodeExecutable: stage.path });
}

async function collect(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

/** The events of one run, played by a process. */
async function eventsOf(
  script: Script,
  recordings: Parameters<typeof play>[1],
  options?: AgentOptions,
): Promise<AgentEvent[]> {
  await using stage = play(script, recordings);
  // Awaited here: the stage goes with this scope.
  return await collect(adapterOn(stage).run('Go.', options));
}

const types = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);

/** Type and payload, to compare with. */
const bare = (events: readonly AgentEvent[]): readonly unknown[] =>
  events.map(({ type, payload }) => ({ type, payload }));

/** The process of the stage is gone from the process table. */
function isGone(stage: Stage): boolean {
  const pid = stage.runs[0]?.pid;
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('events', () => {
  test('`init` says model, directory and tools (AD-320)', async () => {
    const events = await eventsOf(
      ({ init, prompt, result }) => [
        prompt(),
        init({ model: 'model-1', cwd: '/somewhere', tools: ['Bash', 'Read'] }),
        result('ok'),
      ],
      { recordings: ['hello'] },
    );
    expect(events[0]).toMatchObject({
      type: 'init',
      payload: { model: 'model-1', cwd: '/somewhere', tools: ['Bash', 'Read'] },
    });
  });

  test('two `init` messages give one, and hook notices before it are namespaced (AD-321)', async () => {
    const events = await eventsOf(
      ({ init, prompt, result, systemMessage }) => [
        prompt(),
        systemMessage('hook_started', { hook_id: 'h', hook_name: 'SessionStart:startup', hook_event: 'SessionStart' }),
        systemMessage('hook_response', {
          hook_id: 'h',
          hook_name: 'SessionStart:startup',
          hook_event: 'SessionStart',
          output: '',
          stdout: '',
          stderr: '',
          exit_code: 0,
          outcome: 'success',
        }),
        init(),
        init(),
        result('ok'),
      ],
      { recordings: ['hook-command-no-flag', 'hook-events-frames'] },
    );
    expect(types(events)).toEqual(['claude-code:hook_started', 'claude-code:hook_response', 'init', 'done']);
    expect(events[0]).toHaveProperty('payload.hook_event', 'SessionStart');
  });

  test('text, a call with its description, text, in that order (AD-322, AD-323)', async () => {
    const events = await eventsOf(
      ({ assistantText, prompt, result, toolUse }) => [
        prompt(),
        assistantText('Before.'),
        toolUse('Bash', { command: 'ls', description: 'List files' }, { toolUseId: 'call-1' }),
        assistantText('After.'),
        result(),
      ],
      { recordings: ['partial-messages'] },
    );
    expect(bare(events).slice(0, 3)).toEqual([
      { type: 'text', payload: { content: 'Before.' } },
      {
        type: 'tool_use',
        payload: {
          toolName: 'Bash',
          toolUseId: 'call-1',
          input: { command: 'ls', description: 'List files' },
          description: 'List files',
        },
      },
      { type: 'text', payload: { content: 'After.' } },
    ]);
  });

  test('a tool result has name, status, structured output and duration (AD-324)', async () => {
    const events = await eventsOf(
      ({ prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Read', { file_path: 'b.txt' }, { toolUseId: 'call-0' }),
        toolUse('Bash', { command: 'ls' }, { toolUseId: 'call-1' }),
        toolResult('a.txt', { tool_use_result: { stdout: 'a.txt', stderr: '' } }),
        toolResult('of a call that was never seen', { toolUseId: 'call-9' }),
        result('ok'),
      ],
      { recordings: ['bash-allowed-tools'] },
    );
    const [, , toolResult, unknown] = events;
    expect(unknown?.payload).toMatchObject({ toolUseId: 'call-9', toolName: 'unknown' });
    expect(unknown?.payload).not.toHaveProperty('durationMs');
    expect(toolResult).toMatchObject({
      type: 'tool_result',
      payload: {
        toolUseId: 'call-1',
        toolName: 'Bash',
        status: 'success',
        output: { stdout: 'a.txt', stderr: '' },
        durationMs: expect.any(Number),
      },
    });
  });

  test('a flagged result is an error, one of a call that we denied is denied (AD-325)', async () => {
    const events = await eventsOf(
      ({ permission, prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'exit 3' }),
        toolResult('Exit code 3', { isError: true, tool_use_result: 'Error: Exit code 3' }),
        toolUse('Bash', { command: 'touch a' }),
        permission(undefined, undefined, { expect: 'deny' }),
        toolResult('no', { isError: true }),
        result('ok'),
      ],
      { recordings: ['tool-errors', 'can-use-tool-deny'] },
      { onPermissionRequest: () => 'deny' },
    );
    expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([
      { payload: { status: 'error', output: 'Error: Exit code 3' } },
      { payload: { status: 'denied', output: 'no' } },
    ]);
  });

  test('text deltas come in order, other stream events give nothing (AD-326)', async () => {
    const events = await eventsOf(
      ({ assistantText, partialText, prompt, result }) => [
        prompt(),
        partialText(['One', ' two', ' three']),
        assistantText('One two three'),
        result(),
      ],
      { recordings: ['partial-messages'] },
    );
    expect(bare(events).slice(0, -1)).toEqual([
      { type: 'text_delta', payload: { delta: 'One' } },
      { type: 'text_delta', payload: { delta: ' two' } },
      { type: 'text_delta', payload: { delta: ' three' } },
      { type: 'text', payload: { content: 'One two three' } },
    ]);
  });

  test('a thinking block is told, an empty one is not (AD-327)', async () => {
    const events = await eventsOf(
      ({ assistantThinking, prompt, result }) => [
        prompt(),
        assistantThinking(''),
        assistantThinking('Hm.'),
        result('ok'),
      ],
      { recordings: ['thinking-block'] },
    );
    expect(bare(events).slice(0, -1)).toEqual([{ type: 'thinking', payload: { summary: 'Hm.' } }]);
  });

  test('what a sub-agent says names the call that started it (AD-328)', async () => {
    const events = await eventsOf(
      ({ assistantText, prompt, result, toolUse }) => [
        prompt(),
        toolUse('Agent', { prompt: 'Count.' }, { toolUseId: 'agent-1' }),
        assistantText('Counting.', { parent_tool_use_id: 'agent-1' }),
        assistantText('Counted.'),
        result(),
      ],
      { recordings: ['subagent-foreground-forward'] },
    );
    expect(events.map(({ metadata }) => metadata)).toEqual([
      undefined,
      { parentToolUseId: 'agent-1' },
      undefined,
      undefined,
    ]);
  });

  test('a background task holds `done` back until its turn is over', async () => {
    const task = { task_id: 'task-1', tool_use_id: 'toolu_1' };
    const events = await eventsOf(
      ({ assistantText, init, prompt, result, systemMessage }) => [
        prompt(),
        init(),
        systemMessage('task_started', {
          ...task,
          description: 'Count',
          task_type: 'local_bash',
          is_backgrounded: true,
        }),
        result('Started.'),
        systemMessage('task_updated', { task_id: 'task-1', patch: { status: 'completed' } }),
        init(),
        assistantText('Finished.'),
        result(),
      ],
      { recordings: ['bash-background'] },
    );
    expect(types(events)).toEqual(['init', 'claude-code:task_started', 'claude-code:task_updated', 'text', 'done']);
    expect(events.at(-1)).toMatchObject({ payload: { status: 'success', result: 'Finished.' } });
  });

  test('a message of an unknown type is namespaced, and the run goes on (AD-341)', async () => {
    const events = await eventsOf(
      ({ assistantText, prompt, result, sessionId }) => [
        prompt(),
        { type: 'brand_new', session_id: sessionId, uuid: 'u', detail: [1] },
        assistantText('On.'),
        result(),
      ],
      { recordings: 'none', why: 'it stands for a newer CLI than any that was recorded' },
    );
    expect(types(events)).toEqual(['claude-code:brand_new', 'text', 'done']);
    expect(events[0]).toHaveProperty('payload.detail', [1]);
  });
});

describe('the end', () => {
  test('a good result gives `done` with counts, calls, cost, text and duration (AD-329)', async () => {
    const events = await eventsOf(
      ({ prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'ls' }),
        toolResult('a.txt'),
        toolUse('Read', { file_path: 'a.txt' }),
        toolResult('a'),
        result('Two calls.', { duration_ms: 123, total_cost_usd: 0.25 }),
      ],
      { recordings: ['bash-allowed-tools', 'parallel-tools'] },
    );
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      payload: {
        status: 'success',
        result: 'Two calls.',
        durationMs: 123,
        usage: { inputTokens: 10, outputTokens: 5, toolUses: 2, totalCostUsd: 0.25, reported: true },
      },
    });
  });

  test('the two limits have their own status (AD-330)', async () => {
    const statusOf = async (script: Script, recording: string): Promise<unknown> => {
      const events = await eventsOf(script, { recordings: [recording] });
      expect(types(events)).toEqual(['init', 'done']);
      return events.at(-1)?.payload;
    };
    expect(
      await statusOf(
        ({ errorResult, init, prompt }) => [
          prompt(),
          init(),
          errorResult('error_max_turns', ['too many'], { terminal_reason: 'max_turns' }),
        ],
        'max-turns',
      ),
    ).toMatchObject({ status: 'max_turns', result: 'too many' });
    expect(
      await statusOf(
        ({ errorResult, init, prompt }) => [
          prompt(),
          init(),
          errorResult('error_max_budget_usd', ['too dear'], { terminal_reason: 'budget_exhausted' }),
        ],
        'max-budget',
      ),
    ).toMatchObject({ status: 'max_budget', result: 'too dear' });
  });

  test('another limit of the CLI is none of the two (AD-330)', async () => {
    const events = await eventsOf(({ outcome, prompt }) => [prompt(), outcome.structuredOutputFailed()], {
      recordings: ['structured-output-failure'],
    });
    expect(events.at(-1)?.payload).toMatchObject({ status: 'error' });
  });

  test('error_during_execution gives `error`, then `done` with the texts (AD-331)', async () => {
    const events = await eventsOf(
      ({ errorResult, exit, prompt }) => [
        prompt(),
        errorResult('error_during_execution', ['one', 'two'], { terminal_reason: 'aborted_tools' }),
        exit(1),
      ],
      { recordings: ['interrupt-bash'] },
    );
    expect(bare(events)).toMatchObject([
      { type: 'error', payload: { code: 'error_during_execution', message: 'one\ntwo', recoverable: false } },
      { type: 'done', payload: { status: 'error', result: 'one\ntwo' } },
    ]);
  });

  test('a `success` that is flagged as an error is one (AD-332)', async () => {
    const events = await eventsOf(({ outcome, prompt }) => [prompt(), outcome.auth({ message: 'Invalid API key' })], {
      recordings: ['api-403', 'api-401'],
    });
    expect(bare(events).slice(-2)).toMatchObject([
      { type: 'error', payload: { message: 'Invalid API key', recoverable: false } },
      { type: 'done', payload: { status: 'error', result: 'Invalid API key' } },
    ]);
  });

  test('a rate limit on the assistant message is recoverable (AD-333)', async () => {
    const events = await eventsOf(({ outcome, prompt }) => [prompt(), outcome.rateLimited({ message: 'Slow down' })], {
      recordings: ['api-429-no-header'],
    });
    expect(bare(events).slice(1, 2)).toEqual([
      { type: 'error', payload: { code: 'rate_limit', message: 'Slow down', recoverable: true } },
    ]);
    expect(types(events)).toEqual(['init', 'error', 'error', 'done']);
  });

  test('a stream without a result gives MISSING_RESULT (AD-334)', async () => {
    const events = await eventsOf(({ exit, init, prompt }) => [prompt(), init(), exit(0)], {
      recordings: ['sigint-streaming'],
    });
    expect(bare(events).slice(1)).toMatchObject([
      { type: 'error', payload: { code: 'MISSING_RESULT', recoverable: false } },
      { type: 'done', payload: { status: 'error', usage: { reported: false } } },
    ]);
  });

  test('a process that dies in the middle is an `error` with a code; nothing is thrown (AD-335)', async () => {
    const events = await eventsOf(
      ({ assistantText, faults, init, prompt }) => [
        prompt(),
        init(),
        assistantText('I will'),
        faults.crash({ signal: 'SIGKILL' }),
      ],
      { recordings: ['sigkill-bash', 'hello'] },
    );
    expect(bare(events).slice(2)).toMatchObject([
      { type: 'error', payload: { code: 'process_killed_by_signal', recoverable: false } },
      { type: 'done', payload: { status: 'error' } },
    ]);
  });

  test('the session id is made up until the CLI says its own (AD-338)', async () => {
    const events = await eventsOf(
      ({ init, prompt, result }) => [
        prompt(),
        { type: 'early_notice' },
        init({ session_id: '11111111-1111-4111-8111-111111111111' }),
        result('ok', { session_id: '11111111-1111-4111-8111-111111111111' }),
      ],
      { recordings: 'none', why: 'every recorded message carries a session id' },
    );
    const [notice, init, done] = events;
    expect(notice?.sessionId).toMatch(/^[\da-f]{8}-/);
    expect(notice?.sessionId).not.toBe(init?.sessionId);
    expect([init?.sessionId, done?.sessionId]).toEqual([
      '11111111-1111-4111-8111-111111111111',
      '11111111-1111-4111-8111-111111111111',
    ]);
    expect(done).toHaveProperty('payload.resumeToken', '11111111-1111-4111-8111-111111111111');
  });

  test('a result without counters reports nothing (AD-339)', async () => {
    const events = await eventsOf(
      ({ prompt, sessionId }) => [
        prompt(),
        { type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: sessionId, uuid: 'u' },
      ],
      { recordings: 'none', why: 'every recorded result has counters' },
    );
    expect(events.at(-1)).toMatchObject({
      payload: { usage: { reported: false, inputTokens: 0, outputTokens: 0, toolUses: 0 } },
    });
  });

  test('token counts are the sums of the per-model table (AD-340)', async () => {
    const model = (inputTokens: number, outputTokens: number, costUSD: number) => ({
      inputTokens,
      outputTokens,
      cacheReadInputTokens: 1,
      cacheCreationInputTokens: 2,
      webSearchRequests: 0,
      costUSD,
      contextWindow: 1,
      maxOutputTokens: 1,
    });
    const events = await eventsOf(
      ({ prompt, result }) => [
        prompt(),
        result('ok', { modelUsage: { big: model(100, 10, 0.5), small: model(20, 3, 0.1) } }),
      ],
      { recordings: ['hello'] },
    );
    expect(events.at(-1)).toHaveProperty('payload.usage', {
      inputTokens: 120,
      outputTokens: 13,
      cacheReadTokens: 2,
      cacheWriteTokens: 4,
      toolUses: 0,
      totalCostUsd: 0.001,
      reported: true,
      byModel: {
        big: { inputTokens: 100, outputTokens: 10, cacheReadTokens: 1, cacheWriteTokens: 2, costUsd: 0.5 },
        small: { inputTokens: 20, outputTokens: 3, cacheReadTokens: 1, cacheWriteTokens: 2, costUsd: 0.1 },
      },
    });
  });

  test.each<{ name: string; script: Script; recordings: readonly string[]; status: string }>([
    { name: 'completes', script: ({ turn }) => turn('ok'), recordings: ['hello'], status: 'success' },
    {
      name: 'meets an overload',
      script: ({ outcome, prompt }) => [prompt(), outcome.overloaded({ retries: 2, retryDelayMs: 1 })],
      recordings: ['api-529-exhausted'],
      status: 'error',
    },
    {
      name: 'takes too many turns',
      script: ({ outcome, prompt }) => [prompt(), outcome.maxTurns()],
      recordings: ['max-turns'],
      status: 'max_turns',
    },
    {
      name: 'does not start',
      script: ({ faults }) => faults.refuse('error: unknown option'),
      recordings: ['bad-flag'],
      status: 'error',
    },
    {
      name: 'crashes',
      script: ({ faults, init, prompt }) => [prompt(), init(), faults.crash({ exitCode: 137 })],
      recordings: ['sigkill-bash'],
      status: 'error',
    },
    {
      name: 'breaks off in the middle of a frame',
      script: ({ faults, init, prompt }) => [prompt(), faults.cut(init())],
      recordings: ['hello'],
      status: 'error',
    },
    {
      name: 'sends garbage and goes on',
      script: ({ faults, prompt, result }) => [prompt(), faults.garbage(), result('ok')],
      recordings: ['hello'],
      status: 'success',
    },
  ])('a run that $name has exactly one `done`, last (AD-318)', async ({ script, recordings, status }) => {
    const events = await eventsOf(script, { recordings });
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'done', payload: { status } });
  });
});

test('the script of the example has recorded shapes, and plays to its end', async () => {
  const file = new URL('../../../examples/scripts/adapter/agent.mjs', import.meta.url);
  const { default: script, recordings } = (await import(file.href)) as {
    readonly default: Script;
    readonly recordings: readonly string[];
  };
  await using stage = play(script, { recordings });
  const events = await collect(
    adapterOn(stage).run('The build folder.', {
      permissions: { shellExecute: 'ask' },
      onPermissionRequest: ({ input }) => (input.command === 'ls' ? 'allow' : 'deny'),
    }),
  );
  expect(events.at(-1)).toMatchObject({ type: 'done', payload: { status: 'success' } });
});

describe('lifecycle', () => {
  const unhandled: unknown[] = [];
  process.on('unhandledRejection', (reason) => unhandled.push(reason));

  test('leaving the loop after `init` ends the process (AD-316)', async () => {
    await using stage = play(({ faults, init, prompt }) => [prompt(), init(), faults.stall()], {
      recordings: ['official-sdk-close'],
    });
    for await (const event of adapterOn(stage).run('Go.')) if (event.type === 'init') break;
    expect(isGone(stage)).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test('an abort in the middle ends with `done` `interrupted`, and the process (AD-336)', async () => {
    await using stage = play(
      ({ assistantText, faults, init, prompt }) => [prompt(), init(), assistantText('I will'), faults.stall()],
      { recordings: ['official-sdk-abort', 'hello'] },
    );
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of adapterOn(stage).run('Go.', { abortSignal: controller.signal })) {
      events.push(event);
      if (event.type === 'text') controller.abort();
    }
    expect(types(events)).toEqual(['init', 'text', 'done']);
    expect(events.at(-1)).toMatchObject({ payload: { status: 'interrupted' } });
    expect(isGone(stage)).toBe(true);
  });

  test('of two runs on one adapter none sees an event of the other (AD-317)', async () => {
    const script =
      (text: string): Script =>
      ({ assistantText, init, prompt, result, toolUse }) => [
        prompt(text),
        init(),
        toolUse('Read', { file_path: text }),
        assistantText(text),
        result(text),
      ];
    const one = { recordings: ['parallel-tools'], sessionId: '11111111-1111-4111-8111-111111111111' };
    const two = { recordings: ['parallel-tools'], sessionId: '22222222-2222-4222-8222-222222222222' };
    await using first = play(script('first'), one);
    await using second = play(script('second'), two);
    const adapter = adapterOn(first);
    const path = second.path;
    if (path === undefined) throw new Error('no path');
    const [firsts, seconds] = await Promise.all([
      collect(adapter.run('first')),
      collect(adapter.run('second', { pathToClaudeCodeExecutable: path })),
    ]);
    for (const [events, name, { sessionId }] of [
      [firsts, 'first', one],
      [seconds, 'second', two],
    ] as const) {
      expect(types(events)).toEqual(['init', 'tool_use', 'text', 'done']);
      expect(events.map((event) => event.sessionId)).toEqual(events.map(() => sessionId));
      expect(events.slice(1)).toMatchObject([
        { payload: { input: { file_path: name } } },
        { payload: { content: name } },
        { payload: { result: name, usage: { toolUses: 1 } } },
      ]);
    }
  });

  test('the CLI sees directory, model, limits and the session to resume (AD-360)', async () => {
    await using stage = play(({ turn }) => turn('ok'), { recordings: ['hello'] });
    const resume = '33333333-3333-4333-8333-333333333333';
    await collect(
      adapterOn(stage).run('Go.', { cwd: stage.tempRoot, model: 'model-1', maxTurns: 3, maxBudgetUsd: 1.5, resume }),
    );
    const [run] = stage.runs;
    const flag = (name: string): string | undefined => {
      const at = run?.argv.findIndex((arg) => arg === name || arg.startsWith(`${name}=`)) ?? -1;
      const arg = run?.argv[at];
      return arg?.includes('=') ? arg.slice(name.length + 1) : run?.argv[at + 1];
    };
    expect(run?.cwd).toBe(stage.tempRoot);
    expect({
      model: flag('--model'),
      turns: flag('--max-turns'),
      budget: flag('--max-budget-usd'),
      resume: flag('--resume'),
    }).toEqual({ model: 'model-1', turns: '3', budget: '1.5', resume });
  });

  test('the child does not know of an outer Claude Code (AD-363)', async () => {
    await using stage = play(({ turn }) => turn('ok'), { recordings: ['hello'] });
    const { hostEnv, uid } = stage.machine;
    const adapter = new ClaudeCodeAdapter({
      hostEnv: { ...hostEnv, CLAUDECODE: '1', KEPT: 'yes' },
      uid,
      pathToClaudeCodeExecutable: stage.path,
    });
    await collect(adapter.run('Go.'));
    const [env] = stage.sent.env;
    expect(env).toHaveProperty('KEPT', 'yes');
    expect(env).not.toHaveProperty('CLAUDECODE');
  });
});

describe('permissions', () => {
  const touch: Script = ({ permission, prompt, result, toolResult, toolUse }) => [
    prompt(),
    toolUse('Bash', { command: 'touch a' }, { toolUseId: 'call-1' }),
    permission(),
    toolResult('(Bash completed with no output)'),
    result('ok'),
  ];

  test('`ask` with a handler that approves: one `permission_request`, then the tool runs (AD-353)', async () => {
    await using stage = play(touch, { recordings: ['can-use-tool-allow'] });
    const events = await collect(
      adapterOn(stage).run('Go.', { permissions: { fileWrite: 'deny' }, onPermissionRequest: () => 'allow' }),
    );
    expect(bare(events).slice(0, 3)).toMatchObject([
      { type: 'tool_use' },
      { type: 'permission_request', payload: { toolName: 'Bash', toolUseId: 'call-1', input: { command: 'touch a' } } },
      { type: 'tool_result', payload: { status: 'success' } },
    ]);
    expect(types(events).filter((type) => type === 'permission_request')).toHaveLength(1);
    expect(stage.sent.permissionAnswers).toMatchObject([
      { behavior: 'allow', answer: { updatedInput: { command: 'touch a' } } },
    ]);
  });

  test('`ask` without a handler: `permission_request`, a denial, `tool_result` `denied` (AD-354)', async () => {
    await using stage = play(touch, { recordings: ['can-use-tool-deny', 'can-use-tool-allow'] });
    const events = await collect(adapterOn(stage).run('Go.', { permissions: {} }));
    expect(bare(events).slice(0, 3)).toMatchObject([
      { type: 'tool_use' },
      { type: 'permission_request', payload: { toolUseId: 'call-1' } },
      { type: 'tool_result', payload: { status: 'denied' } },
    ]);
    expect(stage.sent.permissionAnswers).toMatchObject([
      { behavior: 'deny', answer: { message: expect.stringContaining('needs approval') } },
    ]);
  });

  test('`deny` holds by the hook where settings allow the tool and nobody asks (AD-356)', async () => {
    await using stage = play(
      ({ hook, prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'ls' }),
        hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'deny' } } }),
        toolResult('PreToolUse:Bash hook error: denied', { isError: true }),
        result('ok'),
      ],
      { recordings: ['hook-pretool-deny'] },
    );
    const events = await collect(adapterOn(stage).run('Go.', { permissions: { shellExecute: 'deny' } }));
    expect(stage.sent.hookOutputs).toMatchObject([
      {
        event: 'PreToolUse',
        output: {
          hookSpecificOutput: {
            permissionDecision: 'deny',
            permissionDecisionReason: expect.stringContaining('shellExecute'),
          },
        },
      },
    ]);
    expect(stage.sent.initialize).toMatchObject([{ hooks: { PreToolUse: [{ onFailure: 'block', timeout: 30 }] } }]);
    expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([{ payload: { status: 'denied' } }]);
  });

  test('a denied tool is not in the allow list, and is denied (AD-357)', async () => {
    await using stage = play(
      ({ hook, prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'ls' }),
        hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'deny' } } }),
        toolResult('PreToolUse:Bash hook error: denied', { isError: true }),
        result('ok'),
      ],
      { recordings: ['hook-pretool-deny'] },
    );
    const events = await collect(
      adapterOn(stage).run('Go.', { permissions: { shellExecute: 'deny' }, allowedTools: ['Bash', 'Read'] }),
    );
    const argv = stage.sent.argv[0]?.join(' ') ?? '';
    expect(argv).toMatch(/--allowedTools[ =]Read(?: --|$)/);
    expect(argv).toMatch(/--tools[ =]Bash,Read/);
    expect(events.filter(({ type }) => type === 'tool_result')).toMatchObject([{ payload: { status: 'denied' } }]);
  });

  test('an abort while a handler is pending settles the question as a denial (AD-358)', async () => {
    await using stage = play(
      ({ faults, permission, prompt, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'touch a' }),
        (permission() as readonly object[])[0] as never,
        faults.stall(),
      ],
      { recordings: ['can-use-tool-allow'], unclaimed: 'allow' },
    );
    const controller = new AbortController();
    let signalOfHandler: AbortSignal | undefined;
    const events: AgentEvent[] = [];
    for await (const event of adapterOn(stage).run('Go.', {
      permissions: {},
      abortSignal: controller.signal,
      onPermissionRequest: (_request, { signal }) => {
        signalOfHandler = signal;
        return new Promise(() => {});
      },
    })) {
      events.push(event);
      if (event.type === 'permission_request') controller.abort();
    }
    expect(types(events)).toEqual(['tool_use', 'permission_request', 'done']);
    expect(events.at(-1)).toMatchObject({ payload: { status: 'interrupted' } });
    expect(signalOfHandler?.aborted).toBe(true);
    expect(isGone(stage)).toBe(true);
  });

  test('a question about the network in a run without a callback is refused at once (AD-417)', async () => {
    await using stage = play(
      ({ assistantText, permission, prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'curl http://bad.example/' }),
        permission('SandboxNetworkAccess', { host: 'bad.example' }, { error: true }),
        toolResult('Connection blocked by network allowlist'),
        assistantText('Done.'),
        result(),
      ],
      { recordings: ['sandbox-net-question'] },
    );
    const events = await collect(adapterOn(stage).run('Go.'));
    // The CLI takes an error answer as a denial (`can-use-tool-error`).
    expect(stage.sent.permissionAnswers).toMatchObject([{ error: expect.stringMatching(/./) }]);
    expect(types(events)).toEqual(['tool_use', 'tool_result', 'text', 'done']);
    expect(events.at(-1)).toMatchObject({ payload: { status: 'success' } });
  });

  test('an allow list beside a policy prints no warning about a callback that the caller does not know', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning');
    onTestFinished(() => void emitWarning.mockRestore());
    await using stage = play(({ prompt, result }) => [prompt(), result('ok')], { recordings: ['hello'] });
    const options: AgentOptions = {
      permissions: { shellExecute: 'deny' },
      allowedTools: ['Read'],
      onPermissionRequest: () => 'deny',
    };
    const events = await collect(adapterOn(stage).run('Go.', options));
    expect(events.at(-1)).toMatchObject({ payload: { status: 'success' } });
    expect(stage.runs[0]?.argv.join(' ')).toMatch(/--allowedTools[= ]Read\b/);
    expect(emitWarning.mock.calls).toEqual([]);
  });

  test('a policy about commands turns the shell of skills off on the command line', async () => {
    await using stage = play(({ prompt, result }) => [prompt(), result('ok')], { recordings: ['hello'] });
    await collect(adapterOn(stage).run('Go.', { permissions: { fileWrite: 'allow' } }));
    expect(stage.runs[0]?.argv.join(' ')).toMatch(/--settings[= ]\{"disableSkillShellExecution":true\}/);
  });

  const forced =
    (command: string, denied: boolean): Script =>
    ({ hook, permission, prompt, result, toolResult, toolUse }) => [
      prompt(),
      toolUse('Bash', { command }),
      hook('PreToolUse', {}, { expect: { hookSpecificOutput: { permissionDecision: 'ask' } } }),
      permission(undefined, undefined, { expect: denied ? 'deny' : 'allow' }),
      toolResult(denied ? 'no' : 'a.txt', { isError: denied }),
      result('ok'),
    ];

  test('row 5 with a handler that denies: the hook asks, one question, `denied` (AD-418)', async () => {
    await using stage = play(forced('touch a', true), { recordings: ['hook-ask-accept-edits', 'can-use-tool-allow'] });
    const events = await collect(
      adapterOn(stage).run('Go.', { permissions: { fileWrite: 'allow' }, onPermissionRequest: () => 'deny' }),
    );
    expect(stage.sent.argv[0]?.join(' ')).toMatch(/--permission-mode[ =]acceptEdits/);
    expect(types(events)).toEqual(['tool_use', 'permission_request', 'tool_result', 'done']);
    expect(events[2]).toMatchObject({ payload: { status: 'denied' } });
  });

  test('row 14 with a handler: also `ls` is one question (AD-419)', async () => {
    await using stage = play(forced('ls', false), { recordings: ['hook-ask-accept-edits', 'can-use-tool-allow'] });
    const events = await collect(adapterOn(stage).run('Go.', { permissions: {}, onPermissionRequest: () => 'allow' }));
    expect(types(events)).toEqual(['tool_use', 'permission_request', 'tool_result', 'done']);
    expect(events[2]).toMatchObject({ payload: { status: 'success' } });
  });

  test('row 14 without a handler: no hook; what the CLI lets pass runs, what it asks is denied (AD-420)', async () => {
    await using stage = play(
      ({ permission, prompt, result, toolResult, toolUse }) => [
        prompt(),
        toolUse('Bash', { command: 'ls' }),
        toolResult('a.txt'),
        toolUse('Bash', { command: 'touch a' }),
        permission(undefined, undefined, { expect: 'deny' }),
        toolResult('no', { isError: true }),
        result('ok'),
      ],
      { recordings: ['bash-allowed-tools', 'can-use-tool-deny'] },
    );
    const events = await collect(adapterOn(stage).run('Go.', { permissions: {} }));
    expect(stage.sent.initialize[0]).not.toHaveProperty('hooks.PreToolUse');
    expect(types(events)).toEqual(['tool_use', 'tool_result', 'tool_use', 'permission_request', 'tool_result', 'done']);
    expect([events[1], events[4]]).toMatchObject([
      { payload: { status: 'success' } },
      { payload: { status: 'denied' } },
    ]);
  });
});
