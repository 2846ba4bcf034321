import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { AgentPermissionRequest, OnPermissionRequest } from '../../../src/adapter/agent/agent-types.js';
import { permissionCallback, policyHooks } from '../../../src/adapter/agent/enforce-policy.js';
import type { PermissionPolicy } from '../../../src/adapter/agent/permission-plan.js';
import { planPermissions } from '../../../src/adapter/agent/permission-plan.js';
import { createLog } from '../../../src/adapter/logging/log.js';
import type { CanUseToolOptions, HookInput } from '../../../src/index.js';
import { recordingLogger } from './recording-logger.js';

const INPUT = { command: 'ls' };

/** The callback of a policy, and everything it did besides answering. */
function callbackOf(policy: PermissionPolicy | undefined, handler?: OnPermissionRequest) {
  const asked: AgentPermissionRequest[] = [];
  const refused: string[] = [];
  const logger = recordingLogger();
  const run = new AbortController();
  let interrupts = 0;
  const plan = planPermissions(policy, { hasHandler: handler !== undefined });
  const callback = permissionCallback(plan, {
    onPermissionRequest: handler,
    signal: run.signal,
    sessionId: () => 'session-1',
    onQuestion: (request) => asked.push(request),
    onRefused: (id) => refused.push(id),
    onInterrupt: () => {
      interrupts += 1;
    },
    log: createLog(logger, 'claude_code'),
  });
  const question = new AbortController();
  const ask = (tool: string, input: Record<string, unknown> = INPUT, more = {}) =>
    callback(tool, input, {
      signal: question.signal,
      toolUseID: 'call-1',
      requestId: 'request-1',
      ...more,
    } as CanUseToolOptions);
  return { ask, asked, refused, logger, run, question, interrupts: () => interrupts };
}

describe('what the policy decides', () => {
  test('fileWrite deny refuses Write and Edit by name, and Bash goes the way of approval (AD-348)', async () => {
    const { ask, asked, refused } = callbackOf({ fileWrite: 'deny' });
    for (const tool of ['Write', 'Edit']) {
      const result = await ask(tool);
      expect(result).toMatchObject({ behavior: 'deny' });
      expect(result).toHaveProperty('message', expect.stringMatching(/fileWrite/));
      expect(result).toHaveProperty('message', expect.stringContaining(tool));
    }
    expect(asked).toEqual([]);
    expect(refused).toEqual(['call-1', 'call-1']);
    expect(await ask('Bash')).toMatchObject({ behavior: 'deny', message: expect.stringContaining('needs approval') });
    expect(asked.map(({ toolName }) => toolName)).toEqual(['Bash']);
  });

  test('shellExecute allow allows Bash with the same input (AD-349)', async () => {
    const { ask, asked } = callbackOf({ shellExecute: 'allow' });
    const input = { command: 'ls' };
    const result = await ask('Bash', input);
    expect(result).toEqual({ behavior: 'allow', updatedInput: { command: 'ls' } });
    expect(result).toHaveProperty('updatedInput', input);
    expect(asked).toEqual([]);
  });

  test('networkAccess deny refuses WebFetch (AD-350)', async () => {
    const { ask } = callbackOf({ networkAccess: 'deny' });
    expect(await ask('WebFetch')).toMatchObject({
      behavior: 'deny',
      message: expect.stringMatching(/networkAccess.*WebFetch/),
    });
  });

  test('a tool in no category is allowed; with a handler, the handler decides (AD-359)', async () => {
    const alone = callbackOf({ fileWrite: 'deny' });
    expect(await alone.ask('mcp__x__y')).toEqual({ behavior: 'allow', updatedInput: INPUT });
    const handled = callbackOf({ fileWrite: 'deny' }, ({ toolName, capability }) =>
      toolName === 'Read' && capability === undefined ? 'deny' : 'allow',
    );
    expect(await handled.ask('Read')).toMatchObject({ behavior: 'deny' });
    expect(await handled.ask('Glob')).toEqual({ behavior: 'allow', updatedInput: INPUT });
  });

  test('without a policy the handler decides about every question', async () => {
    const { ask } = callbackOf(undefined, ({ toolName }) => (toolName === 'Bash' ? 'deny' : 'allow'));
    expect(await ask('Bash')).toMatchObject({ behavior: 'deny' });
    expect(await ask('Write')).toMatchObject({ behavior: 'allow' });
  });

  test('SandboxNetworkAccess follows networkAccess (AD-416)', async () => {
    const host = { host: 'bad.example' };
    const ask = (policy: PermissionPolicy, handler?: OnPermissionRequest) => {
      const run = callbackOf(policy, handler);
      return { run, result: run.ask('SandboxNetworkAccess', host) };
    };
    const allowed = ask({ networkAccess: 'allow' });
    expect(await allowed.result).toEqual({ behavior: 'allow', updatedInput: host });
    expect(allowed.run.asked).toEqual([]);
    const asked = ask({ networkAccess: 'ask' }, ({ input }) =>
      input.host === 'bad.example' ? { behavior: 'deny', message: 'not there' } : 'allow',
    );
    expect(await asked.result).toEqual({ behavior: 'deny', message: 'not there' });
    expect(asked.run.asked).toMatchObject([{ toolName: 'SandboxNetworkAccess', input: host }]);
    const denied = ask({ networkAccess: 'deny' });
    expect(await denied.result).toMatchObject({ behavior: 'deny', message: expect.stringContaining('networkAccess') });
    expect(denied.run.asked).toEqual([]);
  });
});

