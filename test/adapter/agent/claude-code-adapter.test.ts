import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/adapter/agent/agent-event.js';
import type { AgentOptions } from '../../../src/adapter/agent/agent-types.js';
import { ClaudeCodeAdapter, type ClaudeCodeAdapterOptions } from '../../../src/adapter/agent/claude-code-adapter.js';
import { AdapterConfigError, AdapterError } from '../../../src/adapter/errors/adapter-error.js';
import { IdleTimeoutError } from '../../../src/errors.js';
import { createDeferred } from '../../../src/util/deferred.js';
import type { JsonObject } from '../../../src/util/json.js';
import { type FakeScript, fakeRuntime } from '../support/fake-runtime.js';
import { thrownBy } from '../support/thrown-by.js';
import { recordingLogger } from './recording-logger.js';

const INIT = { type: 'system', subtype: 'init', session_id: 's1', model: 'm', cwd: '/w', tools: [] };
const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'ok', session_id: 's1' };
const TEXT = { type: 'assistant', session_id: 's1', message: { content: [{ type: 'text', text: 'Hi' }] } };
const CALL = {
  type: 'assistant',
  session_id: 's1',
  message: { content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }] },
};

const MACHINE = { uid: 1000, hostEnv: { PATH: '/bin' } };

function adapterFor(
  script: FakeScript,
  options: ClaudeCodeAdapterOptions = {},
  how: Parameters<typeof fakeRuntime>[1] = { executable: '/cli' },
) {
  const runtime = fakeRuntime(script, how);
  const adapter = new ClaudeCodeAdapter({ ...MACHINE, loadRuntime: runtime.loadRuntime, ...options });
  return { adapter, runtime };
}

