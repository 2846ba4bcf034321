import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/diagnostics.js';
import {
  ControlRequestError,
  type HookCallback,
  type HookEvent,
  type HookJSONOutput,
  type Options,
  query,
} from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';

function answers(permissionDecision: 'allow' | 'ask' | 'defer', reason?: string): HookCallback {
  const given = reason === undefined ? {} : { permissionDecisionReason: reason };
  return async () => ({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...given } });
}

const DENIED =
  'A hook did not decide about this call, and Claude Code 2.1.84 may then run it unasked, so it is denied.';

describe("a hook's answer in a mode that approves calls", () => {
  const cases: readonly [string, string, HookCallback, object][] = [
    [
      'to ask is a denial',
      '2.1.84',
      answers('ask', 'Delicate.'),
      { decision: 'deny', reason: `Delicate. (${DENIED})` },
    ],
    ['to ask without a reason is a denial', '2.1.84', answers('ask'), { decision: 'deny', reason: DENIED }],
    ['to allow stays', '2.1.84', answers('allow', 'Fine.'), { decision: 'allow', reason: 'Fine.' }],
    [
      'to ask stays for newer releases',
      '2.1.85',
      answers('ask', 'Delicate.'),
      { decision: 'ask', reason: 'Delicate.' },
    ],
    ['to defer is a denial', '2.1.84', answers('defer'), { decision: 'deny', reason: DENIED }],
    [
      'to defer is a denial for longer (O-1)',
      '2.1.88',
      answers('defer', 'Later.'),
      { decision: 'deny', reason: `Later. (${DENIED.replace('2.1.84', '2.1.88')})` },
    ],
    [
      'to defer stays for newer releases',
      '2.1.89',
      answers('defer', 'Later.'),
      { decision: 'defer', reason: 'Later.' },
    ],
  ];
  for (const [title, claudeCodeVersion, callback, expected] of cases) {
    test(title, async () => {
      const { decision, reason } = expected as { decision: string; reason: string };
      const output = { permissionDecision: decision, permissionDecisionReason: reason };
      await using cli = scriptedCli(({ prompt, init, toolUse, hook, toolResult, result }) => [
        prompt(),
        init(),
        toolUse('Bash', { command: 'ls' }),
        hook('PreToolUse', {}, { expect: { hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } } }),
        toolResult('x'),
        result('Done.'),
      ]);
      const options: Options = { ...cli.options, permissionMode: 'acceptEdits', claudeCodeVersion };
      for await (const _ of query({
        prompt: 'Hi',
        options: { ...options, hooks: { PreToolUse: [{ hooks: [callback] }] } },
      }));
    });
  }
});

const CHANGED = /^A hook changed the input of this call .* Claude Code 2\.1\.1 would use the input from before/;

describe('a hook that changes an input', () => {
  const updatedInput = { command: 'ls -a' };
  const cases: readonly [title: string, release: string, given: object, expected: object][] = [
    [
      'without a decision denies',
      '2.1.1',
      { updatedInput },
      { permissionDecision: 'deny', permissionDecisionReason: expect.stringMatching(CHANGED) },
    ],
    ['and allows is taken', '2.1.1', { updatedInput, permissionDecision: 'allow' }, { permissionDecision: 'allow' }],
    ['without a decision is taken by newer releases', '2.1.2', { updatedInput }, { updatedInput }],
  ];
  test.each(cases)('%s', async (_, claudeCodeVersion, given, expected) => {
    const hookEventName = 'PreToolUse';
    const output = await answerOf(claudeCodeVersion, { hookEventName, ...given });
    expect(output).toMatchObject({ hookEventName, updatedInput, ...expected });
    if (claudeCodeVersion === '2.1.2') expect(output).not.toHaveProperty('permissionDecision');
  });
});

