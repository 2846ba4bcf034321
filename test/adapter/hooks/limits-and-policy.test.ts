import { describe, expect, test } from 'vitest';
import { CallIdQueue } from '../../../src/adapter/hooks/call-id-queue.js';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import type { Clock } from '../../../src/adapter/limits/clock.js';
import { Deadline } from '../../../src/adapter/limits/deadline.js';
import { ToolPermissions, Workspace } from '../../../src/adapter/state/slices.js';
import { makeRun, reasonOf } from './make-run.js';

/** A deadline of ten seconds on a clock that the test moves. */
function movableDeadline() {
  let now = 1_000_000;
  const clock: Clock = { now: () => now, monotonic: () => now, setTimer: () => () => {} };
  const deadline = Deadline.fromNow(10_000, { clock });
  const expire = (): void => {
    now += 10_001;
  };
  return { deadline, expire };
}

function trackerWith(limits: ConstructorParameters<typeof Budget>[0], used: object) {
  const tracker = new BudgetTracker(new Budget(limits));
  tracker.record(used);
  return tracker;
}

describe('PreToolUse, limits', () => {
  test('without limits and with an empty session nothing is objected to (AD-132)', async () => {
    const { pre } = makeRun();
    for (const tool of ['Bash', 'Read', 'WebFetch', 'mcp__wink__lookup', 'Whatever']) {
      expect(await pre(tool, { file_path: 'a.ts', command: 'ls' })).toEqual({});
    }
  });

  test('a deadline that expires during the run denies every later call, and is logged (AD-071)', async () => {
    const { deadline, expire } = movableDeadline();
    const { pre, logged } = makeRun({ deadline });
    expect(await pre('Bash')).toEqual({});
    expire();
    expect(await pre('Bash')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Deadline exceeded',
      },
    });
    expect(logged).toEqual([{ level: 'warn', event: 'hook.deadline_exceeded', context: { toolName: 'Bash' } }]);
  });

  test('a budget that is used up to its limit denies (AD-080)', async () => {
    const budgetTracker = trackerWith({ maxTotalTokens: 100 }, { inputTokens: 60, outputTokens: 40 });
    const { pre, logged } = makeRun({ budgetTracker });
    expect(reasonOf(await pre('Bash'))).toBe('Token budget exhausted');
    expect(logged.map(({ event }) => event)).toEqual(['hook.budget_exhausted']);
  });

  test('one token below the limit there is no objection (AD-081)', async () => {
    const budgetTracker = trackerWith({ maxTotalTokens: 100 }, { inputTokens: 60, outputTokens: 39 });
    expect(await makeRun({ budgetTracker }).pre('Bash')).toEqual({});
  });

  test('a limit on output alone denies when it is reached (AD-082)', async () => {
    const limits = { maxOutputTokens: 40 };
    const used = { inputTokens: 9_000, outputTokens: 40 };
    expect(reasonOf(await makeRun({ budgetTracker: trackerWith(limits, used) }).pre('Bash'))).toBe(
      'Token budget exhausted',
    );
    const less = trackerWith(limits, { inputTokens: 9_000, outputTokens: 39 });
    expect(await makeRun({ budgetTracker: less }).pre('Bash')).toEqual({});
  });

  test('of deadline, budget and policy the deadline speaks, then the budget (AD-133)', async () => {
    const { deadline, expire } = movableDeadline();
    const budgetTracker = trackerWith({ maxTotalTokens: 1 }, { inputTokens: 5, outputTokens: 5 });
    const { pre, session } = makeRun({ deadline, budgetTracker });
    session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
    expect(reasonOf(await pre('Bash'))).toBe('Token budget exhausted');
    expire();
    expect(reasonOf(await pre('Bash'))).toBe('Deadline exceeded');
  });

  test('a bridged tool is held to the deadline too (AD-148)', async () => {
    const { deadline, expire } = movableDeadline();
    const { pre, run } = makeRun({ deadline });
    expire();
    expect(reasonOf(await pre('mcp__wink__lookup', { q: 1 }))).toBe('Deadline exceeded');
    expect(run.callIds.take('lookup', { q: 1 }), 'a call that was denied is not queued').toBe(undefined);
  });
});

