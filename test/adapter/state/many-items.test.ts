import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ToolInvoked } from '../../../src/adapter/state/events.js';
import { defineSlice } from '../../../src/adapter/state/keys.js';
import { append, replaceLatestBy, structuralHash, upsertBy } from '../../../src/adapter/state/reducers.js';
import { Session } from '../../../src/adapter/state/session.js';
import { startCpuClock } from '../../helpers/cpu-time.js';
import { toolInvoked } from './telemetry.js';

interface Item {
  readonly key: number;
  readonly value: unknown;
}
const Items = defineSlice<Item>('Items');

describe('a session of 100 000 events', () => {
  const COUNT = 100_000;
  /** Of the processor, whatever else the machine does. It takes half a second; comparing or copying everything each time takes minutes. */
  const LIMIT_MS = 10_000;

  test('telemetry is kept without looking at what is there', () => {
    const session = new Session();
    const event = toolInvoked(session);
    const spentMs = startCpuClock();
    for (let i = 0; i < COUNT; i += 1) session.bus.publish({ ...event, callId: `${i}` });
    expect(spentMs()).toBeLessThan(LIMIT_MS);
    expect(session.events()).toHaveLength(COUNT);
    expect(session.query(ToolInvoked).latest()?.callId).toBe(`${COUNT - 1}`);
  });

  test('equal items are found without comparing all', () => {
    const session = new Session();
    const spentMs = startCpuClock();
    for (let i = 0; i < COUNT; i += 1) {
      session.mutate(Items).append({ key: i % (COUNT / 2), value: { nested: [`item ${i % 7}`] } });
    }
    expect(spentMs()).toBeLessThan(LIMIT_MS);
    expect(session.query(Items).all().length).toBeGreaterThan(COUNT / 2 - 1);
  });

  test('items with a key are found by it', () => {
    const session = new Session();
    session.mutate(Items).register(
      Items,
      upsertBy(({ key }: Item) => key),
    );
    const spentMs = startCpuClock();
    for (let i = 0; i < COUNT; i += 1) session.mutate(Items).append({ key: i % 60_000, value: i });
    expect(spentMs()).toBeLessThan(LIMIT_MS);
    expect(session.query(Items).all()).toHaveLength(60_000);
    expect(session.query(Items).all()[0]).toEqual({ key: 0, value: 60_000 });
  });
});

/** Keys in another order, so that only the structure is the same. */
function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, shuffled(inner)]),
  );
}

test('values that are equal have one hash', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
      const same = shuffled(structuredClone(value));
      if (!isDeepStrictEqual(value, same)) return;
      expect(structuralHash(same)).toBe(structuralHash(value));
    }),
  );
});

const alike: readonly (readonly [string, unknown, unknown])[] = [
  ['dates', new Date(5), new Date(5)],
  ['maps', new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])],
  ['sets', new Set([1, 2]), new Set([2, 1])],
  ['errors', new Error('x'), new Error('x')],
  ['NaN', { n: Number.NaN }, { n: Number.NaN }],
  ['big integers', 10n, 10n],
];
for (const [name, first, second] of alike) {
  test(`an equal item is there once: ${name}`, () => {
    expect(append(append<unknown>([], first), second)).toHaveLength(1);
  });
}

test('what goes in a circle has a hash', () => {
  const circle = { name: 'a', self: {} };
  circle.self = circle;
  expect(structuralHash(circle)).toBe(structuralHash(circle));
  expect(append(append<unknown>([], circle), circle)).toHaveLength(1);
});

