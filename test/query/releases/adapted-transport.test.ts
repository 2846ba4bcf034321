import { describe, expect, test } from 'vitest';
import { ControlRequestError, type HookCallback, type Options, query } from '../../../src/index.js';
import { scriptedCli } from '../../../src/testing/scripted-cli.js';

function answers(permissionDecision: 'allow' | 'ask', reason?: string): HookCallback {
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
  await expect(refused).rejects.toThrow('Claude Code 2.1.200 runs commands unasked in plan mode.');
  await run.setPermissionMode('acceptEdits');
  for await (const _ of run);
  expect(cli.sent.controlRequests).toEqual([{ subtype: 'set_permission_mode', mode: 'acceptEdits' }]);
});
