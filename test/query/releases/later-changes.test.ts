import { describe, expect, test } from 'vitest';
import type { PermissionBehavior, PermissionResult, PermissionUpdate } from '../../../src/control/permission-types.js';
import { ControlRequestError, type HookCallback, type Options, query } from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';
import type { JsonObject } from '../../../src/util/json.js';

/** Rules as texts, `Tool` or `Tool(content)`. */
function rulesOf(behavior: PermissionBehavior, ...texts: string[]): PermissionUpdate {
  const rules = texts.map((text) => {
    const [toolName = '', ruleContent] = text.replace(/\)$/, '').split('(');
    return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
  });
  return { type: 'addRules', behavior, rules, destination: 'session' };
}

const allow = (...updatedPermissions: PermissionUpdate[]): PermissionResult => ({
  ...{ behavior: 'allow', updatedInput: {}, updatedPermissions },
});

/** What the CLI gets for what a callback answers. */
async function answerTo(claudeCodeVersion: string, result: PermissionResult): Promise<JsonObject> {
  await using cli = scriptedCli(({ prompt, init, toolUse, permission, toolResult, result: end }) => [
    prompt(),
    init(),
    toolUse('Bash', { command: 'ls' }),
    permission(),
    toolResult('x'),
    end('Done.'),
  ]);
  return await sentTo(cli, { claudeCodeVersion, canUseTool: async () => result });
}

async function sentTo(cli: ReturnType<typeof scriptedCli>, options: Options): Promise<JsonObject> {
  for await (const _ of query({ prompt: 'Hi', options: { permissionMode: 'default', ...cli.options, ...options } }));
  const answer = cli.sent.frames.find(({ type }) => type === 'control_response') as JsonObject;
  return (answer.response as { response: JsonObject }).response;
}