async function collect(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const types = (events: readonly AgentEvent[]): readonly string[] => events.map(({ type }) => type);

describe('identity', () => {
  test('the agent is claude-code (AD-311)', () => {
    expect(new ClaudeCodeAdapter().agent).toBe('claude-code');
  });

  test('a loader that rejects means not available, without an exception (AD-312)', async () => {
    const loadRuntime = () => Promise.reject(new Error('no such module'));
    expect(await new ClaudeCodeAdapter({ ...MACHINE, loadRuntime }).isAvailable()).toBe(false);
    const throws = () => {
      throw new Error('no such module');
    };
    expect(await new ClaudeCodeAdapter({ ...MACHINE, loadRuntime: throws }).isAvailable()).toBe(false);
  });

  test('no executable means not available, and no process was started (AD-313)', async () => {
    const { adapter, runtime } = adapterFor([], {}, { executable: undefined });
    expect(await adapter.isAvailable()).toBe(false);
    expect(runtime.runs).toEqual([]);
  });

  test('with both it is available (AD-314)', async () => {
    const { adapter, runtime } = adapterFor([]);
    expect(await adapter.isAvailable()).toBe(true);
    expect(runtime.runs).toEqual([]);
  });
});

describe('what the first next() throws', () => {
  test('the SDK cannot be loaded: what to install (AD-315)', async () => {
    const loadRuntime = () => Promise.reject(new Error('no such module'));
    const run = new ClaudeCodeAdapter({ ...MACHINE, loadRuntime }).run('Hi');
    const error: unknown = await run.next().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AdapterError);
    expect(error).toMatchObject({
      message: expect.stringContaining('Install claudewire again'),
      errorClass: 'executable_not_found',
      retryAdvice: { retry: 'after_change' },
    });
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });

  test('the CLI is not found: what to install, and no process was started (AD-414)', async () => {
    const { adapter, runtime } = adapterFor([], {}, { executable: undefined });
    await expect(adapter.run('Hi').next()).rejects.toThrow('npm install -g @anthropic-ai/claude-code');
    expect(runtime.runs).toEqual([]);
  });

  describe('a CLI that the SDK did not find', () => {
    const adapter = (PATH: string) => new ClaudeCodeAdapter({ uid: 1000, hostEnv: { PATH, HOME: '/nowhere' } });

    test('is told with the path that was given, once', async () => {
      const options: AgentOptions = { pathToClaudeCodeExecutable: '/nowhere/claude' };
      await expect(adapter('/nowhere').run('Hi', options).next()).rejects.toThrow(
        /^Claude Code was not found at \/nowhere\/claude\. Install it with /,
      );
    });

    test('is told with the places that were looked at', async () => {
      // A name, so that a CLI of this machine is not found.
      const options: AgentOptions = { pathToClaudeCodeExecutable: 'no-such-claude' };
      const error: unknown = await adapter('/nowhere/a:/nowhere/b')
        .run('Hi', options)
        .next()
        .catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        errorClass: 'executable_not_found',
        message: expect.stringContaining('looked for in /nowhere/a/no-such-claude, /nowhere/b/no-such-claude.'),
        cause: { searched: ['/nowhere/a/no-such-claude', '/nowhere/b/no-such-claude'] },
      });
    });
  });

  const ALLOW_ALL: AgentOptions = {
    permissions: { fileWrite: 'allow', shellExecute: 'allow', networkAccess: 'allow' },
  };

  test('all three allow as uid 0 without IS_SANDBOX is refused before a process is started (AD-415)', async () => {
    const { adapter, runtime } = adapterFor([RESULT], { uid: 0 });
    const error: unknown = await adapter
      .run('Hi', ALLOW_ALL)
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toHaveProperty('message', expect.stringContaining('IS_SANDBOX'));
    expect(runtime.runs).toEqual([]);
    const events = await collect(adapter.run('Hi', { ...ALLOW_ALL, env: { IS_SANDBOX: '1' } }));
    expect(types(events)).toEqual(['done']);
  });

  test.each([
    { options: { maxTurns: 0 }, field: 'maxTurns' },
    { options: { maxBudgetUsd: -1 }, field: 'maxBudgetUsd' },
    { options: { permission: { fileWrite: 'deny' } }, field: 'options.permission' },
    { options: { permissions: { filewrite: 'deny' } }, field: 'permissions.filewrite' },
    { options: { permissions: { fileWrite: 'no' } }, field: 'permissions.fileWrite' },
    { options: { permissions: 'allow' }, field: 'permissions' },
    { options: { toolCategories: { X: 'shell' } }, field: 'toolCategories.X' },
    { options: { toolCategories: { 'mcp__db__w*': 'fileWrite' } }, field: 'toolCategories' },
    { options: { toolCategories: { '': 'fileWrite' } }, field: 'toolCategories' },
    { options: { onPermissionRequest: true }, field: 'onPermissionRequest' },
    { options: { allowedTools: 'Bash' }, field: 'allowedTools' },
    { options: { abortSignal: new AbortController() }, field: 'abortSignal' },
  ])('a bad $field is refused by name before a process is started', async ({ options, field }) => {
    const { adapter, runtime } = adapterFor([RESULT]);
    const error: unknown = await adapter
      .run('Hi', options as AgentOptions)
      .next()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toHaveProperty('fields', [field]);
    expect(runtime.loads).toBe(0);
  });

  test('a capability that does not exist is called that, and the ones that do are named', async () => {
    const options = { permissions: { filewrite: 'deny' } } as AgentOptions;
    await expect(adapterFor([]).adapter.run('Hi', options).next()).rejects.toMatchObject({
      message: '`permissions` has no `filewrite`',
      hint: 'It has fileWrite, shellExecute, networkAccess.',
    });
  });

  test.each([
    { options: { path: '/cli' }, field: 'options.path' },
    { options: { pathToClaudeCodeExecutable: 1 }, field: 'pathToClaudeCodeExecutable' },
    { options: { logger: console.log }, field: 'logger' },
    { options: { clock: {} }, field: 'clock' },
    { options: { uid: '0' }, field: 'uid' },
    { options: 'x', field: 'options' },
  ])('the constructor refuses $field', ({ options, field }) => {
    expect(thrownBy(() => new ClaudeCodeAdapter(options as ClaudeCodeAdapterOptions))).toMatchObject({
      name: 'AdapterConfigError',
      fields: [field],
    });
  });

  test('an empty prompt is refused', async () => {
    await expect(adapterFor([]).adapter.run('').next()).rejects.toThrow('`prompt` must be a non-empty string');
  });
});

