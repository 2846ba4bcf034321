import type { Script, ScriptItem } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { CALL, DENY, deferring, RESUMED, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, eventsUntil, hostOn, newKey, turnOf } from '../helpers/hosts.js';

type Kit = Parameters<Extract<Script, (...args: never[]) => unknown>>[0];

const DROPS = { CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL: '1' };
const over = (kit: Kit) => kit.toolResult('x', { isError: true, toolUseId: CALL.tool_use_id });
const UNAVAILABLE = { is_error: true, terminal_reason: 'tool_deferred_unavailable' } as const;

/** A call waits, and the user sends a message instead of a decision. @returns the types of the events from then on. */
async function afterMessage(resumed: (kit: Kit) => readonly ScriptItem[]): Promise<readonly string[]> {
  const { cwd, options } = await sharedStores();
  const cli = cliFor((kit) => [
    [kit.process(), ...deferring(kit)],
    [kit.process({ ...RESUMED, env: DROPS }), kit.prompt('Never mind'), ...resumed(kit)],
  ]);
  const host = hostOn(cli, options, cwd);
  const key = await newKey(host);
  await ask(host, key, 'Deploy');
  const { eventId } = await host.send({ ...key, text: 'Never mind' });
  const events = (await turnOf(host, key, eventId)).map(({ event }) => event);
  expect((await host.approvals(key)).map(({ state }) => state)).toEqual(['withdrawn']);
  return events.flatMap((event) => {
    if (event.type === 'message' && event.message.type === 'result') {
      return [`result ${event.message.subtype === 'success' ? event.message.result : ''}`];
    }
    return event.type === 'turn_ended' ? [event.outcome] : [];
  });
}

/** What the newest CLI does, by `test/live/approvals.live.test.ts`. */
describe('V-1: a message that takes the place of a decision', () => {
  test('is answered in its turn, after what the model says about the call', async () => {
    const seen = await afterMessage((kit) => [
      ...[kit.hook('PreToolUse', CALL, { expect: DENY }), over(kit), kit.init(), kit.result('About the call.')],
      ...[kit.init(), kit.result('About the message.')],
    ]);
    expect(seen).toEqual(['result About the call.', 'result About the message.', 'completed']);
  });

  test('is answered where Claude Code has dropped the call of a server that connects late', async () => {
    const seen = await afterMessage((kit) => [
      ...[over(kit), kit.result('', UNAVAILABLE), kit.init(), kit.result('About the message.')],
    ]);
    expect(seen).toEqual(['result ', 'result About the message.', 'completed']);
  });

  test('is answered by a release that drops nothing, which looks for the call again', async () => {
    const seen = await afterMessage((kit) => [
      ...[
        kit.result('', UNAVAILABLE),
        kit.prompt('The tool call that waited is not made. Go on with what was said after it.'),
      ],
      ...[kit.hook('PreToolUse', CALL, { expect: DENY }), over(kit), kit.init(), kit.result('About the message.')],
      ...[kit.init(), kit.result('About the note.')],
    ]);
    expect(seen).toEqual(['result ', 'result About the message.', 'result About the note.', 'completed']);
  });

  test('is not lost by another call that needs an approval, which is refused until then', async () => {
    const again = { ...CALL, tool_use_id: 'toolu_2' };
    const seen = await afterMessage((kit) => [
      ...[kit.hook('PreToolUse', CALL, { expect: DENY }), over(kit), kit.init()],
      ...[kit.hook('PreToolUse', again, { expect: DENY }), kit.result('About the call.')],
      ...[kit.init(), kit.result('About the message.')],
    ]);
    expect(seen.at(-1)).toBe('completed');
  });
});

test('a message that is stopped while the call before it is settled is stopped too', async () => {
  const aborted = (kit: Kit) => kit.errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' });
  const { cwd, options } = await sharedStores();
  const cli = cliFor((kit) => [
    [kit.process(), ...deferring(kit)],
    [
      ...[kit.process(RESUMED), kit.prompt('Never mind'), kit.hook('PreToolUse', CALL, { expect: DENY }), over(kit)],
      ...[kit.init(), kit.assistantText('About'), kit.expectRequest('interrupt'), aborted(kit)],
      // It goes on with the message.
      ...[kit.init(), kit.expectRequest('interrupt'), aborted(kit)],
    ],
  ]);
  const host = hostOn(cli, options, cwd);
  const key = await newKey(host);
  await ask(host, key, 'Deploy');
  const { eventId } = await host.send({ ...key, text: 'Never mind' });
  await eventsUntil(host, key, ({ event }) => event.type === 'message' && event.message.type === 'assistant', eventId);
  expect(await host.interrupt(key)).toBe(true);
  expect((await turnOf(host, key, eventId)).at(-1)?.event).toMatchObject({ outcome: 'interrupted' });
});

test('a call that was decided is not dropped, whatever the tenant has set', async () => {
  const { cwd, options } = await sharedStores();
  const cli = cliFor((kit) => [
    [kit.process(), ...deferring(kit)],
    [
      kit.process({ ...RESUMED, env: { CLAUDE_CODE_DROP_UNAVAILABLE_DEFERRED_TOOL: '$absent' } }),
      ...[kit.hook('PreToolUse', CALL), kit.toolResult('ok'), kit.init(), kit.result('Done.')],
    ],
  ]);
  const optionsFor = () => ({ ...cli.options, cwd, env: { ...process.env, ...DROPS, CLAUDE_CONFIG_DIR: cwd } });
  const host = hostOn(cli, { ...options, optionsFor }, cwd);
  const key = await newKey(host);
  await ask(host, key, 'Deploy');
  const [{ approvalId = '', token = '' } = {}] = await host.approvals(key);
  const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
  expect((await turnOf(host, key, eventId)).at(-1)?.event).toMatchObject({ outcome: 'completed' });
});