describe('PreToolUse, tools that the session blocks', () => {
  test('a blocked tool is denied by name and policy, others are not (AD-134)', async () => {
    const { pre, session, logged, state } = makeRun();
    session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
    const reason = reasonOf(await pre('Bash'));
    expect(reason).toContain('Bash');
    expect(reason).toContain('session policy');
    expect(await pre('Read')).toEqual({});
    expect(logged.map(({ event, context }) => [event, context])).toEqual([['hook.tool_blocked', { toolName: 'Bash' }]]);
    expect(state.denials).toEqual([{ toolName: 'Bash', toolUseId: 'toolu_1', reason }]);
  });

  test('a server that is blocked as a whole takes its tools with it (AD-135)', async () => {
    const { pre, session } = makeRun();
    session.mutate(ToolPermissions).seed({ blocked: ['mcp__x'] });
    expect(reasonOf(await pre('mcp__x__y'))).toContain('mcp__x__y');
  });

  test('the policy is read at each call (AD-136)', async () => {
    const { pre, session } = makeRun();
    expect(await pre('Bash')).toEqual({});
    session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
    expect(reasonOf(await pre('Bash'))).toBeDefined();
    session.mutate(ToolPermissions).clear();
    expect(await pre('Bash')).toEqual({});
  });

  const cases = [
    { blocked: 'mcp__x__y', tool: 'mcp__x__y', denied: true },
    { blocked: 'mcp__x__y', tool: 'mcp__x__yz', denied: false },
    { blocked: 'mcp__x', tool: 'mcp__xy__z', denied: false },
    { blocked: 'mcp__x__*', tool: 'mcp__x__z', denied: true },
    { blocked: 'mcp__x__', tool: 'mcp__x__z', denied: true },
    { blocked: 'mcp__', tool: 'mcp__x__z', denied: false },
    { blocked: 'Bash', tool: 'BashOutput', denied: false },
    { blocked: 'bash', tool: 'Bash', denied: false },
    { blocked: 'lookup', tool: 'mcp__wink__lookup', denied: true },
    { blocked: 'lookup', tool: 'mcp__other__lookup', denied: false },
    { blocked: 'Task', tool: 'Agent', denied: true },
    { blocked: 'Agent', tool: 'Task', denied: true },
    { blocked: 'TaskStop', tool: 'KillShell', denied: true },
    { blocked: 'Bash(echo:*)', tool: 'Bash', denied: true },
    { blocked: ' Bash ', tool: 'Bash', denied: true },
    { blocked: 'Bash(echo:*)', tool: 'Read', denied: false },
    { blocked: 'mcp__x(*)', tool: 'mcp__x__y', denied: true },
    { blocked: '*', tool: 'Read', denied: true },
    { blocked: '(x)', tool: 'Read', denied: false },
    { blocked: 'toString', tool: 'Read', denied: false },
    { blocked: '', tool: 'Read', denied: false },
    { blocked: 'mcp__x__send*', tool: 'mcp__x__send_mail', denied: true },
    { blocked: 'mcp__x__send*', tool: 'mcp__x__read', denied: false },
    { blocked: 'mcp__y__de?ete', tool: 'mcp__y__delete', denied: true },
    { blocked: 'mcp__y__de?ete', tool: 'mcp__y__deete', denied: false },
    { blocked: 'mcp__*__delete', tool: 'mcp__y__delete', denied: true },
    { blocked: 'mcp__*', tool: 'mcp__y__delete', denied: true },
    { blocked: 'mcp__*', tool: 'Read', denied: false },
    { blocked: 'mcp__my server', tool: 'mcp__my_server__x', denied: true },
    { blocked: 'mcp__my server__*', tool: 'mcp__my_server__x', denied: true },
    { blocked: 'mcp__a.b__c', tool: 'mcp__a_b__c', denied: true },
    { blocked: 'mcp__a.b__c', tool: 'mcp__a_b__d', denied: false },
    { blocked: 'mcp__a.b__c.d', tool: 'mcp__a_b__c_d', denied: true },
    { blocked: 'mcp__a.b__c.d', tool: 'mcp__a_b__c.d', denied: true },
    { blocked: 'mcp__x__löschen', tool: 'mcp__x__löschen', denied: true },
    { blocked: 'mcp__x__löschen', tool: 'mcp__x__lesen', denied: false },
    { blocked: 'mcp__x__y', tool: 'mcp__x__y__z', denied: true },
    { blocked: 'Web*', tool: 'WebFetch', denied: true },
    { blocked: 'Web*', tool: 'Read', denied: false },
    { blocked: 'look*', tool: 'mcp__wink__lookup', denied: true },
    { blocked: 'Re.d', tool: 'Read', denied: false },
  ];
  for (const { blocked, tool, denied } of cases) {
    test(`blocked '${blocked}' ${denied ? 'denies' : 'lets'} ${tool}`, async () => {
      const { pre, session } = makeRun();
      session.mutate(ToolPermissions).seed({ blocked: [blocked] });
      expect(reasonOf(await pre(tool)) !== undefined).toBe(denied);
    });
  }

  test('a rule, which can block nothing here, blocks its whole tool and says so', async () => {
    const { pre, session } = makeRun();
    session.mutate(ToolPermissions).seed({ blocked: ['Bash(rm:*)'] });
    const reason = reasonOf(await pre('Bash', { command: 'echo one' }));
    expect(reason).toMatch(/session policy.*`Bash\(rm:\*\)`.*the whole tool/);
  });

  test('blocking Bash blocks the commands of Monitor too', async () => {
    const { pre, session } = makeRun();
    session.mutate(ToolPermissions).seed({ blocked: ['Bash'] });
    expect(reasonOf(await pre('Monitor', { command: 'tail -f x' }))).toContain('Monitor');
    expect(await pre('Monitor', { ws: 'wss://x.example' })).toEqual({});
  });

  test('a tool of the prompt is blocked by its own name alone, not by a former name of another', async () => {
    const { pre, session } = makeRun();
    session.mutate(ToolPermissions).seed({ blocked: ['KillShell'] });
    expect(await pre('mcp__wink__KillBash')).toEqual({});
    expect(reasonOf(await pre('mcp__wink__KillShell'))).toBeDefined();
  });

  test('a blocked tool is denied before its path is looked at (AD-142)', async () => {
    const { pre, session } = makeRun();
    session.mutate(Workspace).seed({ root: '/' });
    session.mutate(ToolPermissions).seed({ blocked: ['Read'] });
    const output = await pre('Read', { file_path: 'tmp' });
    expect(reasonOf(output)).toContain('session policy');
    expect(output.hookSpecificOutput).not.toHaveProperty('updatedInput');
  });
});