interface Part {
  readonly name: string;
  readonly refers: Record<string, Part>;
}
/** `count` parts. Each refers to every other. */
function mesh(count: number, last = 'last'): readonly Part[] {
  const parts: Part[] = Array.from({ length: count }, (_, i) => ({
    name: i === count - 1 ? last : `part ${i}`,
    refers: {},
  }));
  for (const part of parts) Object.assign(part.refers, parts);
  return parts;
}
/** A root whose children all know their parent. */
function family(size: number): object {
  const children: object[] = [];
  const root = { children };
  for (let i = 0; i < size; i += 1) children.push({ parent: root, name: `${i}` });
  return root;
}
const heavy: readonly (readonly [string, () => unknown])[] = [
  ['150 children that know their parent', () => family(150)],
  ['100 000 children that know their parent', () => family(100_000)],
  ['parts that all refer to one another', () => mesh(150)],
  ['many bytes', () => ({ bytes: Buffer.alloc(20_000_000) })],
  ['one long text, often', () => Array(5_000).fill('x'.repeat(1_000_000))],
  [
    'one fresh object after the other',
    () => {
      const names = Array.from({ length: 150 }, (_, i) => `${i}`);
      const endless = (): object => new Proxy(Object.fromEntries(names.map((name) => [name, 1])), { get: endless });
      return endless();
    },
  ],
];
test.each(heavy)('the hash of %s does not keep the event loop', (_, make) => {
  const value = make();
  const spentMs = startCpuClock();
  expect(structuralHash(value)).toEqual(expect.any(Number));
  // Each takes a fraction of a second. They took seconds to minutes.
  expect(spentMs()).toBeLessThan(1_500);
});

test('of parts that refer to one another, equal ones have one hash and others another', () => {
  const hash = structuralHash(mesh(12));
  expect(structuralHash(mesh(12))).toBe(hash);
  expect(structuralHash(mesh(12).map(({ refers, name }) => ({ name, refers })))).toBe(hash);
  expect(structuralHash(mesh(12, 'other'))).not.toBe(hash);
  expect(structuralHash(mesh(13))).not.toBe(hash);
});

test.each([
  ['in the middle of a long text only, which is allowed', 'a', 'b', true],
  ['at the end', 'a', `${'x'.repeat(999)}b`, false],
])('texts that differ %s', (_, first, second, areAlike) => {
  const around = (text: string): string => `${'x'.repeat(999)}${text}`;
  const tail = areAlike ? 'x'.repeat(999) : '';
  const hashes = [first, second].map((text) => structuralHash({ text: around(text) + tail }));
  expect(hashes[0] === hashes[1]).toBe(areAlike);
});

/** What the built-in reducers promise, in the plainest form. */
const plain = {
  append: (items: readonly Item[], item: Item) =>
    items.some((each) => isDeepStrictEqual(each, item)) ? items : [...items, item],
  upsert: (items: readonly Item[], item: Item) => {
    const index = items.findIndex(({ key }) => key === item.key);
    return index === -1 ? [...items, item] : items.with(index, item);
  },
  last: (items: readonly Item[], item: Item) => [...items.filter(({ key }) => key !== item.key), item],
};
const reducers = { append, upsert: upsertBy(({ key }: Item) => key), last: replaceLatestBy(({ key }: Item) => key) };

const item = fc.record({ key: fc.nat(3), value: fc.constantFrom(1, 2, { a: 1 }, { a: 2 }, [1]) });
const step = fc.oneof(
  fc.record({ do: fc.constant('dispatch' as const), item }),
  fc.record({ do: fc.constant('seed' as const), item }),
  fc.record({ do: fc.constant('clear' as const), item }),
  fc.record({ do: fc.constant('read' as const), item }),
);

for (const name of ['append', 'upsert', 'last'] as const) {
  test(`in a session the reducer ${name} does what it says, whatever was done before`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const session = new Session();
        session.mutate(Items).register(Items, reducers[name]);
        let expected: readonly Item[] = [];
        for (const { do: what, item: each } of steps) {
          if (what === 'dispatch') {
            session.mutate(Items).append(each);
            expected = plain[name](expected, each);
          } else if (what === 'seed') {
            session.mutate(Items).seed([each]);
            expected = [each];
          } else if (what === 'clear') {
            session.mutate(Items).clear(({ key }) => key === each.key);
            expected = expected.filter(({ key }) => key !== each.key);
          } else {
            expect(session.query(Items).all()).toEqual(expected);
          }
        }
        expect(session.query(Items).all()).toEqual(expected);
        expect(session.query(Items).latest()).toEqual(expected.at(-1));
      }),
    );
  });
}
