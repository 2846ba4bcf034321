import { InMemorySessionStore } from 'claudewire';
import { faults, type Script } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import type { LoggedEvent } from '../../src/events/conversation-event.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { CALL, DENY, sharedStores } from '../helpers/approvals.js';
import { type Gate, newGate } from '../helpers/gate.js';
import { ask, cliFor, eventsUntil, hostOn, newKey } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** What the second host says. */
const NEXT: Script = ({ turn }) => [turn('Fine.', 'Next')];
const text = ({ event }: LoggedEvent): string =>
  event.type === 'user_message' ? event.text : event.type === 'turn_ended' ? event.outcome : event.type;

type Stores = Pick<SessionHostOptions, 'store'> & Required<Pick<SessionHostOptions, 'eventLog' | 'wakeUps'>>;
type Part = keyof Stores;

/**
 * Two hosts on the same stores. The first stands still in the call that its gate is at, for longer than its lease, and its
 * clocks do not notice, as those of a machine that was suspended.
 */
async function twoHosts(script: Script, next: Script = NEXT, over: Partial<SessionHostOptions> = {}) {
  const [folder, cwd] = [tempFolder(), tempFolder()];
  const storesOf = (): Stores => ({
    store: new FileConversationStore(`${folder}/conversations`),
    eventLog: new FileEventLog(`${folder}/events`),
    wakeUps: new FileWakeUpStore(`${folder}/wake-ups`),
  });
  const [mine, theirs, looking] = [storesOf(), storesOf(), storesOf()];
  let isStill = false;
  const { acquire, renew } = mine.store;
  // The lease is over as soon as the host stands still.
  mine.store.acquire = (key) => acquire.call(mine.store, key, 1);
  mine.store.renew = async (...args) => !isStill || (await renew.apply(mine.store, args));
  const standStill = (): void => {
    isStill = true;
  };
  const sessionStore = new InMemorySessionStore();
  const options = { sessionStore, limits: { interruptMs: 1 }, ...over };
  const first = hostOn(cliFor(script), { ...options, ...mine }, cwd);
  const second = hostOn(cliFor(next), { ...options, ...theirs }, cwd);
  const key = await newKey(first);
  return {
    ...{ first, second, key, standStill },
    /** @param isIt - Whether the first host stands still in this call. */
    standStillIn: (part: Part, method: string, isIt: (args: readonly unknown[]) => boolean): Gate => {
      const gate = newGate();
      const target = mine[part] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const call = target[method];
      target[method] = async (...args) => {
        if (isIt(args)) {
          standStill();
          await gate.pass();
        }
        return await call?.apply(mine[part], args);
      };
      return gate;
    },
    stored: async () => ({
      events: (await looking.eventLog.read(key, 0, 1_000)).events,
      record: await looking.store.get(key),
      wakeUps: await looking.wakeUps.get(key),
    }),
  };
}

/** An append of events of which one has this type. */
const has =
  (type: string, content = '') =>
  (args: readonly unknown[]) =>
    (args[1] as readonly { type: string }[]).some(
      (each) => each.type === type && JSON.stringify(each).includes(content),
    );

describe('a host that stood still while another one took over writes nothing when it goes on', () => {
  test('in the middle of a turn, and its viewers are told', async () => {
    const { first, second, key, standStillIn, stored } = await twoHosts(({ prompt, init, assistantText, result }) => [
      ...[prompt('Go'), init(), assistantText('Too late.'), result('Too late.'), faults.stall()],
    ]);
    const gate = standStillIn('eventLog', 'append', has('message', 'Too late.'));
    const { eventId } = await first.send({ ...key, text: 'Go' });
    let ended = 0;
    const isOver = ({ event }: LoggedEvent) => event.type === 'turn_ended' && ++ended === 2;
    const watched = eventsUntil(first, key, isOver, eventId);
    await gate.reached;
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    gate.open();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0, storeFailures: 0 });
    expect((await watched).map(text)).toEqual([
      'message',
      'crashed',
      'Next',
      'message',
      'message',
      'message',
      'completed',
    ]);
    expect(await stored()).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('Too late.');
  });

  test('before it has written its message, which fails and reaches no process', async () => {
    const { first, second, key, standStillIn, stored } = await twoHosts(({ endOfInput }) => [endOfInput()]);
    const gate = standStillIn('eventLog', 'append', has('user_message'));
    const sent = first.send({ ...key, text: 'Go' });
    await gate.reached;
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    gate.open();
    await expect(sent).rejects.toMatchObject({ code: 'conflict', retryAfterMs: expect.any(Number) });
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0 });
    expect(await stored()).toEqual(before);
    expect(before.events.map(text)).toEqual(['Next', 'message', 'message', 'message', 'completed']);
  });

  test('at the end of a turn, in the record', async () => {
    const { first, second, key, standStillIn, stored } = await twoHosts(({ turn }) => [
      turn('Yes.', 'Go'),
      faults.stall(),
    ]);
    const gate = standStillIn('store', 'update', ([, changes]) => 'updatedAt' in (changes as object));
    const { eventId } = await first.send({ ...key, text: 'Go' });
    await gate.reached;
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    gate.open();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0, storeFailures: 0 });
    expect(eventId).toBe(1);
    expect(await stored()).toEqual(before);
  });

  test('at the end of a turn, in the wake-ups', async () => {
    const crons = [{ id: 'w1', schedule: '0 0 1 1 *', recurring: true, prompt: 'A new year' }];
    const { first, second, key, standStillIn, stored } = await twoHosts(({ prompt, init, hook, result }) => [
      ...[prompt('Go'), init(), hook('Stop', { session_crons: crons }, { expect: {} }), result('Yes.'), faults.stall()],
    ]);
    const gate = standStillIn('wakeUps', 'set', ([, wakeUps]) => (wakeUps as readonly unknown[]).length > 0);
    await first.send({ ...key, text: 'Go' });
    await gate.reached;
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    gate.open();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0 });
    const after = await stored();
    expect([after.record, after.wakeUps]).toEqual([before.record, []]);
    // With a lease of its own it may say what is true by then: viewers were told of the cron before.
    const more = after.events.slice(before.events.length).map(({ event }) => event);
    expect(more).toEqual(more.map(() => ({ type: 'background', tasks: [], wakeUps: [] })));
  });
});

