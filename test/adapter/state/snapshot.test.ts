import { expect, test } from 'vitest';
import { InProcessEventBus } from '../../../src/adapter/state/event-bus.js';
import { PromptRendered } from '../../../src/adapter/state/events.js';
import { defineEvent, defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import { Plan, PlanUpdated } from '../../../src/adapter/state/slices.js';
import { SessionSnapshot } from '../../../src/adapter/state/snapshot.js';
import { promptRendered } from './telemetry.js';

const Names = defineSlice<string>('Names');
const Renamed = defineEvent<string>('Renamed');

test('rollback() brings the earlier state back, and reducers still work (AD-048)', () => {
  const session = new Session();
  session.mutate(Names).register(Renamed, (items, name) => [...items, name]);
  session.mutate(Names).dispatch(Renamed, 'a');
  const snapshot = session.snapshot();
  session.mutate(Names).dispatch(Renamed, 'b');
  session.mutate(Plan).dispatch(PlanUpdated, { todos: [{ content: 'x', status: 'pending' }] });
  session.mutate().rollback(snapshot);
  expect(session.query(Names).all()).toEqual(['a']);
  expect(session.query(Plan).all(), 'it was empty then').toEqual([]);
  session.mutate(Names).dispatch(Renamed, 'c');
  expect(session.query(Names).all()).toEqual(['a', 'c']);
  session.mutate().rollback(snapshot);
  expect(session.query(Names).all(), 'a snapshot can be used again').toEqual(['a']);
});

test('a rollback tells observers', () => {
  const session = new Session();
  session.mutate(Names).append('a');
  const snapshot = session.snapshot();
  session.mutate(Names).append('b');
  const seen: unknown[] = [];
  session.observe(Names, (before, after) => seen.push([before, after]));
  session.mutate().rollback(snapshot);
  expect(seen).toEqual([[['a', 'b'], ['a']]]);
});

test('a snapshot of plain data goes through JSON and comes back equal (AD-049)', () => {
  const session = new Session({ sessionId: 's' });
  session.mutate(Names).seed(['a', 'b']);
  session.mutate(Plan).dispatch(PlanUpdated, { todos: [{ content: 'x', status: 'pending' }] });
  session.bus.publish(promptRendered(session));
  const text = JSON.stringify(session.snapshot());
  const other = new Session();
  other.mutate(Names).append('gone');
  other.mutate().rollback(SessionSnapshot.fromJSON(JSON.parse(text)));
  expect(other.query(Plan).all()).toEqual(session.query(Plan).all());
  expect(other.query(PromptRendered).all()).toEqual(session.query(PromptRendered).all());
  expect(other.query(Names).all()).toEqual(['a', 'b']);
  expect(JSON.parse(JSON.stringify(other.snapshot())).slices).toEqual(JSON.parse(text).slices);
});

test('slices that a snapshot brought and nobody asked for are in the next one', () => {
  const from = new Session();
  from.mutate(Names).append('a');
  const text = JSON.stringify(from.snapshot());
  const other = new Session();
  other.mutate().rollback(SessionSnapshot.fromJSON(JSON.parse(text)));
  expect(other.snapshot().toJSON().slices).toEqual({ Names: ['a'] });
  other.mutate().reset();
  expect(other.snapshot().toJSON().slices).toEqual({});
  expect(other.query(Names).all()).toEqual([]);
});

test('a snapshot does not see later changes', () => {
  const session = new Session();
  session.mutate(Names).append('a');
  const snapshot = session.snapshot();
  session.mutate(Names).append('b');
  expect(snapshot.toJSON().slices).toEqual({ Names: ['a'] });
});

test('two slices of one name cannot go into one JSON', () => {
  const session = new Session();
  session.mutate(Names).append('a');
  session.mutate(defineSlice<string>('Names')).append('b');
  const snapshot = session.snapshot();
  expect(() => JSON.stringify(snapshot)).toThrow(/Two slices are named "Names"/);
  session.mutate().rollback(snapshot);
  expect(session.query(Names).all()).toEqual(['a']);
});

test('a slice named like an object property is a slice', () => {
  const odd = defineSlice<string>('__proto__');
  const session = new Session();
  session.mutate(odd).append('a');
  const again = SessionSnapshot.fromJSON(JSON.parse(JSON.stringify(session.snapshot())));
  const other = new Session();
  other.mutate().rollback(again);
  expect(other.query(odd).all()).toEqual(['a']);
});

for (const value of [null, 'x', [], {}, { version: 2 }, { version: 1, slices: { a: 1 } }]) {
  test(`no snapshot: ${JSON.stringify(value)}`, () => {
    expect(() => SessionSnapshot.fromJSON(value)).toThrow(/A snapshot must be an object as/);
  });
}

test('what happens to a clone does not reach the original (AD-050)', () => {
  const bus = new InProcessEventBus();
  const session = new Session();
  session.mutate(Names).register(Renamed, (items, name) => [...items, name]);
  session.mutate(Names).dispatch(Renamed, 'a');
  session.bus.publish(promptRendered(session));
  let observed = 0;
  session.observe(Names, () => {
    observed += 1;
  });
  const clone = session.clone({ bus });
  expect(clone.bus).toBe(bus);
  expect(clone.sessionId).not.toBe(session.sessionId);
  expect(clone.query(Names).all()).toEqual(['a']);
  expect(clone.events()).toEqual(session.events());

  clone.mutate(Names).dispatch(Renamed, 'b');
  bus.publish(promptRendered(clone));
  clone.mutate(Names).register(Renamed, () => []);
  expect(clone.query(Names).all()).toEqual(['a', 'b']);
  expect(clone.events()).toHaveLength(2);
  expect(session.query(Names).all()).toEqual(['a']);
  expect(session.events()).toHaveLength(1);
  expect(observed).toBe(0);
  session.mutate(Names).dispatch(Renamed, 'c');
  expect(session.query(Names).all()).toEqual(['a', 'c']);
  expect(observed).toBe(1);
});