describe('PreToolUse under isolation', () => {
  const isolation = { allowUnsandboxedCommands: false, networkPolicy: NetworkPolicy.withDomains('docs.example') };

  test('a command that asks to leave the sandbox is denied where that is not allowed (AD-145)', async () => {
    const flag = { command: 'ls', dangerouslyDisableSandbox: true };
    expect(reasonOf(await makeRun({ isolation }).pre('Bash', flag))).toContain('sandbox');
    expect(await makeRun({ isolation }).pre('Bash', { command: 'ls' })).toEqual({});
    const open = { ...isolation, allowUnsandboxedCommands: true };
    expect(await makeRun({ isolation: open }).pre('Bash', flag)).toEqual({});
    expect(await makeRun().pre('Bash', flag), 'without isolation').toEqual({});
  });

  test('the flag counts for every tool of the CLI that may run commands, and means nothing to others', async () => {
    const flag = { command: 'ls', dangerouslyDisableSandbox: true };
    for (const tool of ['Monitor', 'PowerShell']) {
      expect(reasonOf(await makeRun({ isolation }).pre(tool, flag)), tool).toBeDefined();
    }
    expect(await makeRun({ isolation }).pre('mcp__x__run', flag)).toEqual({});
    const text = { command: 'ls', dangerouslyDisableSandbox: 'true' };
    expect(reasonOf(await makeRun({ isolation }).pre('Bash', text))).toBeDefined();
    const off = { command: 'ls', dangerouslyDisableSandbox: false };
    expect(await makeRun({ isolation }).pre('Bash', off)).toEqual({});
  });

  test('web tools are held to the network policy, and only under isolation', async () => {
    const { pre } = makeRun({ isolation });
    expect(await pre('WebFetch', { url: 'https://docs.example/a' })).toEqual({});
    expect(reasonOf(await pre('WebFetch', { url: 'https://other.example/a' }))).toContain('other.example');
    expect(await makeRun().pre('WebFetch', { url: 'https://other.example/a' })).toEqual({});
    const closed = { ...isolation, networkPolicy: NetworkPolicy.noNetwork() };
    expect(reasonOf(await makeRun({ isolation: closed }).pre('WebSearch', { query: 'a' }))).toBe(
      'WebSearch is not allowed: the network policy lists no domain',
    );
  });
});

describe('PreToolUse, ids for the bridge', () => {
  test('the id of a call that may run waits for the bridge, under the name of the tool', async () => {
    const { pre, run } = makeRun();
    await pre('mcp__wink__lookup', { q: 1 }, { tool_use_id: 'toolu_9' });
    await pre('Bash', { q: 1 }, { tool_use_id: 'toolu_8' });
    expect(run.callIds.take('Bash', { q: 1 })).toBe(undefined);
    expect(run.callIds.take('lookup', { q: 1 })).toBe('toolu_9');
    expect(run.callIds.take('lookup', { q: 1 })).toBe(undefined);
  });

  test('a queue that throws is logged and denies nothing (AD-382)', async () => {
    class Broken extends CallIdQueue {
      override push(): void {
        throw new Error('no room');
      }
    }
    const { pre, logged } = makeRun({ callIds: new Broken() });
    expect(await pre('mcp__wink__lookup')).toEqual({});
    expect(logged).toEqual([
      {
        level: 'error',
        event: 'hook.error',
        context: { error: 'no room', errorType: 'Error', hookEvent: 'PreToolUse' },
      },
    ]);
  });
});