describe('a hook that changes an output', () => {
  const output = { hookEventName: 'PostToolUse', updatedToolOutput: 'hidden' };

  test('is understood for MCP tools before 2.1.121, and reported once', async () => {
    const diagnostics: Diagnostic[] = [];
    expect(await answerOf('2.1.120', output, diagnostics)).toEqual({ ...output, updatedMCPToolOutput: 'hidden' });
    expect(diagnostics).toMatchObject([{ code: 'option_not_honoured', details: { option: 'updatedToolOutput' } }]);
  });

  test('is as it was for newer releases, and where the hook says it in the older way', async () => {
    expect(await answerOf('2.1.121', output)).toEqual(output);
    const older = { ...output, updatedMCPToolOutput: 'own' };
    expect(await answerOf('2.1.120', older)).toEqual(older);
  });
});

/** What the CLI gets of a hook's output, which is asked twice. */
async function answerOf(claudeCodeVersion: string, output: object, diagnostics: Diagnostic[] = []): Promise<unknown> {
  const event = (output as { hookEventName: HookEvent }).hookEventName;
  await using cli = scriptedCli(({ prompt, init, hook, result }) => [
    prompt(),
    init(),
    hook(event, { tool_name: 'Bash' }),
    hook(event, { tool_name: 'Bash' }),
    result('Done.'),
  ]);
  const hooks = { [event]: [{ hooks: [async () => ({ hookSpecificOutput: output }) as HookJSONOutput] }] };
  const onDiagnostic = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
  const options = { ...cli.options, permissionMode: 'default' as const, claudeCodeVersion, hooks, onDiagnostic };
  for await (const _ of query({ prompt: 'Hi', options }));
  const answer = cli.sent.frames.find(({ type }) => type === 'control_response') as {
    response: { response: { hookSpecificOutput: unknown } };
  };
  return answer.response.response.hookSpecificOutput;
}

test('plan mode is refused in mid-session where commands run in it, and other modes are not', async () => {
  await using cli = scriptedCli(({ prompt, init, expectRequest, result }) => [
    prompt(),
    init(),
    expectRequest('set_permission_mode', { mode: 'acceptEdits' }, { answer: {} }),
    result('Done.'),
  ]);
  const run = query({
    prompt: 'Hi',
    options: { ...cli.options, permissionMode: 'default', claudeCodeVersion: '2.1.200' },
  });
  const refused = run.setPermissionMode('plan');
  await expect(refused).rejects.toThrow(ControlRequestError);
  await expect(refused).rejects.toThrow("Claude Code 2.1.200 does not honour `permissionMode: 'plan'`, which needs a");
  await run.setPermissionMode('acceptEdits');
  for await (const _ of run);
  expect(cli.sent.controlRequests).toEqual([{ subtype: 'set_permission_mode', mode: 'acceptEdits' }]);
});

test('context of a hook that the model does not get is reported once', async () => {
  const diagnostics: Diagnostic[] = [];
  const run = async (claudeCodeVersion: string): Promise<void> => {
    await using cli = scriptedCli(({ prompt, init, hook, result }) => [
      prompt(),
      init(),
      hook('PreToolUse', { tool_name: 'Bash', tool_input: {} }),
      hook('PreToolUse', { tool_name: 'Bash', tool_input: {} }),
      result('Done.'),
    ]);
    const context: HookCallback = async () => ({
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'It is late.' },
    });
    const options: Options = { ...cli.options, claudeCodeVersion, hooks: { PreToolUse: [{ hooks: [context] }] } };
    const onDiagnostic = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic);
    for await (const _ of query({ prompt: 'Hi', options: { permissionMode: 'default', ...options, onDiagnostic } }));
  };
  await run('2.1.9');
  expect(diagnostics.filter(({ code }) => code === 'option_not_honoured')).toEqual([]);
  await run('2.1.8');
  expect(diagnostics.filter(({ code }) => code === 'option_not_honoured')).toMatchObject([
    { details: { option: 'additionalContext', release: '2.1.8' } },
  ]);
});