describe('rules that an answer adds', () => {
  const older: readonly [release: string, given: PermissionUpdate, sent: PermissionUpdate][] = [
    ['2.1.62', rulesOf('deny', 'Agent'), rulesOf('deny', 'Agent', 'Task')],
    ['2.0.76', rulesOf('deny', 'Bash(ls *)', 'Read'), rulesOf('deny', 'Bash(ls *)', 'Read', 'Bash(ls:*)')],
    ['2.0.60', rulesOf('deny', 'mcp__db__*'), rulesOf('deny', 'mcp__db__*', 'mcp__db')],
  ];
  test.each(older)('are given in an older form too on %s: %j', async (release, given, sent) => {
    const removed: PermissionUpdate = {
      ...(given as Extract<PermissionUpdate, { rules: unknown }>),
      type: 'removeRules',
    };
    const answer = await answerTo(release, allow(given, removed));
    expect(answer).toMatchObject({ behavior: 'allow', updatedPermissions: [sent, { ...sent, type: 'removeRules' }] });
  });

  const same: readonly [release: string, update: PermissionUpdate][] = [
    ['2.1.73', rulesOf('deny', 'Agent', 'Agent(x)', 'Bash(a * b)')],
    ['2.1.73', rulesOf('ask', 'Agent', 'Bash(ls:*)')],
    ['2.0.60', rulesOf('ask', 'Bash')],
    ['2.0.60', rulesOf('allow', 'Agent', 'Bash(ls *)', 'Bash(a * b)')],
    ['2.0.60', { ...rulesOf('deny', 'Agent(x)'), type: 'removeRules' } as PermissionUpdate],
    ['2.0.60', { type: 'addDirectories', directories: ['/tmp'], destination: 'session' }],
    ['2.0.60', { type: 'setMode', mode: 'plan', destination: 'session' }],
    ['2.0.60', { type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    ['2.1.330', { type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
  ];
  test.each(same)('go out as they are on %s: %j', async (release, update) => {
    const answer = await answerTo(release, allow(update));
    if ('rules' in update && update.type === 'removeRules') expect(answer.behavior).toBe('allow');
    else expect(answer).toMatchObject({ behavior: 'allow', updatedPermissions: [update] });
  });

  test('cannot set bypass mode, which older releases take although the start did not allow it', async () => {
    const bypass: PermissionUpdate = { type: 'setMode', mode: 'bypassPermissions', destination: 'session' };
    const other = rulesOf('allow', 'Read');
    expect(await answerTo('2.0.60', allow(bypass, other))).toMatchObject({ updatedPermissions: [other] });
    expect(await answerTo('2.0.60', allow(bypass))).toMatchObject({ behavior: 'allow', updatedPermissions: [] });
  });

  const refused: readonly [release: string, update: PermissionUpdate, words: string][] = [
    ['2.0.76', rulesOf('deny', 'Bash(a * b)'), 'does not honour `disallowedTools: Bash(a * b)`'],
    ['2.0.76', rulesOf('deny', 'Agent(x)'), 'does not honour `disallowedTools: Agent(type)`'],
    ['2.1.72', rulesOf('ask', 'Bash(ls:*)'), 'does not honour `settings.permissions.ask`'],
    ['2.1.165', rulesOf('ask', 'Ba*'), 'does not honour `settings.permissions.ask: Ba*`'],
    ['2.1.165', rulesOf('deny', '*'), 'does not honour `disallowedTools: Ba*`'],
    ['2.1.62', rulesOf('ask', 'Agent'), 'does not honour `settings.permissions.ask`'],
    ['2.1.200', { type: 'setMode', mode: 'plan', destination: 'session' }, "does not honour `permissionMode: 'plan'`"],
  ];
  test.each(refused)('deny the call where %s does not honour them: %j', async (release, update, words) => {
    const answer = await answerTo(release, allow(update));
    expect(answer).toEqual({ behavior: 'deny', message: expect.stringContaining(`Claude Code ${release} ${words}`) });
  });

  test.each([
    ['2.1.62', 'Agent', { behavior: 'allow', updatedPermissions: [rulesOf('deny', 'Agent', 'Task')] }],
    ['2.0.76', 'Agent(x)', { behavior: 'deny', message: expect.stringContaining('Agent(type)') }],
  ])('also from a hook: %s, %s', async (claudeCodeVersion, rule, decision) => {
    const hookEventName = 'PermissionRequest';
    const callback: HookCallback = async () => ({
      hookSpecificOutput: {
        hookEventName,
        decision: { behavior: 'allow', updatedPermissions: [rulesOf('deny', rule)] },
      },
    });
    await using cli = scriptedCli(({ prompt, init, hook, result }) => [
      prompt(),
      init(),
      hook(hookEventName, { tool_name: 'Bash' }),
      result('Done.'),
    ]);
    const answer = await sentTo(cli, { claudeCodeVersion, hooks: { [hookEventName]: [{ hooks: [callback] }] } });
    expect(answer).toEqual({ hookSpecificOutput: { hookEventName, decision } });
  });
});

describe('settings in mid-session', () => {
  async function apply(
    claudeCodeVersion: string,
    settings: JsonObject,
    isRefused = false,
    atStart: Options = {},
  ): Promise<unknown> {
    await using cli = scriptedCli(({ prompt, init, expectRequest, result }) => [
      prompt(),
      init(),
      ...(isRefused ? [] : [expectRequest('apply_flag_settings', {}, { answer: {} })]),
      result('Done.'),
    ]);
    const options: Options = { ...cli.options, permissionMode: 'default', claudeCodeVersion, ...atStart };
    await using run = query({ prompt: 'Hi', options });
    const applied = await run.applyFlagSettings(settings).catch((error: unknown) => error);
    for await (const _ of run);
    return applied ?? cli.sent.controlRequests.find(({ subtype }) => subtype === 'apply_flag_settings')?.settings;
  }

  test('have older forms beside rules that deny', async () => {
    const permissions = { deny: ['Agent', 'Read'], ask: ['Bash'], allow: ['Agent'] };
    const older = { ...permissions, deny: ['Agent', 'Read', 'Task'] };
    expect(await apply('2.1.62', { permissions, model: 'x' })).toEqual({ permissions: older, model: 'x' });
    expect(await apply('2.1.63', { permissions })).toEqual({ permissions });
    const several = ['Read, Agent'];
    expect(await apply('2.1.62', { permissions: { deny: several } })).toEqual({
      permissions: { deny: [...several, 'Task'] },
    });
    expect(await apply('2.1.62', { permissions: { deny: 7 } })).toEqual({ permissions: { deny: 7 } });
    expect(await apply('2.1.62', { model: 'x' })).toEqual({ model: 'x' });
  });

  test('go out without what the release would drop them for, which the program is told', async () => {
    const notes: string[] = [];
    const onDiagnostic: Options['onDiagnostic'] = ({ message }) => void notes.push(message);
    const hooks = { PostToolBatch: [{ hooks: [{ type: 'command', command: 'true' }] }] };
    const permissions = { deny: ['Write'] };
    const sent = await apply('2.1.84', { hooks, permissions }, false, { onDiagnostic });
    expect(sent).toEqual({ hooks: {}, permissions });
    expect(notes).toEqual([expect.stringContaining('this was left out: hooks.PostToolBatch.')]);
    expect(await apply('2.1.30', { permissions: { deny: ['Agent', 'Bash()'] } })).toEqual({
      permissions: { deny: ['Agent', 'Bash', 'Task'] },
    });
    expect(await apply('2.1.118', { hooks, permissions })).toEqual({ hooks, permissions });
  });

  test('bypass mode that the start did not allow is refused, as newer releases refuse it', async () => {
    const allowed = { allowDangerouslySkipPermissions: true };
    for (const [release, options, isRefused] of [
      ['2.1.74', {}, true],
      ['2.1.74', allowed, false],
      ['2.1.75', {}, false],
    ] as const) {
      await using cli = scriptedCli(({ prompt, init, expectRequest, result }) => [
        prompt(),
        init(),
        ...(isRefused ? [] : [expectRequest('set_permission_mode', {}, { answer: {} })]),
        result('Done.'),
      ]);
      await using run = query({ prompt: 'Hi', options: { ...cli.options, claudeCodeVersion: release, ...options } });
      const error = await run.setPermissionMode('bypassPermissions').catch((thrown: unknown) => thrown);
      expect(error instanceof ControlRequestError).toBe(isRefused);
      for await (const _ of run);
    }
  });

  test('a rewind that only says what it would do is refused where files would be changed', async () => {
    await using cli = scriptedCli(({ prompt, init, expectRequest, result }) => [
      prompt(),
      init(),
      expectRequest('rewind_files', { user_message_id: 'u' }, { answer: { canRewind: true } }),
      result('Done.'),
    ]);
    const options = { ...cli.options, claudeCodeVersion: '2.0.76', enableFileCheckpointing: true };
    await using run = query({ prompt: 'Hi', options });
    const refused = run.rewindFiles('u', { dryRun: true });
    await expect(refused).rejects.toThrow('2.0.76 does not honour `rewindFiles({ dryRun: true })`');
    expect(await run.rewindFiles('u')).toEqual({ canRewind: true });
    for await (const _ of run);
  });

  test.each([
    ['2.0.76', { permissions: { deny: ['Bash(a * b)'] } }, 'disallowedTools: Bash(a * b)'],
    ['2.1.72', { permissions: { ask: ['Task(x)'] } }, 'settings.permissions.ask'],
    ['2.1.200', { permissions: { defaultMode: 'plan' } }, "permissionMode: 'plan'"],
    ['2.1.82', { sandbox: { enabled: true, failIfUnavailable: true } }, 'sandbox'],
    ['2.1.218', { sandbox: { network: { strictAllowlist: true } } }, 'sandbox.network.strictAllowlist'],
    ['2.1.82', { deniedMcpServers: [{ serverName: 'x' }] }, 'deniedMcpServers'],
    ['2.1.82', { allowedMcpServers: [] }, 'allowedMcpServers'],
  ])('are refused where %s does not honour them: %j', async (release, settings, option) => {
    const error = await apply(release, settings, true);
    expect(error).toBeInstanceOf(ControlRequestError);
    expect((error as Error).message).toContain(`Claude Code ${release} does not honour \`${option}\``);
  });

  test('a sandbox that was off with limits is not switched on', async () => {
    const off: Options = { sandbox: { enabled: false, network: { deniedDomains: ['a.org'] } } };
    const on = { sandbox: { enabled: true } };
    expect(await apply('2.1.113', on, false, off)).toEqual(on);
    const error = await apply('2.1.112', on, true, off);
    expect((error as Error).message).toContain('does not honour `sandbox.network.deniedDomains`');
    expect(await apply('2.1.112', { model: 'x' }, false, off)).toEqual({ model: 'x' });
  });
});
