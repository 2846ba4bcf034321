import { spawnSync } from 'node:child_process';
import { InMemorySessionStore, projectKeyForDirectory } from 'claudewire';
import { faults } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { ask, cliFor, eventsUntil, hostOn, NONE, newKey, SESSION, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

const state = (host: ReturnType<typeof hostOn>, id: string) =>
  host.list({ tenant: 'ada' }).then(({ conversations }) => conversations.find((each) => each.id === id)?.state);

describe('a conversation', () => {
  test('goes from cold to busy to idle, keeps its process, and ends as cold', async () => {
    const cli = cliFor(({ turn }) => [turn('Hello.', 'Hi'), turn('Four.', '2 + 2?')]);
    const host = hostOn(cli);
    const key = await newKey(host);
    expect(await state(host, key.id)).toBe('cold');
    expect(await ask(host, key, 'Hi')).toBe('completed');
    await expect.poll(() => state(host, key.id)).toBe('idle');
    expect(await ask(host, key, '2 + 2?')).toBe('completed');
    expect(cli.runs).toHaveLength(1);
    const types = (await turnOf(host, key)).map(({ event }) => event.type);
    expect(types).toEqual(['user_message', 'message', 'message', 'message', 'turn_ended']);
    await host.close();
    expect(host.metrics()).toMatchObject({ processes: 0, started: 1, turns: { completed: 2 }, viewers: 0 });
  });

  test('has one open turn: a second message is a conflict, until an interrupt ends the first', async () => {
    const cli = cliFor(({ prompt, init, assistantText, expectRequest, errorResult }) => [
      prompt('Long'),
      init(),
      assistantText('Once'),
      expectRequest('interrupt'),
      errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
    ]);
    const host = hostOn(cli);
    const key = await newKey(host);
    const { eventId } = await host.send({ ...key, text: 'Long' });
    await expect(host.send({ ...key, text: 'More' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(host.remove(key)).rejects.toMatchObject({ code: 'conflict' });
    await eventsUntil(host, key, ({ event }) => event.type === 'message' && event.message.type === 'assistant');
    expect(await host.interrupt(key)).toBe(true);
    const last = (await turnOf(host, key, eventId)).at(-1);
    expect(last?.event).toMatchObject({ type: 'turn_ended', outcome: 'interrupted' });
    await expect.poll(() => state(host, key.id)).toBe('idle');
    expect(await host.interrupt(key)).toBe(false);
  });

  test('whose process crashes in a turn says so, and goes on with a new process', async () => {
    const cli = cliFor(({ process, prompt, init, turn }) => [
      [process(), prompt('One'), init(), faults.crash({ exitCode: 137 })],
      [process(), turn('Back.', 'Two')],
    ]);
    const host = hostOn(cli);
    const key = await newKey(host);
    expect(await ask(host, key, 'One')).toBe('crashed');
    await expect.poll(() => state(host, key.id)).toBe('cold');
    expect(await ask(host, key, 'Two')).toBe('completed');
  });

  test('whose process does not start stays usable', async () => {
    const cli = cliFor(({ process, turn }) => [
      [process(), faults.refuse()],
      [process(), turn('Up.', 'Two')],
    ]);
    const host = hostOn(cli);
    const key = await newKey(host);
    await expect(host.send({ ...key, text: 'One' })).rejects.toMatchObject({ code: 'start_failed' });
    expect(host.metrics()).toMatchObject({ processes: 0 });
    expect(await ask(host, key, 'Two')).toBe('completed');
  });

  test('asks its viewers, and passes the answer on', async () => {
    const cli = cliFor(({ prompt, init, toolUse, permission, toolResult, result }) => [
      prompt('Go'),
      init(),
      toolUse('Bash', { command: 'ls' }),
      permission(),
      toolResult('a.txt'),
      result('Done.'),
    ]);
    const host = hostOn(cli);
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const asked = (await eventsUntil(host, key, ({ event }) => event.type === 'question')).at(-1);
    if (asked?.event.type !== 'question') throw new Error('nothing was asked');
    const { questionId } = asked.event;
    const answer = { behavior: 'allow', updatedInput: { command: 'ls -l' } } as const;
    await expect(host.answer({ ...key, tenant: 'bob', questionId, answer })).rejects.toMatchObject({
      code: 'not_found',
    });
    await host.answer({ ...key, questionId, answer });
    await expect(host.answer({ ...key, questionId, answer })).rejects.toMatchObject({ code: 'not_found' });
    await turnOf(host, key, asked.id);
    expect(cli.sent.permissionAnswers).toMatchObject([
      { behavior: 'allow', answer: { updatedInput: { command: 'ls -l' } } },
    ]);
  });

  test('a question that nobody answers is denied', async () => {
    const cli = cliFor(({ prompt, init, toolUse, permission, toolResult, result }) => [
      ...[prompt('Go'), init(), toolUse('Bash', { command: 'ls' }), permission()],
      ...[toolResult('no', { isError: true }), result('Done.')],
    ]);
    const host = hostOn(cli, { limits: { questionMs: 1 } });
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const events = (await turnOf(host, key)).map(({ event }) => event);
    expect(events).toContainEqual(expect.objectContaining({ type: 'question_closed', answer: 'expired' }));
    expect(cli.sent.permissionAnswers).toMatchObject([{ behavior: 'deny' }]);
  });
});

describe('few processes', () => {
  test('the process that has been idle for longest makes room', async () => {
    const cli = cliFor(({ process, turn }) => ['A', 'B', 'C'].map((text) => [process(), turn(text, text)]));
    const host = hostOn(cli, { limits: { processes: 2 } });
    const keys = [await newKey(host), await newKey(host), await newKey(host)];
    for (const [index, key] of keys.entries()) {
      await ask(host, key, 'ABC'.charAt(index));
      await expect.poll(() => state(host, key.id)).toBe('idle');
    }
    expect(await Promise.all(keys.map(({ id }) => state(host, id)))).toEqual(['cold', 'idle', 'idle']);
    expect(host.metrics()).toMatchObject({ processes: 2, evicted: 1 });
  });

  test('an idle process ends after a while', async () => {
    const cli = cliFor(({ turn }) => [turn('A', 'A')]);
    const host = hostOn(cli, { limits: { idleMs: 1 } });
    const key = await newKey(host);
    await ask(host, key, 'A');
    await expect.poll(() => host.metrics().processes).toBe(0);
  });

  test('a message waits for a busy process; with a full queue, or after too long, the host is busy', async () => {
    const cli = cliFor(({ process, prompt, init, expectRequest, errorResult, turn }) => [
      [process(), prompt('A'), init(), expectRequest('interrupt'), errorResult('error_during_execution', [])],
      [process(), turn('B', 'B')],
    ]);
    const host = hostOn(cli, { limits: { processes: 1, queue: 1 } });
    const [a, b, c] = [await newKey(host), await newKey(host), await newKey(host)];
    await host.send({ ...a, text: 'A' });
    const waiting = host.send({ ...b, text: 'B' });
    await expect.poll(() => host.metrics().waiting).toBe(1);
    await expect(host.send({ ...c, text: 'C' })).rejects.toMatchObject({ code: 'busy', retryAfterMs: 10_000 });
    await host.interrupt(a);
    await waiting;
    expect((await turnOf(host, b)).at(-1)?.event).toMatchObject({ outcome: 'completed' });
  });

  test('the wait for a process is bounded', async () => {
    const cli = cliFor(({ prompt, init }) => [prompt('A'), init(), faults.stall()]);
    const host = hostOn(cli, { limits: { processes: 1, queueMs: 1, interruptMs: 1 } });
    const [a, b] = [await newKey(host), await newKey(host)];
    await host.send({ ...a, text: 'A' });
    await expect(host.send({ ...b, text: 'B' })).rejects.toMatchObject({ code: 'busy' });
    await host.interrupt(a);
    await expect.poll(() => state(host, a.id)).toBe('cold');
  });

  test('a spare serves its tenant and no other', async () => {
    const cli = cliFor(({ process, turn, endOfInput }) => [
      [process(), endOfInput()],
      [process(), turn('Hi', 'Hi'), endOfInput()],
      [process(), endOfInput()],
    ]);
    const host = hostOn(cli, { limits: { processes: 3, spares: 1 } });
    const [ada, bob] = [await newKey(host, 'ada'), await newKey(host, 'bob')];
    await expect.poll(() => host.metrics().spares).toBe(2);
    await ask(host, bob, 'Hi');
    expect(host.metrics()).toMatchObject({ sparesUsed: 1, started: 0 });
    const prompted = cli.runs.filter(({ frames }) => frames.some(({ type }) => type === 'user'));
    expect(prompted.map(({ env }) => env.CLAUDE_CONFIG_DIR?.split('/').at(-1))).toEqual(['bob']);
    await expect.poll(() => host.metrics().spares).toBe(2);
    await host.close();
    expect(host.metrics()).toMatchObject({ processes: 0, spares: 0 });
    expect(ada.id).not.toBe(bob.id);
  });

  test('a spare that was killed while it waited serves nobody', async () => {
    const cli = cliFor(
      ({ process, turn, endOfInput }) => [
        [process(), endOfInput()],
        [process(), turn('Hi', 'Hi')],
      ],
      { inProcess: false, answers: { initialize: { pid: spawnSync(process.execPath, ['--version']).pid } } },
    );
    const host = hostOn(cli, { limits: { processes: 1, spares: 1 } });
    const key = await newKey(host);
    await expect.poll(() => host.metrics().spares).toBe(1);
    expect(await ask(host, key, 'Hi')).toBe('completed');
    expect(host.metrics()).toMatchObject({ sparesUsed: 0, started: 1 });
  });
});

describe('two hosts on one store', () => {
  test('one of them writes, and the other resumes from the session store', async () => {
    const cwd = tempFolder();
    const shared = {
      store: new InMemoryConversationStore(),
      sessionStore: new InMemorySessionStore(),
      eventLog: new InMemoryEventLog(),
    };
    const cli = cliFor(({ process, prompt, init, assistantText, result, turn, permission, toolUse, toolResult }) => [
      [
        process({ argv: { '--resume': '$absent' } }),
        ...[prompt('I am Ada'), init(), toolUse('Bash', { command: 'ls' }), permission(), toolResult('x')],
        ...[assistantText('Hello.'), result('Hello.')],
      ],
      [process({ argv: { '--resume': SESSION } }), turn('Ada.', 'Who am I?')],
      [process({ argv: { '--resume': SESSION } }), turn('Still Ada.', 'And now?')],
    ]);
    const optionsFor = (tenant: string) => ({
      ...{ ...cli.options, cwd, env: { CLAUDE_CONFIG_DIR: `${cwd}/${tenant}` } },
    });
    // What the real CLI mirrors during the first turn.
    await shared.sessionStore.append({ projectKey: projectKeyForDirectory(cwd), sessionId: SESSION }, [
      {
        ...{ type: 'user', uuid: '22222222-2222-4222-8222-222222222222', parentUuid: null, sessionId: SESSION, cwd },
        ...{ timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'I am Ada' } },
      },
    ]);
    const [one, two] = [hostOn(cli, { ...shared, optionsFor }), hostOn(cli, { ...shared, optionsFor })];
    const key = await newKey(one);
    await one.send({ ...key, text: 'I am Ada' });
    const asked = (await eventsUntil(one, key, ({ event }) => event.type === 'question')).at(-1)!;
    await expect(two.send({ ...key, text: 'Me too' })).rejects.toMatchObject({ code: 'conflict' });
    const { questionId } = asked.event as { questionId: string };
    await one.answer({ ...key, questionId, answer: { behavior: 'allow' } });
    await turnOf(one, key, asked.id);
    await expect.poll(() => one.metrics().conversations.idle).toBe(1);

    // The process that waits on the first host blocks nobody.
    expect(await ask(two, key, 'Who am I?')).toBe('completed');
    await expect.poll(() => two.metrics().conversations.idle).toBe(1);
    // And is not used again, since it missed a turn.
    expect(await ask(one, key, 'And now?')).toBe('completed');
    const ids = (await eventsUntil(two, key, ({ event }) => event.type === 'turn_ended')).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(await two.transcript(key)).toMatchObject([{ message: { content: 'I am Ada' } }]);
    expect(one.metrics().resumed + two.metrics().resumed).toBe(2);
  });
});

test('another tenant finds nothing by any call, and hears nothing else than for an unknown id', async () => {
  const host = hostOn(cliFor(({ turn }) => [turn('Hi', 'Hi')]));
  const key = await newKey(host);
  await ask(host, key, 'Hi');
  const answer = { behavior: 'allow' } as const;
  const foreign = [
    { tenant: 'bob', id: key.id },
    ...['../../etc', key.id.toUpperCase(), '', '%00', `${key.id}/..`].map((id) => ({ tenant: 'ada', id })),
  ];
  for (const each of foreign) {
    const calls = [
      host.send({ ...each, text: 'Hi' }),
      host.events(each),
      host.events({ ...each, after: 1 }),
      host.interrupt(each),
      host.answer({ ...each, questionId: 'x', answer }),
      host.transcript(each),
      host.remove(each),
    ];
    const errors = await Promise.all(
      calls.map((call) =>
        call.then(
          () => undefined,
          (error: Error) => error,
        ),
      ),
    );
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'not_found', message: expect.stringContaining('no such conversation') });
    }
  }
  expect(await host.list({ tenant: 'bob' })).toEqual({ conversations: [] });
  expect((await host.list({ tenant: 'ada' })).conversations).toHaveLength(1);
});