describe('the handler', () => {
  test('gets the call, why it is asked, and a signal', async () => {
    let seen: unknown;
    const { ask } = callbackOf({}, (request, { signal }) => {
      seen = { ...request, isAborted: signal.aborted };
      return 'allow';
    });
    await ask('Bash', INPUT, { decisionReason: 'because', agentID: 'agent-1', suggestions: [] });
    expect(seen).toEqual({
      toolName: 'Bash',
      toolUseId: 'call-1',
      input: INPUT,
      reason: 'because',
      capability: 'shellExecute',
      sessionId: 'session-1',
      agentId: 'agent-1',
      suggestions: [],
      isAborted: false,
    });
  });

  test.each([
    { name: "'allow'", decision: 'allow', is: { behavior: 'allow', updatedInput: INPUT } },
    { name: "'deny'", decision: 'deny', is: { behavior: 'deny', message: 'Bash was not approved' } },
    {
      name: 'an allow without input',
      decision: { behavior: 'allow', updatedInput: undefined },
      is: { behavior: 'allow', updatedInput: INPUT },
    },
    {
      name: 'an allow with another input',
      decision: { behavior: 'allow', updatedInput: { command: 'pwd' } },
      is: { behavior: 'allow', updatedInput: { command: 'pwd' } },
    },
    {
      name: 'a denial with its own words',
      decision: { behavior: 'deny', message: 'no' },
      is: { behavior: 'deny', message: 'no' },
    },
  ])('$name is passed on', async ({ decision, is }) => {
    const { ask, logger } = callbackOf({}, () => decision as 'allow');
    expect(await ask('Bash')).toEqual(is);
    expect(logger.records).toEqual([]);
  });

  test.each([
    {
      name: 'throws',
      handler: () => {
        throw new TypeError('broken');
      },
    },
    { name: 'rejects', handler: () => Promise.reject(new Error('broken')) },
    { name: 'returns nothing', handler: () => undefined },
    { name: 'returns true', handler: () => true },
    { name: 'returns another word', handler: () => 'ALLOW' },
    { name: 'returns an unknown behavior', handler: () => ({ behavior: 'maybe' }) },
    { name: 'returns an input that is none', handler: () => ({ behavior: 'allow', updatedInput: 'ls' }) },
    { name: 'returns a message that is none', handler: () => ({ behavior: 'deny', message: 3 }) },
  ])('a handler that $name denies, and it is logged (AD-355)', async ({ handler }) => {
    const { ask, logger, refused } = callbackOf({}, handler as unknown as OnPermissionRequest);
    expect(await ask('Bash')).toMatchObject({ behavior: 'deny' });
    expect(refused).toEqual(['call-1']);
    expect(logger.records).toMatchObject([
      { level: 'error', event: 'permission.handler_error', context: { toolName: 'Bash' } },
    ]);
  });

  test.each(['run', 'question'] as const)(
    'that never answers is not waited for when the %s is over: a denial (AD-358)',
    async (which) => {
      let told: AbortSignal | undefined;
      const stage = callbackOf({}, (_request, { signal }) => {
        told = signal;
        return new Promise(() => {});
      });
      const answer = stage.ask('Bash');
      stage[which].abort();
      expect(await answer).toMatchObject({ behavior: 'deny' });
      expect(told?.aborted).toBe(true);
      expect(getEventListeners(stage.run.signal, 'abort')).toEqual([]);
      expect(getEventListeners(stage.question.signal, 'abort')).toEqual([]);
    },
  );

  test('is not asked once the run is over', async () => {
    let calls = 0;
    const { ask, run } = callbackOf({}, () => {
      calls += 1;
      return 'allow';
    });
    run.abort();
    expect(await ask('Bash')).toMatchObject({ behavior: 'deny' });
    expect(calls).toBe(0);
  });

  test('that denies with `interrupt` is told on', async () => {
    const { ask, interrupts } = callbackOf({}, () => ({ behavior: 'deny', message: 'stop', interrupt: true }));
    expect(await ask('Bash')).toEqual({ behavior: 'deny', message: 'stop', interrupt: true });
    expect(interrupts()).toBe(1);
  });
});

