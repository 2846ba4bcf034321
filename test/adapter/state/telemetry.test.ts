import { describe, expect, test } from 'vitest';
import { PromptExecuted, PromptRendered, ToolInvoked } from '../../../src/adapter/state/events.js';
import { defineSlice } from '../../../src/adapter/state/keys.js';
import { Session } from '../../../src/adapter/state/session.js';
import {
  ClearAllVisibilityOverrides,
  ClearVisibilityOverride,
  FileModified,
  ModifiedFiles,
  Plan,
  PlanUpdated,
  SetVisibilityOverride,
  VisibilityOverrides,
} from '../../../src/adapter/state/slices.js';
import { promptExecuted, promptRendered, toolInvoked } from './telemetry.js';

interface Fact {
  readonly about: string;
}
const Facts = defineSlice<Fact>('Facts');
class Finding {
  readonly line: number;
  constructor(line: number) {
    this.line = line;
  }
}

test('telemetry events with equal content are two items (AD-040)', () => {
  const session = new Session();
  const event = toolInvoked(session);
  session.bus.publish(event);
  session.bus.publish(event);
  session.bus.publish({ ...event });
  expect(session.query(ToolInvoked).all()).toEqual([event, event, event]);
});

test('events() holds every telemetry event, oldest first (AD-051)', () => {
  const session = new Session();
  const events = [promptRendered(session), toolInvoked(session), toolInvoked(session), promptExecuted(session)];
  for (const event of events) session.bus.publish(event);
  session.bus.publish({ type: 'somethingElse' });
  expect(session.events()).toEqual(events);
  expect(session.events()[0]).toBe(events[0]);
  expect(Object.isFrozen(session.events())).toBe(true);
  expect(session.query(PromptRendered).all()).toEqual([events[0]]);
  expect(session.query(PromptExecuted).latest()).toBe(events[3]);
});

test('a detached session hears nothing more', () => {
  const session = new Session();
  session.bus.publish(promptRendered(session));
  session.detach();
  session.detach();
  session.bus.publish(promptRendered(session));
  expect(session.events()).toHaveLength(1);
});

test('an event is plain data: id, time, no undefined field', () => {
  const session = new Session();
  const event = toolInvoked(session, { error: undefined, callId: undefined, now: 0 });
  expect(Object.keys(event)).not.toContain('error');
  expect(event).toMatchObject({ type: 'toolInvoked', createdAt: '1970-01-01T00:00:00.000Z' });
  expect(event.eventId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(Object.isFrozen(event)).toBe(true);
  expect(JSON.parse(JSON.stringify(event))).toEqual(event);
});

test('an event cuts what the model saw to 1000 units, and keeps the result whole', () => {
  const long = 'x'.repeat(1_500);
  const event = toolInvoked(new Session(), { renderedOutput: long, result: { stdout: long } });
  expect(event.renderedOutput).toHaveLength(1_000);
  expect(event.result).toEqual({ stdout: long });
});

describe('typed values', () => {
  test('a value goes to the tool’s slice on success, and nowhere on failure (AD-054)', () => {
    const session = new Session();
    session.bus.publish(toolInvoked(session, { value: { about: 'a' }, resultSlice: Facts }));
    session.bus.publish(toolInvoked(session, { value: { about: 'b' }, success: false, resultSlice: Facts }));
    expect(session.query(Facts).all()).toEqual([{ about: 'a' }]);
  });

  test('a class instance goes to the slice of its class, a plain object without a slice nowhere', () => {
    const session = new Session();
    const finding = new Finding(3);
    session.bus.publish(toolInvoked(session, { value: finding }));
    session.bus.publish(toolInvoked(session, { value: { about: 'a' } }));
    session.bus.publish(toolInvoked(session, { value: Object.create(null) }));
    expect(session.query(Finding).all()).toEqual([finding]);
    expect(session.query(Object).all()).toEqual([]);
  });

  test('values run through the reducers of their slice', () => {
    const session = new Session();
    const Count = defineSlice<number>('Count');
    session.mutate(Count).register(Facts, (items) => [(items.at(-1) ?? 0) + 1]);
    for (const about of ['a', 'b']) {
      session.bus.publish(toolInvoked(session, { value: { about }, resultSlice: Facts }));
    }
    expect(session.query(Count).latest()).toBe(2);
  });

  test('an array output goes item by item to the template’s slice (AD-055)', () => {
    const session = new Session();
    const output = [{ about: 'a' }, { about: 'b' }];
    session.bus.publish(promptExecuted(session, { output, outputSlice: Facts }));
    expect(session.query(Facts).all()).toEqual(output);
  });

  test('an output without a slice goes to that of its class; null goes nowhere', () => {
    const session = new Session();
    session.bus.publish(promptExecuted(session, { output: new Finding(1) }));
    session.bus.publish(promptExecuted(session, { output: [new Finding(2), new Finding(3)] }));
    session.bus.publish(promptExecuted(session, { output: null, outputSlice: Facts }));
    expect(
      session
        .query(Finding)
        .all()
        .map(({ line }) => line),
    ).toEqual([1, 2, 3]);
    expect(session.query(Facts).all()).toEqual([]);
  });

  test('a falsy output is an output', () => {
    const session = new Session();
    const Flags = defineSlice<boolean>('Flags');
    session.bus.publish(promptExecuted(session, { output: false, outputSlice: Flags }));
    expect(session.query(Flags).all()).toEqual([false]);
  });
});

describe('the slices of this layer', () => {
  test('visibility overrides are set, cleared one by one and all together', () => {
    const session = new Session();
    const overrides = session.mutate(VisibilityOverrides);
    overrides.dispatch(SetVisibilityOverride, { path: 'a.b', visibility: 'full' });
    overrides.dispatch(SetVisibilityOverride, { path: 'c', visibility: 'summary' });
    expect(session.query(VisibilityOverrides).all()).toEqual([{ 'a.b': 'full', c: 'summary' }]);
    overrides.dispatch(ClearVisibilityOverride, { path: 'c' });
    expect(session.query(VisibilityOverrides).latest()).toEqual({ 'a.b': 'full' });
    overrides.dispatch(ClearAllVisibilityOverrides, {});
    expect(session.query(VisibilityOverrides).all()).toEqual([]);
  });

  test('modified files are counted by path, with the tools that changed them', () => {
    const session = new Session();
    for (const [path, tool] of [
      ['a.ts', 'Write'],
      ['b.ts', 'Edit'],
      ['a.ts', 'Edit'],
      ['a.ts', 'Edit'],
    ] as const) {
      session.mutate(ModifiedFiles).dispatch(FileModified, { path, tool });
    }
    expect(session.query(ModifiedFiles).all()).toEqual([
      {
        files: [
          { path: 'a.ts', tools: ['Write', 'Edit'], count: 3 },
          { path: 'b.ts', tools: ['Edit'], count: 1 },
        ],
      },
    ]);
  });

  test('a plan is replaced by each update, in our words', () => {
    const session = new Session();
    session.mutate(Plan).dispatch(PlanUpdated, { todos: [{ content: 'old', status: 'pending' }] });
    session.mutate(Plan).dispatch(PlanUpdated, {
      todos: [
        { content: 'Read', status: 'in_progress', activeForm: 'Reading' },
        { id: '2', content: 'Write', status: 'pending' },
      ],
    });
    expect(session.query(Plan).all()).toEqual([
      {
        steps: [
          { description: 'Read', status: 'in_progress', activeForm: 'Reading' },
          { id: '2', description: 'Write', status: 'pending' },
        ],
      },
    ]);
  });
});