test('tenants that would share a home are refused', async () => {
  const cli = cliFor(({ turn }) => [turn('Hi', 'Hi')]);
  const home = tempFolder();
  const host = hostOn(cli, { optionsFor: () => ({ ...cli.options, env: { CLAUDE_CONFIG_DIR: home } }) });
  expect(await ask(host, await newKey(host, 'ada'), 'Hi')).toBe('completed');
  await expect(host.send({ ...(await newKey(host, 'bob')), text: 'Hi' })).rejects.toMatchObject({
    code: 'start_failed',
  });
});

test('a removed conversation ends its viewers and is unknown', async () => {
  const host = hostOn(cliFor(({ turn }) => [turn('Hi', 'Hi')]));
  const key = await newKey(host);
  await ask(host, key, 'Hi');
  await expect.poll(() => state(host, key.id)).toBe('idle');
  const viewer = await host.events(key);
  await host.remove(key);
  for await (const { id } of viewer) expect(id).toBeGreaterThan(0);
  await expect(host.events(key)).rejects.toMatchObject({ code: 'not_found' });
  expect(host.metrics()).toMatchObject({ processes: 0, viewers: 0, conversations: { idle: 0, cold: 0 } });
});

describe('drain', () => {
  test('lets a turn finish, refuses what is new, and ends viewers', async () => {
    const cli = cliFor(({ prompt, init, toolUse, permission, toolResult, result }) => [
      ...[prompt('Go'), init(), toolUse('Bash', {}), permission(), toolResult('x'), result('Done.')],
    ]);
    const host = hostOn(cli);
    const [key, other] = [await newKey(host), await newKey(host)];
    await host.send({ ...key, text: 'Go' });
    const asked = (await eventsUntil(host, key, ({ event }) => event.type === 'question')).at(-1)!;
    const viewer = eventsUntil(host, key, () => false, asked.id);
    const drained = host.drain({ graceMs: 60_000 });
    await expect(host.send({ ...other, text: 'Hi' })).rejects.toMatchObject({ code: 'draining' });
    const { questionId } = asked.event as { questionId: string };
    await host.answer({ ...key, questionId, answer: { behavior: 'allow' } });
    await drained;
    expect((await viewer).at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'completed' });
    expect(host.metrics()).toMatchObject({ processes: 0, viewers: 0 });
  });

  test('interrupts, and then stops, a turn that does not end', async () => {
    const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
    const host = hostOn(cli, { limits: { interruptMs: 1 } });
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const viewer = eventsUntil(host, key, () => false);
    await host.close();
    expect((await viewer).at(-1)?.event).toMatchObject({ type: 'turn_ended', outcome: 'interrupted' });
    expect(host.metrics().processes).toBe(0);
  });

  test('has its grace cut short by close()', async () => {
    const cli = cliFor(({ prompt, init }) => [prompt('Go'), init(), faults.stall()]);
    const host = hostOn(cli, { limits: { interruptMs: 1 } });
    const key = await newKey(host);
    await host.send({ ...key, text: 'Go' });
    const drained = host.drain({ graceMs: 2_000_000 });
    await host.close();
    await drained;
    expect(host.metrics().processes).toBe(0);
  });
});

test('a tenant with as many viewers as it may have is refused, and others are not', async () => {
  const host = hostOn(cliFor(NONE), { limits: { viewers: 3, viewersPerTenant: 2 } });
  const mallory = await newKey(host, 'mallory');
  const carol = await newKey(host, 'carol');
  const abort = new AbortController();
  const open = (key: typeof carol) => host.events({ ...key, signal: abort.signal });
  await Promise.all([open(mallory), open(mallory)]);
  await expect(open(mallory)).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('2 viewers of this tenant'),
  });
  await open(carol);
  await expect(open(carol)).rejects.toMatchObject({ code: 'busy', message: expect.stringContaining('3 viewers are') });
  abort.abort();
  expect(host.metrics().viewers).toBe(0);
});
