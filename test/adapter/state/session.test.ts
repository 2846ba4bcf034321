import { describe, expect, test } from 'vitest';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import {
  append,
  appendAll,
  latestReducer,
  replaceLatest,
  replaceLatestBy,
  upsertBy,
} from '../../../src/adapter/state/index.js';
import { defineEvent, defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import { recordingLogger } from '../agent/recording-logger.js';

interface Note {
  readonly id: number;
  readonly text: string;
}
const Notes = defineSlice<Note>('Notes');
const NoteWritten = defineEvent<Note>('NoteWritten');
const note = (id: number, text = `note ${id}`): Note => ({ id, text });

describe('reading', () => {
  test('an empty slice has no latest item and an empty frozen list (AD-035)', () => {
    const query = new Session().query(Notes);
    expect(query.latest()).toBeUndefined();
    expect(query.all()).toEqual([]);
    expect(Object.isFrozen(query.all())).toBe(true);
  });

  test('all() is frozen, and the same array until the slice changes', () => {
    const session = new Session();
    session.mutate(Notes).append(note(1));
    const before = session.query(Notes).all();
    expect(session.query(Notes).all()).toBe(before);
    expect(Object.isFrozen(before)).toBe(true);
    session.mutate(Notes).append(note(2));
    expect(before).toEqual([note(1)]);
    expect(session.query(Notes).all()).toEqual([note(1), note(2)]);
  });

  test('where() gives the matching items', () => {
    const session = new Session();
    session.mutate(Notes).seed([note(1), note(2), note(3)]);
    expect(session.query(Notes).where(({ id }) => id !== 2)).toEqual([note(1), note(3)]);
  });

  test('a class is a key: the item is the very instance, with its type (AD-053)', () => {
    class Finding {
      readonly line: number;
      constructor(line: number) {
        this.line = line;
      }
    }
    const session = new Session();
    const finding = new Finding(7);
    session.mutate(Finding).append(finding);
    const latest: Finding | undefined = session.query(Finding).latest();
    expect(latest).toBe(finding);
    expect(latest?.line).toBe(7);
  });

  test('two tokens of one name are two slices', () => {
    const other = defineSlice<Note>('Notes');
    const session = new Session();
    session.mutate(Notes).append(note(1));
    expect(session.query(other).all()).toEqual([]);
  });
});

describe('changing', () => {
  test('seed() replaces the slice, and no reducer runs (AD-036)', () => {
    const session = new Session();
    let runs = 0;
    session.mutate(Notes).seed([note(1), note(2)]);
    session.mutate(Notes).register(Notes, (items) => {
      runs += 1;
      return items;
    });
    session.mutate(Notes).seed(note(3));
    expect(session.query(Notes).all()).toEqual([note(3)]);
    expect(runs).toBe(0);
  });

  test('dispatch() makes the slice what its reducer returns (AD-037)', () => {
    const session = new Session();
    session.mutate(Notes).seed(note(1));
    session.mutate(Notes).register(NoteWritten, (items, written) => [written, ...items].toReversed());
    session.mutate(Notes).dispatch(NoteWritten, note(2));
    expect(session.query(Notes).all()).toEqual([note(1), note(2)]);
    expect(session.query(NoteWritten).all(), 'a reducer takes the place of the default').toEqual([]);
  });

  test('latestReducer() makes the next state of the last one, and keeps one item (AD-038)', () => {
    const Total = defineSlice<{ sum: number }>('Total');
    const Added = defineEvent<number>('Added');
    const session = new Session();
    session.mutate(Total).register(
      Added,
      latestReducer({ sum: 100 }, ({ sum }, more) => ({ sum: sum * 2 + more })),
    );
    session.mutate(Total).dispatch(Added, 1);
    session.mutate(Total).dispatch(Added, 5);
    expect(session.query(Total).latest()).toEqual({ sum: (100 * 2 + 1) * 2 + 5 });
    expect(session.query(Total).all()).toHaveLength(1);
  });

  test('an event without a reducer is appended to its own slice, equal payloads once (AD-039)', () => {
    const session = new Session();
    session.mutate(Notes).dispatch(NoteWritten, { id: 1, text: 'same' });
    session.mutate(Notes).dispatch(NoteWritten, { text: 'same', id: 1 });
    expect(session.query(NoteWritten).all()).toEqual([note(1, 'same')]);
    session.mutate(Notes).dispatch(NoteWritten, { id: 1, text: 'other' });
    expect(session.query(NoteWritten).all()).toHaveLength(2);
  });

  test('payloads that only look alike are two (AD-039)', () => {
    const Any = defineSlice<unknown>('Any');
    const session = new Session();
    const payloads = [
      ...[0, -0, '0', null, [], {}, [1, 2], [2, 1], { a: undefined }, { a: { b: [1] } }],
      ...[{ a: { b: [1, 1] } }, new Date(0), new Date(1), new Map([[1, 2]]), new Map([[1, 3]])],
      ...[new Set([1]), new Set([2]), 'x'.repeat(5000), `${'x'.repeat(2500)}y${'x'.repeat(2499)}`],
    ];
    for (const payload of payloads) session.mutate(Any).dispatch(Any, payload);
    expect(session.query(Any).all()).toHaveLength(payloads.length);
    for (const payload of payloads) session.mutate(Any).dispatch(Any, structuredClone(payload));
    expect(session.query(Any).all()).toHaveLength(payloads.length);
  });

  test('append() dispatches with the slice as the event', () => {
    const session = new Session();
    session.mutate(Notes).register(Notes, replaceLatest);
    session.mutate(Notes).append(note(1));
    session.mutate(Notes).append(note(2));
    expect(session.query(Notes).all()).toEqual([note(2)]);
  });

  test('upsertBy() replaces the item with the same key in place (AD-041)', () => {
    const session = new Session();
    session.mutate(Notes).register(
      NoteWritten,
      upsertBy(({ id }: Note) => id),
    );
    for (const each of [note(1), note(2), note(3), note(2, 'new')]) {
      session.mutate(Notes).dispatch(NoteWritten, each);
    }
    expect(session.query(Notes).all()).toEqual([note(1), note(2, 'new'), note(3)]);
  });

  test('replaceLatestBy() drops the item with the same key and puts the new one last (AD-042)', () => {
    const session = new Session();
    session.mutate(Notes).register(
      NoteWritten,
      replaceLatestBy(({ id }: Note) => id),
    );
    for (const each of [note(1), note(2), note(3), note(2, 'new')]) {
      session.mutate(Notes).dispatch(NoteWritten, each);
    }
    expect(session.query(Notes).all()).toEqual([note(1), note(3), note(2, 'new')]);
  });

  test('clear() drops what matches, or all (AD-047)', () => {
    const session = new Session();
    session.mutate(Notes).seed([note(1), note(2), note(3)]);
    session.mutate(Notes).clear(({ id }) => id === 2);
    expect(session.query(Notes).all()).toEqual([note(1), note(3)]);
    session.mutate(Notes).clear();
    expect(session.query(Notes).all()).toEqual([]);
  });

  test('reset() empties every slice; reducers stay', () => {
    const session = new Session();
    session.mutate(Notes).register(NoteWritten, appendAll);
    session.mutate(Notes).dispatch(NoteWritten, note(1));
    session.mutate().reset();
    expect(session.query(Notes).all()).toEqual([]);
    session.mutate(Notes).dispatch(NoteWritten, note(2));
    expect(session.query(Notes).all()).toEqual([note(2)]);
  });

  test('a reducer that is registered twice runs once', () => {
    const session = new Session();
    session.mutate(Notes).register(NoteWritten, appendAll);
    session.mutate(Notes).register(NoteWritten, appendAll);
    session.mutate(Notes).dispatch(NoteWritten, note(1));
    expect(session.query(Notes).all()).toEqual([note(1)]);
  });

  test('a reducer gets the session and the event', () => {
    const session = new Session();
    const seen: unknown[] = [];
    session.mutate(Notes).register(NoteWritten, (items, _, context) => {
      seen.push(context.session, context.event);
      return items;
    });
    session.mutate(Notes).dispatch(NoteWritten, note(1));
    expect(seen[0]).toBe(session);
    expect(seen[1]).toBe(NoteWritten);
  });

  test('the built-in reducers work as functions too, and leave their input alone', () => {
    const items = Object.freeze([note(1), note(2)]);
    expect(append(items, note(2))).toBe(items);
    expect(append(items, note(3))).toEqual([note(1), note(2), note(3)]);
    expect(appendAll(items, note(2))).toEqual([note(1), note(2), note(2)]);
    expect(replaceLatest(items, note(9))).toEqual([note(9)]);
    expect(upsertBy(({ id }: Note) => id)(items, note(1, 'x'))).toEqual([note(1, 'x'), note(2)]);
    expect(replaceLatestBy(({ id }: Note) => id)(items, note(1, 'x'))).toEqual([note(2), note(1, 'x')]);
    expect(items).toEqual([note(1), note(2)]);
  });
});

describe('what fails', () => {
  const Other = defineSlice<string>('Other');

  test('a reducer that throws leaves its slice alone, the others run, and it is logged (AD-043)', () => {
    const logger = recordingLogger();
    const session = new Session({ logger });
    session.mutate(Notes).seed(note(1));
    session.mutate(Notes).register(NoteWritten, function breaks(): never {
      throw new Error('no room');
    });
    session.mutate(Other).register(NoteWritten, (items, { text }) => [...items, text]);
    session.mutate(Notes).dispatch(NoteWritten, note(2, 'two'));
    expect(session.query(Notes).all()).toEqual([note(1)]);
    expect(session.query(Other).all()).toEqual(['two']);
    expect(logger.records).toEqual([
      {
        level: 'error',
        message: 'claude_agent_sdk.session_reducer_failed',
        event: 'session_reducer_failed',
        context: { reducer: 'breaks', type: 'NoteWritten', slice: 'Notes', error: 'no room' },
      },
    ]);
  });

  test('wherever the one that throws is among them, and however many there are (AD-043)', () => {
    const slices = ['a', 'b', 'c', 'd'].map((name) => defineSlice<string>(name));
    const broken = new Set(['b', 'c']);
    const session = new Session({ logger: recordingLogger() });
    for (const slice of slices) {
      session.mutate(slice).register(NoteWritten, (items, { text }) => {
        if (broken.has(slice.name)) throw new Error('no room');
        return [...items, text];
      });
    }
    session.mutate(Notes).dispatch(NoteWritten, note(1, 'one'));
    expect(slices.map((slice) => session.query(slice).all())).toEqual([['one'], [], [], ['one']]);
  });

  const odd: readonly { name: string; reducer: () => unknown }[] = [
    { name: 'nothing', reducer: () => undefined },
    { name: 'a promise', reducer: async () => [] },
    { name: 'a text', reducer: () => 'items' },
  ];
  for (const { name, reducer } of odd) {
    test(`a reducer that returns ${name} changes nothing and is logged`, () => {
      const logger = recordingLogger();
      const session = new Session({ logger, label: 'mine' });
      session.mutate(Notes).register(NoteWritten, reducer as () => Note[]);
      session.mutate(Notes).dispatch(NoteWritten, note(1));
      expect(session.query(Notes).all()).toEqual([]);
      expect(logger.records.map(({ message }) => message)).toEqual(['mine.session_reducer_failed']);
    });
  }

  test('a key function that throws leaves the slice as it was', () => {
    const session = new Session();
    const keyOf = ({ id }: Note): number => {
      if (id === 3) throw new Error('no key');
      return id;
    };
    session.mutate(Notes).register(NoteWritten, upsertBy(keyOf));
    for (const id of [1, 2, 3, 4]) session.mutate(Notes).dispatch(NoteWritten, note(id));
    expect(session.query(Notes).all()).toEqual([note(1), note(2), note(4)]);
  });

  test('an observer that throws is logged, and the next one is called (AD-045)', () => {
    const logger = recordingLogger();
    const session = new Session({ logger });
    const seen: unknown[] = [];
    session.observe(Notes, function breaks(): never {
      throw new Error('not now');
    });
    session.observe(Notes, (before, after) => seen.push([before.length, after.length]));
    session.mutate(Notes).append(note(1));
    expect(seen).toEqual([[0, 1]]);
    expect(logger.records).toEqual([
      {
        level: 'error',
        message: 'claude_agent_sdk.session_observer_failed',
        event: 'session_observer_failed',
        context: { observer: 'breaks', type: 'Notes', error: 'not now' },
      },
    ]);
  });

  test('an observer that rejects is logged and takes nobody down', async () => {
    const logger = recordingLogger();
    const session = new Session({ logger });
    session.observe(Notes, async () => {
      throw new Error('later');
    });
    session.mutate(Notes).append(note(1));
    await Promise.resolve();
    await Promise.resolve();
    expect(logger.records.map(({ event }) => event)).toEqual(['session_observer_failed']);
  });

  test('what is no key is refused', () => {
    for (const key of [undefined, null, 'Notes', {}]) {
      expect(() => new Session().query(key as unknown as typeof Notes)).toThrow(
        /A slice is named by a token of defineSlice\(\) or by a class/,
      );
    }
  });

  test('a blank name is refused', () => {
    expect(() => defineSlice(' ')).toThrow(/`name` of defineSlice\(\)/);
    expect(() => defineEvent(undefined as unknown as string)).toThrow(/`name` of defineEvent\(\)/);
  });
});

describe('observing', () => {
  test('what changes nothing calls no observer (AD-044)', () => {
    const session = new Session();
    session.mutate(Notes).seed(note(1));
    session.mutate(Notes).register(NoteWritten, (items) => items.map((item) => ({ ...item })));
    let calls = 0;
    session.observe(Notes, () => {
      calls += 1;
    });
    session.mutate(Notes).append(note(1));
    session.mutate(Notes).seed([note(1)]);
    session.mutate(Notes).dispatch(NoteWritten, note(9));
    session.mutate(Notes).clear(() => false);
    expect(calls).toBe(0);
    session.mutate(Notes).clear();
    expect(calls).toBe(1);
  });

  test('after unsubscribe() there is no call (AD-046)', () => {
    const session = new Session();
    let calls = 0;
    const count = (): void => {
      calls += 1;
    };
    const first = session.observe(Notes, count);
    session.observe(Notes, count);
    session.mutate(Notes).append(note(1));
    expect(calls).toBe(2);
    first.unsubscribe();
    first.unsubscribe();
    session.mutate(Notes).append(note(2));
    expect(calls).toBe(3);
  });

  test('several reducers on one slice are one change', () => {
    const session = new Session();
    session.mutate(Notes).register(NoteWritten, (items, written) => [...items, written]);
    session.mutate(Notes).register(NoteWritten, (items) => items.slice(-2));
    const seen: number[] = [];
    session.observe(Notes, (_, after) => seen.push(after.length));
    for (const id of [1, 2, 3]) session.mutate(Notes).dispatch(NoteWritten, note(id));
    expect(seen).toEqual([1, 2, 2]);
  });

  test('an observer may dispatch', () => {
    const Count = defineSlice<number>('Count');
    const session = new Session();
    session.observe(Notes, (_, after) => session.mutate(Count).seed(after.length));
    session.mutate(Notes).append(note(1));
    session.mutate(Notes).append(note(2));
    expect(session.query(Count).latest()).toBe(2);
  });
});

test('a session without a bus has one of its own, under both names (AD-052)', () => {
  const session = new Session();
  expect(session.bus).toBeInstanceOf(InProcessEventBus);
  expect(session.eventBus).toBe(session.bus);
  expect(new Session().bus).not.toBe(session.bus);
  const bus = new InProcessEventBus();
  expect(new Session({ bus }).eventBus).toBe(bus);
});

test('what a session was made with can be read', () => {
  const parent = new Session();
  const createdAt = new Date(0);
  const session = new Session({ parent, sessionId: 's', createdAt, tags: { team: 'a' } });
  expect(session).toMatchObject({ parent, sessionId: 's', createdAt, tags: { team: 'a' } });
  expect(parent.sessionId).toMatch(/^[\da-f-]{36}$/);
});