describe('a host that stood still while another one took over starts no tool when it goes on', () => {
  test('that a viewer allows', async () => {
    const { first, second, key, standStill, stored } = await twoHosts(({ prompt, init, permission }) => [
      ...[prompt('Go'), init(), permission('Bash', { command: 'ls' }, { expect: 'deny' }), faults.stall()],
    ]);
    const { eventId } = await first.send({ ...key, text: 'Go' });
    const asked = (await eventsUntil(first, key, ({ event }) => event.type === 'question', eventId)).at(-1)?.event;
    standStill();
    const questionId = asked?.type === 'question' ? asked.questionId : '';
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    const answered = first.answer({ ...key, questionId, answer: { behavior: 'allow' } });
    await expect(answered).rejects.toMatchObject({ code: 'conflict' });
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0, openQuestions: 0 });
    expect(await stored()).toEqual(before);
  });

  test('that needs an approval, and asks for none', async () => {
    const shared = await sharedStores();
    const { approvals } = shared.options;
    if (approvals === undefined) throw new Error('no approvals');
    const { first, second, key, standStill, stored } = await twoHosts(
      ({ prompt, init, hook }) => [prompt('Go'), init(), hook('PreToolUse', CALL, { expect: DENY }), faults.stall()],
      NEXT,
      { approvals },
    );
    const gate = newGate();
    const { create } = approvals.store;
    approvals.store.create = async (approval) => {
      standStill();
      await gate.pass();
      await create.call(approvals.store, approval);
    };
    await first.send({ ...key, text: 'Go' });
    await gate.reached;
    expect(await ask(second, key, 'Next')).toBe('completed');
    const before = await stored();
    gate.open();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0 });
    expect((await second.approvals(key)).map(({ state }) => state)).toEqual(['withdrawn']);
    expect(await stored()).toEqual(before);
  });

  test('without an approval, where the rule takes its time', async () => {
    const shared = await sharedStores();
    const gate = newGate();
    const needsApproval = async (): Promise<boolean> => {
      await gate.pass();
      return false;
    };
    const approvals = { ...shared.options.approvals, needsApproval } as Required<SessionHostOptions>['approvals'];
    const { first, second, key, standStill } = await twoHosts(
      ({ prompt, init, hook }) => [prompt('Go'), init(), hook('PreToolUse', CALL, { expect: DENY }), faults.stall()],
      NEXT,
      { approvals },
    );
    await first.send({ ...key, text: 'Go' });
    await gate.reached;
    standStill();
    expect(await ask(second, key, 'Next')).toBe('completed');
    gate.open();
    await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0 });
  });
});

test('an append that is refused leaves no gap: the host that has it again goes on', async () => {
  const { first, second, key, standStillIn, stored } = await twoHosts(
    ({ process, prompt, init, assistantText, turn }) => [
      [process(), prompt('Go'), init(), assistantText('Too late.'), faults.stall()],
      [process(), turn('Here again.', 'Again')],
    ],
  );
  const gate = standStillIn('eventLog', 'append', has('message', 'Too late.'));
  await first.send({ ...key, text: 'Go' });
  await gate.reached;
  expect(await ask(second, key, 'Next')).toBe('completed');
  gate.open();
  await expect.poll(() => first.metrics()).toMatchObject({ leasesLost: 1, processes: 0, conversations: { busy: 0 } });
  expect(await ask(first, key, 'Again')).toBe('completed');
  const types = (await stored()).events.map(({ event }) => event.type);
  expect(types).not.toContain('events_dropped');
});