describe('the hooks of a policy', () => {
  const hooksOf = (policy: PermissionPolicy, hasHandler: boolean) => {
    const refused: string[] = [];
    const logger = recordingLogger();
    const plan = planPermissions(policy, { hasHandler, toolCategories: { 'a.b': 'fileWrite' } });
    const matchers = policyHooks(plan, { onRefused: (id) => refused.push(id), log: createLog(logger, 'claude_code') });
    // What is given is handed over itself, getters and all.
    const call = (index: number, input: object) =>
      matchers[index]?.hooks[0]?.(input as HookInput, 'call-1', { signal: new AbortController().signal });
    return { matchers, call, refused, logger };
  };

  test('deny, ask and what the input decides have a matcher each, which blocks when it fails', () => {
    const { matchers } = hooksOf({ fileWrite: 'deny', networkAccess: 'allow' }, true);
    expect(matchers).toMatchObject([
      {
        matcher: 'Write|Edit|MultiEdit|NotebookEdit|EnterWorktree|ExitWorktree|CronCreate|CronDelete|a\\.b',
        timeout: 30,
        onFailure: 'block',
      },
      { matcher: 'Bash|PowerShell|Monitor|KillShell|KillBash', timeout: 30, onFailure: 'block' },
      { matcher: 'Agent|Task|Artifact|Projects|Monitor', timeout: 30, onFailure: 'block' },
    ]);
  });

  test('deny refuses by name, ask asks, and a tool that the matcher took in by chance is left alone', async () => {
    const { call, refused } = hooksOf({ fileWrite: 'deny' }, true);
    expect(await call(0, { tool_name: 'Write' })).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/fileWrite.*Write/),
      },
    });
    expect(refused).toEqual(['call-1']);
    expect(await call(1, { tool_name: 'Bash' })).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
    });
    expect(await call(0, { tool_name: 'axb' })).toEqual({});
    expect(await call(1, { tool_name: 'TaskStop' })).toEqual({});
    expect(refused).toEqual(['call-1']);
  });

  test.each([
    { name: 'no tool name', input: {} },
    {
      name: 'a tool name that throws',
      input: {
        get tool_name(): string {
          throw new Error('broken');
        },
      },
    },
  ])(
    'an exception inside the hook that forces the question ($name) denies, and it is logged (AD-421)',
    async ({ input }) => {
      const { matchers, call, refused, logger } = hooksOf({}, true);
      expect(matchers).toHaveLength(2);
      expect(await call(0, input)).toMatchObject({
        hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'Hook failed' },
      });
      expect(refused).toEqual(['call-1']);
      expect(logger.records).toMatchObject([
        { level: 'error', event: 'hook.error', context: { hookEvent: 'PreToolUse' } },
      ]);
    },
  );
});
