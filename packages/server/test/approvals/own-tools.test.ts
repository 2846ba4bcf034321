import { faults, type Script, type ScriptItem } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import type { Decision } from '../../src/approvals/approval.js';
import type { SessionHost } from '../../src/host/session-host.js';
import type { ConversationKey } from '../../src/stores/conversation-key.js';
import { ALLOW, CALL, DEFER, DENY, deferring, RESUMED, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, eventsUntil, hostOn, newKey, turnOf } from '../helpers/hosts.js';

type Kit = Parameters<Extract<Script, (...args: never[]) => unknown>>[0];

const WAKE_UP = 'Somebody has decided about the tool call that waited. Go on with it.';
/** What Claude Code says of a call whose server has not connected yet. */
const unavailable = ({ result }: Kit) =>
  result('', {
    ...{ is_error: true, terminal_reason: 'tool_deferred_unavailable', stop_reason: 'tool_deferred_unavailable' },
  });

async function hostWith(
  resumed: (kit: Kit) => readonly ScriptItem[],
  first: (kit: Kit) => readonly ScriptItem[] = deferring,
): Promise<SessionHost> {
  const { cwd, options } = await sharedStores();
  const cli = cliFor((kit) => [
    [kit.process(), ...first(kit)],
    [kit.process(RESUMED), ...resumed(kit)],
  ]);
  return hostOn(cli, options, cwd);
}

/** Waits for the call, and decides. The id of the event. */
async function decided(host: SessionHost, key: ConversationKey, decision: Decision): Promise<number> {
  expect(await ask(host, key, 'Deploy')).toBe('deferred');
  const { approvalId = '', token = '' } = (await host.approvals(key)).find(({ state }) => state === 'open') ?? {};
  return (await host.decide({ ...key, approvalId, token, decision })).eventId;
}

const ends = async (host: SessionHost, key: ConversationKey, after: number) =>
  (await turnOf(host, key, after)).flatMap(({ event }) =>
    event.type === 'approval_closed' ? [event.state] : event.type === 'turn_ended' ? [event.outcome] : [],
  );

describe('V-1: a call of a server that connects late', () => {
  test.each([
    ['runs once it is there', { behavior: 'allow' }, ALLOW, 'done'],
    ['does not run where it was denied', { behavior: 'deny' }, DENY, 'denied'],
  ] as const)('%s', async (_, decision, expected, state) => {
    const host = await hostWith((kit) => [
      unavailable(kit),
      // Only now, and not as a user's.
      kit.prompt(WAKE_UP),
      kit.hook('PreToolUse', CALL, { expect: expected }),
      ...[kit.toolResult('x', { isError: state === 'denied' }), kit.init(), kit.result('Done.')],
    ]);
    const key = await newKey(host);
    const eventId = await decided(host, key, decision);
    expect(await ends(host, key, eventId)).toEqual([state, 'completed']);
    const events = await eventsUntil(
      host,
      key,
      ({ event }) => event.type === 'turn_ended' && event.outcome !== 'deferred',
    );
    expect(events.filter(({ event }) => event.type === 'user_message')).toHaveLength(1);
  });

  test('is lost where it never is there, after one try', async () => {
    const host = await hostWith((kit) => [unavailable(kit), kit.prompt(WAKE_UP), unavailable(kit)]);
    const key = await newKey(host);
    const eventId = await decided(host, key, { behavior: 'allow' });
    expect((await ends(host, key, eventId))[0]).toBe('lost');
  });

  test('does not run when the turn was stopped before', async () => {
    const host = await hostWith((kit) => [kit.expectRequest('interrupt'), unavailable(kit)]);
    const key = await newKey(host);
    const eventId = await decided(host, key, { behavior: 'allow' });
    expect(await host.interrupt(key)).toBe(true);
    expect(await ends(host, key, eventId)).toEqual(['lost', 'interrupted']);
  });

  test('is unknown when its process dies after it was asked about', async () => {
    const host = await hostWith((kit) => [
      ...[unavailable(kit), kit.prompt(WAKE_UP), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
      faults.crash({ exitCode: 137 }),
    ]);
    const key = await newKey(host);
    const eventId = await decided(host, key, { behavior: 'allow' });
    expect(await ends(host, key, eventId)).toEqual(['outcome_unknown', 'crashed']);
  });
});

const SECOND = { ...CALL, tool_use_id: 'toolu_2', tool_input: { command: 'two' } };

/** Of two calls in one message Claude Code keeps the second. */
const deferringTwo = (kit: Kit) => [
  ...[kit.prompt('Deploy'), kit.init(), kit.hook('PreToolUse', CALL, { expect: DEFER })],
  kit.hook('PreToolUse', SECOND, { expect: DEFER }),
  kit.result('', {
    terminal_reason: 'tool_deferred',
    deferred_tool_use: { id: 'toolu_2', name: 'Bash', input: SECOND.tool_input },
  }),
];

test.each([
  [{ behavior: 'allow' }, 'allow'],
  [{ behavior: 'deny', message: 'No.' }, 'deny'],
] as const)('the model hears of a lost call when the other one goes on: %j', async (decision, permissionDecision) => {
  const additionalContext = `These calls were made in the same message. Nobody was asked about them, and they did not run:
- Bash {"command":"deploy"}
Make each of them again if it is still needed, one in a message.`;
  const host = await hostWith(
    (kit) => [
      kit.init(),
      kit.hook('PreToolUse', SECOND, { expect: { hookSpecificOutput: { permissionDecision, additionalContext } } }),
      ...[kit.toolResult('x'), kit.result('Done.')],
    ],
    deferringTwo,
  );
  const key = await newKey(host);
  const eventId = await decided(host, key, decision);
  expect((await ends(host, key, eventId)).at(-1)).toBe('completed');
});

test('a lost call is announced with what it was', async () => {
  const { cwd, options } = await sharedStores();
  const host = hostOn(cliFor(deferringTwo), options, cwd);
  const key = await newKey(host);
  await ask(host, key, 'Deploy');
  const closed = (await turnOf(host, key)).find(({ event }) => event.type === 'approval_closed')?.event;
  expect(closed).toMatchObject({ state: 'lost', toolUseId: 'toolu_1', toolName: 'Bash', input: CALL.tool_input });
});