describe('a run', () => {
  test('sends one prompt, and ends the input when the result is there', async () => {
    const { adapter, runtime } = adapterFor([INIT, TEXT, RESULT]);
    expect(types(await collect(adapter.run('Hello?')))).toEqual(['init', 'text', 'done']);
    const [run] = runtime.runs;
    expect(run?.sent).toMatchObject([{ type: 'user', message: { content: 'Hello?' } }]);
    expect(run?.happened).toEqual(['user', 'end', 'close']);
  });

  test('starts nothing before the first next(), and nothing at all when it is left before', async () => {
    const { adapter, runtime } = adapterFor([RESULT]);
    const run = adapter.run('Hi');
    await run.return();
    expect(await run.next()).toEqual({ done: true, value: undefined });
    expect(runtime.loads).toBe(0);
  });

  test('problems after the start are events: the runtime throws at once, or in the middle', async () => {
    const early = adapterFor([], {}, { executable: '/cli', startError: new Error('bad option') });
    expect(await collect(early.adapter.run('Hi'))).toMatchObject([
      { type: 'error', payload: { code: 'SDK_STREAM_ERROR', message: 'bad option' } },
      { type: 'done', payload: { status: 'error' } },
    ]);
    const late = adapterFor(async function* () {
      yield INIT;
      throw new IdleTimeoutError(5, []);
    });
    expect(await collect(late.adapter.run('Hi'))).toMatchObject([
      { type: 'init' },
      { type: 'error', payload: { code: 'idle_timeout', recoverable: false } },
      { type: 'done', payload: { status: 'error' } },
    ]);
    expect(late.runtime.runs[0]?.closed).toBe(true);
  });

  test('a question is told after the call it is about, and before the next message', async () => {
    const answered = createDeferred<void>();
    const { adapter } = adapterFor(async function* (cli) {
      yield INIT;
      yield CALL;
      // The question overtakes: the call was not yet read when it is asked.
      const answer = cli.options.canUseTool?.('Bash', { command: 'ls' }, {
        toolUseID: 't1',
        signal: cli.closing,
      } as never);
      await answer;
      answered.resolve();
      yield RESULT;
    });
    const events = await collect(adapter.run('Hi', { permissions: {}, onPermissionRequest: () => 'allow' }));
    await answered.promise;
    expect(types(events)).toEqual(['init', 'tool_use', 'permission_request', 'done']);
  });

  test('a question that comes before its call is held back until the call', async () => {
    const { adapter } = adapterFor(async function* (cli) {
      const ask = cli.options.canUseTool?.('Bash', {}, { toolUseID: 't1', signal: cli.closing } as never);
      yield INIT;
      yield CALL;
      await ask;
      yield RESULT;
    });
    expect(types(await collect(adapter.run('Hi', { permissions: {} })))).toEqual([
      'init',
      'tool_use',
      'permission_request',
      'done',
    ]);
  });

  test('a question without a call is told while the CLI waits for the answer', async () => {
    const answer = createDeferred<'allow'>();
    const { adapter } = adapterFor(async function* (cli) {
      yield INIT;
      await cli.options.canUseTool?.('SandboxNetworkAccess', { host: 'h' }, {
        toolUseID: 'q1',
        signal: cli.closing,
      } as never);
      yield RESULT;
    });
    const seen: string[] = [];
    const options: AgentOptions = { permissions: {}, onPermissionRequest: () => answer.promise };
    for await (const event of adapter.run('Hi', options)) {
      seen.push(event.type);
      // The consumer itself decides, in its loop.
      if (event.type === 'permission_request') answer.resolve('allow');
    }
    expect(seen).toEqual(['init', 'permission_request', 'done']);
  });
});

