import { FileSessionStore } from 'claudewire';
import { faults, type Script } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import type { SessionHost } from '../../src/host/session-host.js';
import type { ConversationKey } from '../../src/stores/conversation-key.js';
import { ALLOW, CALL, DEFER, DENY, deferring, RESUMED, type Shared, sharedStores } from '../helpers/approvals.js';
import { ask, cliFor, eventsUntil, hostOn, newKey, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

function hostsOn(script: Script, { cwd, options }: Shared, count = 1): SessionHost[] {
  const cli = cliFor(script);
  return Array.from({ length: count }, () => hostOn(cli, options, cwd));
}

/** A conversation with a call that waits. */
async function deferred(host: SessionHost): Promise<{ key: ConversationKey; approvalId: string; token: string }> {
  const key = await newKey(host);
  expect(await ask(host, key, 'Deploy')).toBe('deferred');
  const [approval] = await host.approvals(key);
  if (approval?.token === undefined) throw new Error('nothing waits');
  return { key, approvalId: approval.approvalId, token: approval.token };
}

const stateOf = async (host: SessionHost, key: ConversationKey) =>
  (await host.approvals(key)).map(({ state }) => state);
const closings = async (host: SessionHost, key: ConversationKey, after = 0) =>
  (await turnOf(host, key, after)).flatMap(({ event }) => (event.type === 'approval_closed' ? [event.state] : []));

describe('a call that needs an approval', () => {
  test('waits, and runs in a new process with exactly the input that was shown', async () => {
    const parts = await sharedStores();
    const [one, two] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          kit.process(RESUMED),
          ...[
            kit.init(),
            kit.hook('PreToolUse', CALL, { expect: ALLOW }),
            kit.toolResult('deployed'),
            kit.result('Done.'),
          ],
        ],
      ],
      parts,
      2,
    ) as [SessionHost, SessionHost];
    const { key, approvalId, token } = await deferred(one);
    const events = await turnOf(one, key);
    expect(events.at(-2)?.event).toMatchObject({ type: 'approval', approvalId, input: CALL.tool_input });
    expect(JSON.stringify(events)).not.toContain(token);
    await expect.poll(() => one.metrics().processes).toBe(0);

    // An hour later, on another host.
    const { eventId } = await two.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    const rest = await turnOf(two, key, eventId - 1);
    expect(rest[0]?.event).toEqual({ type: 'approval_decided', approvalId, behavior: 'allow' });
    expect(rest.at(-2)?.event).toEqual({ type: 'approval_closed', approvalId, toolUseId: 'toolu_1', state: 'done' });
    expect(rest.at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    expect(await stateOf(two, key)).toEqual(['done']);
    // Answered once.
    for (const host of [one, two]) {
      await expect(host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } })).rejects.toMatchObject({
        code: 'conflict',
      });
    }
  });

  test('runs with the input that the approver gave', async () => {
    const updatedInput = { command: 'deploy --dry-run' };
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.init()],
          kit.hook('PreToolUse', CALL, {
            expect: { hookSpecificOutput: { permissionDecision: 'allow', updatedInput } },
          }),
          // A rule that asks is asked about the input that was given, and about no other.
          kit.permission('Bash', updatedInput, { toolUseId: 'toolu_1', expect: 'allow' }),
          kit.permission('Bash', CALL.tool_input, { toolUseId: 'toolu_1', expect: 'deny' }),
          ...[kit.toolResult('deployed'), kit.result('Done.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow', updatedInput } });
    expect(await closings(host, key, eventId)).toEqual(['done']);
  });

  test('that is denied does not run, and Claude Code hears why', async () => {
    const reason = { permissionDecision: 'deny', permissionDecisionReason: 'Not today.' };
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[
            kit.process(RESUMED),
            kit.init(),
            kit.hook('PreToolUse', CALL, { expect: { hookSpecificOutput: reason } }),
          ],
          ...[kit.toolResult('Not today.', { isError: true }), kit.result('I see.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const decision = { behavior: 'deny', message: 'Not today.' } as const;
    const { eventId } = await host.decide({ ...key, approvalId, token, decision });
    expect(await closings(host, key, eventId)).toEqual(['denied']);
  });

  const altered = [
    ['another input', { ...CALL, tool_input: { command: 'deploy --all' } }],
    ['another tool', { ...CALL, tool_name: 'Write' }],
  ] as const;
  test.each(altered)('is denied when Claude Code asks about %s', async (_, call) => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', call, { expect: DENY }), kit.result('Hm.')],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    expect(await closings(host, key, eventId)).toEqual(['lost']);
  });

  test('is allowed once in its turn', async () => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
          ...[kit.hook('PreToolUse', CALL, { expect: DENY }), kit.toolResult('x'), kit.result('Done.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    expect(await closings(host, key, eventId)).toEqual(['done']);
  });

  test('that Claude Code does not ask about is lost, and unknown when it says that it ran', async () => {
    for (const [ran, state] of [
      [false, 'lost'],
      [true, 'outcome_unknown'],
    ] as const) {
      const [host] = hostsOn(
        (kit) => [
          [kit.process(), ...deferring(kit)],
          [kit.process(RESUMED), kit.init(), ...(ran ? [kit.toolResult('x')] : []), kit.result('Done.')],
        ],
        await sharedStores(),
      ) as [SessionHost];
      const { key, approvalId, token } = await deferred(host);
      const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
      expect(await closings(host, key, eventId)).toEqual([state]);
    }
  });

  // V-10: each was `failed`, which says that the tool ran.
  const cut = (kind: string) => ({ tool_result_meta: [{ id: CALL.tool_use_id, non_execution_kind: kind }] });
  const ends = [
    ['cut by an interrupt', 'The user rejected it.', cut('user-rejected'), false, 'outcome_unknown'],
    ['cut by the end of the process', 'Exit code 137', {}, false, 'outcome_unknown'],
    ['refused by a rule', 'No.', cut('permission-rule'), true, 'denied'],
    ['an error', 'Exit code 1', {}, false, 'failed'],
    ['an error that looks like a cut', 'Exit code 137\n[Request interrupted by user for tool use]', {}, true, 'failed'],
  ] as const;
  test.each(ends)('that was allowed and is %s', async (_, text, fields, goesOn, state) => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
          kit.toolResult(text, { isError: true, toolUseId: CALL.tool_use_id, ...fields }),
          ...(goesOn ? [kit.assistantText('I see.')] : []),
          kit.result(goesOn ? 'I see.' : ''),
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    expect(await closings(host, key, eventId)).toEqual([state]);
  });

  test('is withdrawn by a new message, and denied when Claude Code comes back to it', async () => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.hook('PreToolUse', CALL, { expect: DENY })],
          ...[kit.prompt('Never mind'), kit.init(), kit.assistantText('Fine.'), kit.result('Fine.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    expect(await ask(host, key, 'Never mind')).toBe('completed');
    expect(await stateOf(host, key)).toEqual(['withdrawn']);
    await expect(host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('of two in one message the first is lost, and said to be', async () => {
    const second = { ...CALL, tool_use_id: 'toolu_2', tool_input: { command: 'two' } };
    const [host] = hostsOn(
      (kit) => [
        ...[kit.prompt('Deploy'), kit.init(), kit.hook('PreToolUse', CALL, { expect: DEFER })],
        kit.hook('PreToolUse', second, { expect: DEFER }),
        kit.result('', {
          terminal_reason: 'tool_deferred',
          deferred_tool_use: { id: 'toolu_2', name: 'Bash', input: second.tool_input },
        }),
      ],
      await sharedStores(),
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('deferred');
    expect((await host.approvals(key)).map(({ toolUseId, state }) => [toolUseId, state]).sort()).toEqual([
      ['toolu_1', 'lost'],
      ['toolu_2', 'open'],
    ]);
  });

  test('expires', async () => {
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], await sharedStores({ expiresMs: 1 })) as [
      SessionHost,
    ];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('deferred');
    await expect.poll(() => stateOf(host, key)).toEqual(['expired']);
    const [{ approvalId, token } = { approvalId: '' }] = await host.approvals(key);
    expect(token).toBeUndefined();
    await expect(
      host.decide({ ...key, approvalId, token: 'k1.x.y', decision: { behavior: 'allow' } }),
    ).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('of a subagent is denied, since none can wait', async () => {
    const [host] = hostsOn(
      ({ prompt, init, hook, result }) => [
        ...[prompt('Deploy'), init(), hook('PreToolUse', { ...CALL, agent_id: 'a1' }, { expect: DENY })],
        result('No.'),
      ],
      await sharedStores(),
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('completed');
    expect(await host.approvals(key)).toEqual([]);
  });

  const broken = {
    'the rule throws': () => Promise.reject(new Error('no')),
    'the rule returns nothing': () => undefined as never,
  };
  test.each(Object.entries(broken))('does not run when %s', async (name, needsApproval) => {
    const [host] = hostsOn(
      ({ prompt, init, hook, result }) => [
        ...[prompt('Deploy'), init(), hook('PreToolUse', CALL, { expect: name.includes('throws') ? DENY : DEFER })],
        result('No.'),
      ],
      await sharedStores({ needsApproval }),
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('completed');
  });

  test('does not run when the rule has not answered in time', async () => {
    const parts = await sharedStores({ needsApproval: () => new Promise<boolean>(() => {}) });
    const options = { ...parts.options, limits: { storeMs: 200 } };
    const [host] = hostsOn(
      ({ prompt, init, hook, result }) => [
        ...[prompt('Deploy'), init(), hook('PreToolUse', CALL, { expect: DENY }), result('No.')],
      ],
      { ...parts, options },
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('completed');
    expect(await host.approvals(key)).toEqual([]);
  });

  test('a rule that fails for an answer with another input is a failure of a store, and the question stays', async () => {
    let isBroken = false;
    const needsApproval = () => (isBroken ? Promise.reject(new Error('connection reset')) : false);
    const [host] = hostsOn(
      ({ prompt, init, toolUse, permission, toolResult, result }) => [
        ...[prompt('Go'), init(), toolUse('Read', { file_path: 'a' }), permission(), toolResult('x'), result('Done.')],
      ],
      await sharedStores({ needsApproval }),
    ) as [SessionHost];
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const asked = (await eventsUntil(host, key, ({ event }) => event.type === 'question')).at(-1);
    const questionId = asked?.event.type === 'question' ? asked.event.questionId : '';
    isBroken = true;
    const answer = { behavior: 'allow', updatedInput: { file_path: 'b' } } as const;
    await expect(host.answer({ ...key, questionId, answer })).rejects.toMatchObject({
      ...{ name: 'HostError', code: 'store_failed' },
    });
    await host.answer({ ...key, questionId, answer: { behavior: 'allow' } });
    expect((await turnOf(host, key, asked?.id)).at(-1)?.event).toMatchObject({ outcome: 'completed' });
  });

  test('does not run when its approval cannot be stored', async () => {
    const store = new InMemoryApprovalStore();
    store.create = () => Promise.reject(new Error('disk full'));
    const [host] = hostsOn(
      ({ prompt, init, hook, result }) => [
        prompt('Deploy'),
        init(),
        hook('PreToolUse', CALL, { expect: DENY }),
        result('No.'),
      ],
      await sharedStores({ store }),
    ) as [SessionHost];
    const key = await newKey(host);
    expect(await ask(host, key, 'Deploy')).toBe('completed');
  });
});

describe('a decision', () => {
  test('needs the token of this approval, and the tenant', async () => {
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], await sharedStores()) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const decision = { behavior: 'allow' } as const;
    const cases = [
      [{ token: `${token.slice(0, -2)}AA` }, 'forbidden'],
      [{ token: '' }, 'forbidden'],
      [{ tenant: 'bob' }, 'not_found'],
      [{ approvalId: '00000000-0000-4000-8000-000000000000' }, 'not_found'],
      [{ approvalId: '../../x' }, 'not_found'],
    ] as const;
    for (const [change, code] of cases) {
      await expect(host.decide({ ...key, approvalId, token, decision, ...change })).rejects.toMatchObject({ code });
    }
    await expect(host.approvals({ ...key, tenant: 'bob' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await stateOf(host, key)).toEqual(['open']);
  });

  test('is taken once, of many at the same time on two hosts', async () => {
    const [one, two] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
          ...[kit.toolResult('x'), kit.result('Done.')],
        ],
      ],
      await sharedStores(),
      2,
    ) as [SessionHost, SessionHost];
    const { key, approvalId, token } = await deferred(one);
    const all = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? one : two).decide({ ...key, approvalId, token, decision: { behavior: 'allow' } }),
      ),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const each of all) {
      if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'conflict' });
    }
    await expect.poll(() => stateOf(one, key)).toEqual(['done']);
  });

  test('whose process dies while the tool runs is unknown, and the call is never made again', async () => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [
          ...[kit.process(RESUMED), kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW })],
          faults.crash({ exitCode: 137 }),
        ],
        [
          ...[kit.process(RESUMED), kit.hook('PreToolUse', CALL, { expect: DENY })],
          ...[kit.prompt('And?'), kit.init(), kit.assistantText('Look.'), kit.result('Look.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const { eventId } = await host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    expect(await closings(host, key, eventId)).toEqual(['outcome_unknown']);
    expect(await ask(host, key, 'And?')).toBe('completed');
    expect(await stateOf(host, key)).toEqual(['outcome_unknown']);
  });

  test('whose host dies is unknown for whoever looks, once the lease has passed', async () => {
    const parts = await sharedStores();
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], parts) as [SessionHost];
    const { key, approvalId } = await deferred(host);
    const { store } = parts.options as SessionHostOptions;
    // What a host leaves that is killed right after the decision is stored.
    await expect.poll(() => store.acquire(key, 30)).toBeDefined();
    await parts.approvals.change(key, approvalId, 'open', { state: 'consumed' });
    expect(await stateOf(host, key)).toEqual(['consumed']);
    await expect.poll(() => stateOf(host, key)).toEqual(['outcome_unknown']);
  });

  test.each(['whoever looks', 'the next message'])(
    'whose host dies before it says that the call ran is said to be done to %s',
    async (who) => {
      const parts = await sharedStores();
      const { eventLog, store } = parts.options as SessionHostOptions;
      const [host] = hostsOn(
        (kit) => [
          [kit.process(), ...deferring(kit)],
          ...(who === 'whoever looks' ? [] : [[kit.process(), kit.turn('Fine.', 'And?')]]),
        ],
        parts,
      ) as [SessionHost];
      const { key, approvalId } = await deferred(host);
      // What a host leaves that is killed between the store and the log.
      await expect.poll(() => store.acquire(key, 30)).toBeDefined();
      await eventLog?.append(key, [{ type: 'approval_decided', approvalId, behavior: 'allow' }]);
      await parts.approvals.change(key, approvalId, 'open', { state: 'consumed' });
      await parts.approvals.change(key, approvalId, 'consumed', { state: 'done' });
      const last = async () => (await eventLog?.read(key, 0, 100))?.events.at(-1)?.event.type;
      if (who === 'whoever looks')
        await expect.poll(async () => (await host.get(key)) && (await last())).toBe('turn_ended');
      else await expect.poll(() => ask(host, key, 'And?').catch(() => 'refused')).toBe('completed');
      const events = await eventsUntil(
        host,
        key,
        ({ event }) => event.type === 'turn_ended' && event.outcome === 'crashed',
      );
      expect(events.slice(-3).map(({ event }) => event)).toMatchObject([
        { type: 'approval_decided', approvalId },
        { type: 'approval_closed', approvalId, state: 'done' },
        { type: 'turn_ended', outcome: 'crashed' },
      ]);
    },
  );

  test('whose process does not start is spent, and the call waits again under a new id', async () => {
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [kit.process(), faults.refuse()],
        [
          kit.process(RESUMED),
          ...[kit.init(), kit.hook('PreToolUse', CALL, { expect: ALLOW }), kit.toolResult('ok'), kit.result('Done.')],
        ],
      ],
      await sharedStores(),
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    await expect(host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } })).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/used up.*waits again as a new approval/),
    });
    expect(await stateOf(host, key)).toEqual(['lost', 'open']);
    const again = (await host.approvals(key)).at(-1);
    expect(again).toMatchObject({ toolUseId: CALL.tool_use_id, input: CALL.tool_input });
    const { approvalId: id = '', token: second = '' } = again ?? {};
    const { eventId } = await host.decide({ ...key, approvalId: id, token: second, decision: { behavior: 'allow' } });
    expect((await turnOf(host, key, eventId)).at(-1)?.event).toMatchObject({ outcome: 'completed' });
    // Nothing that was written between the turns was taken for a turn that a dead host left open.
    const all = await eventsUntil(
      host,
      key,
      ({ event }) => event.type === 'turn_ended' && event.outcome === 'completed',
    );
    const outcomes = all.flatMap(({ event }) => (event.type === 'turn_ended' ? [event.outcome] : []));
    expect(outcomes).toEqual(['deferred', 'completed']);
    expect(await stateOf(host, key)).toEqual(['lost', 'done']);
  });

  test('that is refused for want of a process is not spent, and can be taken again', async () => {
    const parts = await sharedStores();
    const [host] = hostsOn(
      (kit) => [
        [kit.process(), ...deferring(kit)],
        [kit.process(), kit.prompt('Long'), kit.init(), faults.stall()],
      ],
      { ...parts, options: { ...parts.options, limits: { processes: 1, queueMs: 1, interruptMs: 1 } } },
    ) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    await expect.poll(() => host.metrics().processes).toBe(0);
    const other = await newKey(host);
    await host.send({ ...other, text: 'Long' });
    const decide = () => host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } });
    await expect(decide()).rejects.toMatchObject({ code: 'busy' });
    await expect(host.send({ ...key, text: 'Hi' })).rejects.toMatchObject({ code: 'busy' });
    expect(await stateOf(host, key)).toEqual(['open']);
    expect((await host.approvals(key))[0]?.token).toBe(token);
  });

  test.each([
    ['a number that JSON cannot say', { n: Number.POSITIVE_INFINITY }],
    ['101 levels', JSON.parse(`${'{"a":'.repeat(102)}1${'}'.repeat(102)}`)],
    ['no object', ['x']],
  ])('with an input of %s is refused, and the approval stays open', async (_, updatedInput) => {
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], await sharedStores()) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    const decision = { behavior: 'allow', updatedInput } as const;
    await expect(host.decide({ ...key, approvalId, token, decision })).rejects.toMatchObject({ code: 'invalid' });
    expect(await stateOf(host, key)).toEqual(['open']);
  });

  test('is refused when what was said before was not stored', async () => {
    const parts = await sharedStores();
    const sessionStore = new FileSessionStore(tempFolder());
    const [host] = hostsOn((kit) => [kit.process(), ...deferring(kit)], {
      ...parts,
      options: { ...parts.options, sessionStore },
    }) as [SessionHost];
    const { key, approvalId, token } = await deferred(host);
    await expect(host.decide({ ...key, approvalId, token, decision: { behavior: 'allow' } })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await stateOf(host, key)).toEqual(['open']);
  });
});

test('what needs no approval goes the usual way, and a removed conversation has none', async () => {
  const [host] = hostsOn(
    ({ prompt, init, hook, result }) => [
      ...[prompt('Go'), init(), hook('PreToolUse', { ...CALL, tool_name: 'Read' }, { expect: {} }), result('Done.')],
    ],
    await sharedStores(),
  ) as [SessionHost];
  const key = await newKey(host);
  expect(await ask(host, key, 'Go')).toBe('completed');
  expect(await host.approvals(key)).toEqual([]);
  await host.remove(key);
});