describe('abort', () => {
  test('aborted before the call gives `done` `interrupted` and no process (AD-337)', async () => {
    const { adapter, runtime } = adapterFor([RESULT]);
    const events = await collect(adapter.run('Hi', { abortSignal: AbortSignal.abort() }));
    expect(events).toMatchObject([{ type: 'done', payload: { status: 'interrupted' } }]);
    expect(runtime.loads).toBe(0);
    expect(runtime.runs).toEqual([]);
  });

  test('while the runtime is loaded', async () => {
    const { adapter, runtime } = adapterFor([RESULT], { loadRuntime: () => new Promise(() => {}) });
    const controller = new AbortController();
    const events = collect(adapter.run('Hi', { abortSignal: controller.signal }));
    controller.abort();
    expect(types(await events)).toEqual(['done']);
    expect(runtime.runs).toEqual([]);
  });

  test('while a message is waited for; what the runtime throws then is no error', async () => {
    const { adapter, runtime } = adapterFor(async function* (cli) {
      yield INIT;
      await new Promise((resolve) => cli.options.abortController?.signal.addEventListener('abort', resolve));
      throw new Error('aborted');
    });
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    for await (const event of adapter.run('Hi', { abortSignal: controller.signal })) {
      events.push(event);
      if (event.type === 'init') controller.abort();
    }
    expect(events).toMatchObject([
      { type: 'init' },
      { type: 'done', payload: { status: 'interrupted', resumeToken: 's1' } },
    ]);
    expect(runtime.runs[0]?.closed).toBe(true);
  });

  test.each([
    { name: 'the run ends', script: [INIT, RESULT] as FakeScript, leave: false },
    { name: 'the run is left', script: [INIT, TEXT, RESULT] as FakeScript, leave: true },
    {
      name: 'the run fails',
      // biome-ignore lint/correctness/useYield: it throws before
      script: async function* () {
        throw new Error('broken');
      } as FakeScript,
      leave: false,
    },
  ])('no listener is left on the caller’s signal when $name (AD-364)', async ({ script, leave }) => {
    const { adapter } = adapterFor(script);
    const { signal } = new AbortController();
    for await (const _event of adapter.run('Hi', { abortSignal: signal })) {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      if (leave) break;
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('the consumer', () => {
  test('who breaks out ends the run', async () => {
    const { adapter, runtime } = adapterFor([INIT, TEXT, RESULT]);
    for await (const event of adapter.run('Hi')) if (event.type === 'init') break;
    expect(runtime.runs[0]?.closed).toBe(true);
  });

  test('who throws ends the run', async () => {
    const { adapter, runtime } = adapterFor([INIT, TEXT, RESULT]);
    const loop = async (): Promise<void> => {
      for await (const event of adapter.run('Hi')) throw new Error(event.type);
    };
    await expect(loop()).rejects.toThrow('init');
    expect(runtime.runs[0]?.closed).toBe(true);
  });

  test('may leave while a next() waits for a CLI that says nothing', async () => {
    const { adapter, runtime } = adapterFor(async function* (cli) {
      yield INIT;
      await new Promise((resolve) => cli.closing.addEventListener('abort', resolve));
    });
    const run = adapter.run('Hi');
    await run.next();
    const waiting = run.next();
    await run.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(runtime.runs[0]?.closed).toBe(true);
  });

  test('may leave while the runtime is loaded', async () => {
    const { adapter } = adapterFor([RESULT], { loadRuntime: () => new Promise(() => {}) });
    const run = adapter.run('Hi');
    const waiting = run.next();
    await run.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('who is slow is not overtaken: at most one message is taken ahead', async () => {
    let given = 0;
    const { adapter } = adapterFor(async function* () {
      for (; given < 1000; ) {
        given += 1;
        yield TEXT;
      }
      yield RESULT;
    });
    let taken = 0;
    for await (const event of adapter.run('Hi')) {
      if (event.type === 'text') taken += 1;
      if (taken <= 50) await new Promise((resolve) => setImmediate(resolve));
      expect(given - taken).toBeLessThanOrEqual(1);
    }
    expect(taken).toBe(1000);
  });

  test('who is told `done` and never comes back leaves no run behind', async () => {
    const { adapter, runtime } = adapterFor([RESULT]);
    const run = adapter.run('Hi');
    expect(await run.next()).toMatchObject({ value: { type: 'done' } });
    expect(runtime.runs[0]?.closed).toBe(true);
  });
});

test('background tasks are waited for, or stopped with the first result', async () => {
  const started = { type: 'system', subtype: 'task_started', task_id: 'b', is_backgrounded: true };
  const ended = { type: 'system', subtype: 'task_updated', task_id: 'b', patch: { status: 'failed' } };
  const script = [INIT, started, RESULT, ended, TEXT, { ...RESULT, result: 'later' }];
  const resultOf = async (options: AgentOptions): Promise<unknown> => {
    const events = await collect(adapterFor(script).adapter.run('Hi', options));
    return events.at(-1)?.payload;
  };
  expect(await resultOf({})).toMatchObject({ status: 'success', result: 'later' });
  expect(await resultOf({ backgroundTasks: 'stop' })).toMatchObject({ result: 'ok' });
});

test('50 concurrent runs on one adapter share nothing', async () => {
  const { adapter, runtime } = adapterFor(async function* (cli) {
    const prompt = await cli.prompt();
    const session_id = String(prompt?.message.content);
    yield { ...INIT, session_id };
    const asked = await cli.options.canUseTool?.('Bash', { command: session_id }, {
      toolUseID: `t-${session_id}`,
      signal: cli.closing,
    } as never);
    const command = asked?.behavior === 'allow' ? asked.updatedInput?.command : 'denied';
    yield { ...RESULT, session_id, result: String(command) };
  });
  const names = Array.from({ length: 50 }, (_, index) => `run-${index}`);
  const all = await Promise.all(
    names.map((name) =>
      collect(
        adapter.run(name, {
          permissions: {},
          onPermissionRequest: async ({ sessionId, input }) => {
            await new Promise((resolve) => setImmediate(resolve));
            expect(sessionId).toBe(name);
            return { behavior: 'allow', updatedInput: { command: `${String(input.command)}!` } };
          },
        }),
      ),
    ),
  );
  all.forEach((events, index) => {
    expect(new Set(events.map(({ sessionId }) => sessionId))).toEqual(new Set([names[index]]));
    expect(types(events)).toEqual(['init', 'permission_request', 'done']);
    expect(events.at(-1)).toMatchObject({ payload: { result: `${names[index]}!` } });
  });
  expect(runtime.runs.filter(({ closed }) => closed)).toHaveLength(50);
});

test('a handler that never answers does not hold an aborted run', async () => {
  const { adapter } = adapterFor(async function* (cli) {
    yield CALL;
    await cli.options.canUseTool?.('Bash', {}, { toolUseID: 't1', signal: cli.closing } as never);
    yield RESULT;
  });
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  for await (const event of adapter.run('Hi', {
    permissions: {},
    onPermissionRequest: () => new Promise(() => {}),
    abortSignal: controller.signal,
  })) {
    events.push(event);
    if (event.type === 'permission_request') controller.abort();
  }
  expect(types(events)).toEqual(['tool_use', 'permission_request', 'done']);
});

test('no secret of the environment reaches the log', async () => {
  const logger = recordingLogger();
  const { adapter } = adapterFor(
    async function* (cli) {
      await cli.options.canUseTool?.('Bash', {}, { toolUseID: 't1', signal: cli.closing } as never);
      yield RESULT;
    },
    { logger, hostEnv: { ANTHROPIC_API_KEY: 'key-in-the-environment' } },
  );
  await collect(
    adapter.run('Hi', {
      permissions: {},
      env: { MY_TOKEN: 'token-of-the-caller' },
      onPermissionRequest: () => {
        throw new Error('bad: key-in-the-environment, token-of-the-caller');
      },
    }),
  );
  const text = JSON.stringify(logger.records);
  expect(text).toContain('permission.handler_error');
  expect(text).not.toContain('key-in-the-environment');
  expect(text).not.toContain('token-of-the-caller');
});

const SECRETS = { hostEnv: { PATH: '/bin', ANTHROPIC_API_KEY: 'key-in-the-environment' } } as const;
const QUOTING = 'stderr: bad key-in-the-environment and token-of-the-caller';

test.each([
  {
    name: 'a stream that broke off and quotes stderr',
    script: async function* () {
      yield INIT;
      throw new Error(QUOTING);
    },
  },
  { name: 'a failed result', script: [{ ...RESULT, is_error: true, result: QUOTING }] },
  { name: 'a failed call of the model', script: [{ ...TEXT, error: 'server_error', message: { content: QUOTING } }] },
] as const)('no secret of the environment is in the texts of the last events: $name', async ({ script }) => {
  const { adapter } = adapterFor(script as FakeScript, SECRETS);
  const events = await collect(adapter.run('Hi', { env: { MY_TOKEN: 'token-of-the-caller' } }));
  expect(types(events)).toEqual(expect.arrayContaining(['error', 'done']));
  const last = JSON.stringify(events);
  expect(last).toContain('stderr: bad [redacted] and [redacted]');
  expect(last).not.toContain('key-in-the-environment');
  expect(last).not.toContain('token-of-the-caller');
});

test('what the model said is told as it is', async () => {
  const { adapter } = adapterFor([{ ...RESULT, result: 'key-in-the-environment' }], SECRETS);
  expect((await collect(adapter.run('Hi'))).at(-1)).toMatchObject({
    payload: { status: 'success', result: 'key-in-the-environment' },
  });
});

test('a message that is none does not break the stream', async () => {
  const { adapter } = adapterFor([null, 3, RESULT] as unknown as FakeScript);
  expect(await collect(adapter.run('Hi'))).toMatchObject([
    { type: 'claude-code:unknown', payload: { value: null } },
    { type: 'claude-code:unknown', payload: { value: 3 } },
    { type: 'done', payload: { status: 'success' } },
  ]);
});

test('a caller’s messages are not changed', async () => {
  const message: JsonObject = { type: 'new_thing', session_id: 's1', nested: { a: 1 } };
  const { adapter } = adapterFor([message, RESULT]);
  const [event] = await collect(adapter.run('Hi'));
  expect(event).toMatchObject({ type: 'claude-code:new_thing', payload: { nested: { a: 1 } } });
  expect(message).toEqual({ type: 'new_thing', session_id: 's1', nested: { a: 1 } });
});
