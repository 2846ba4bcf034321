import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type Type, type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { parseValue, parseValueAsync } from '../../../src/adapter/schema/parse-value.js';
import { defineType } from '../../../src/adapter/schema/type-spec.js';
import type { StandardSchemaLike } from '../../../src/mcp/standard-schema.js';
import { thrownBy } from '../support/thrown-by.js';

/*
 * Which keys a type knows, by what its own library keeps: the JSON Schema of many types does not say.
 */

const q = { k: 'b', q: 4 };
const valibot = toStandardJsonSchema;

/** Types that keep `q`, or use it. */
const keeping: readonly (readonly [string, StandardSchemaLike, unknown])[] = [
  ['valibot looseObject', valibot(v.looseObject({ k: v.string() })), q],
  ['valibot, inside', valibot(v.object({ i: v.array(v.looseObject({ k: v.string() })) })), { i: [q] }],
  ['valibot objectWithRest', valibot(v.objectWithRest({ k: v.string() }, v.number())), q],
  [
    'valibot variant',
    valibot(v.variant('k', [v.object({ k: v.literal('a'), n: v.string() }), v.looseObject({ k: v.literal('b') })])),
    q,
  ],
  [
    'valibot intersect of loose and plain',
    valibot(v.intersect([v.looseObject({ k: v.string() }), v.object({ c: v.string() })])),
    { ...q, c: 'c' },
  ],
  [
    'valibot intersect with a record',
    valibot(v.intersect([v.object({ k: v.string() }), v.record(v.string(), v.unknown())])),
    q,
  ],
  [
    'valibot pipe',
    valibot(
      v.pipe(
        v.looseObject({ k: v.string() }),
        v.transform((given) => Object.keys(given)),
      ),
    ),
    q,
  ],
  ['valibot with a schema of its own', ownSchema(v.looseObject({ k: v.string() })), q],
  ['zod looseObject', z.looseObject({ k: z.string() }), q],
  [
    'zod discriminatedUnion',
    z.discriminatedUnion('k', [z.object({ k: z.literal('a') }), z.looseObject({ k: z.literal('b') })]),
    q,
  ],
  ['zod intersection with anything', z.intersection(z.object({ k: z.string() }), z.unknown()), q],
  ['zod 3 passthrough', z3.object({ k: z3.string() }).passthrough(), q],
  ['arktype', type({ k: 'string' }), q],
  ['arktype, inside', type({ i: type({ k: 'string' }).array() }), { i: [q] }],
  ['arktype that says so', type({ '+': 'ignore', k: 'string' }), q],
  ['arktype union', type({ k: "'a'", n: 'string' }).or({ k: "'b'" }), q],
  ['arktype intersection', type({ k: 'string' }).and({ c: 'string' }), { ...q, c: 'c' }],
  ['arktype morph', type({ k: 'string' }).pipe((given) => Object.keys(given)), q],
];

/** Types that drop or refuse `q`, of which many JSON Schemas say nothing. */
const dropping: readonly (readonly [string, StandardSchemaLike, unknown])[] = [
  ['valibot object', valibot(v.object({ k: v.string() })), q],
  ['valibot strictObject', valibot(v.strictObject({ k: v.string() })), q],
  ['zod object', z.object({ k: z.string() }), q],
  ['zod strictObject', z.strictObject({ k: z.string() }), q],
  ['zod, changed', z.object({ k: z.string() }).transform((each) => ({ ...each, at: 1 })), q],
  ['zod, changed otherwise each time', z.object({ k: z.string() }).transform(() => ({ id: Symbol('each') })), q],
  ['zod 3 object', z3.object({ k: z3.string() }), q],
  ['zod 3 strict', z3.object({ k: z3.string() }).strict(), q],
  ['arktype delete', type({ '+': 'delete', k: 'string' }), q],
  ['arktype reject', type({ '+': 'reject', k: 'string' }), q],
];

/** As without the extension: the conversion alone. */
function ownSchema(schema: v.GenericSchema): StandardSchemaLike {
  const standard = schema as unknown as StandardSchemaLike;
  return {
    '~standard': { ...standard['~standard'], jsonSchema: { input: () => ({ properties: { k: {} } }) } },
  } as StandardSchemaLike;
}

async function library(spec: StandardSchemaLike, value: unknown): Promise<{ value?: unknown; issues?: unknown }> {
  return spec['~standard'].validate(structuredClone(value));
}

describe('what the library keeps is known (A-1)', () => {
  test.each(keeping)('%s', async (_, spec, value) => {
    const { value: kept } = await library(spec, value);
    for (const extra of ['ignore', 'forbid'] as const) {
      expect(parseValue(spec, value, { extra })).toEqual(kept);
      expect(await parseValueAsync(spec, value, { extra })).toEqual(kept);
    }
  });

  test.each(dropping)('what it drops or refuses is not: %s', async (_, spec, value) => {
    expect(thrownBy(() => parseValue(spec, value, { extra: 'forbid' }))).toMatchObject({
      issues: [{ path: 'q', message: 'is not a known key' }],
    });
    const fit = await library(spec, { k: 'b' });
    const parsed = parseValue(spec, value, { extra: 'ignore' });
    if (JSON.stringify(fit.value) !== '{}') expect(parsed).toEqual(fit.value);
  });

  test('a schema that is checked asynchronously', async () => {
    const spec = z.object({ k: z.string().refine(async () => true) });
    expect(await parseValueAsync(spec, q, { extra: 'ignore' })).toEqual({ k: 'b' });
    await expect(parseValueAsync(spec, q, { extra: 'forbid' })).rejects.toMatchObject({ issues: [{ path: 'q' }] });
  });

  test('one level keeps, another refuses', () => {
    const inner = type({ k: 'string', s: type({ '+': 'reject', k: 'string' }) });
    const silent = defineType(inner as StandardSchemaLike, { properties: { k: {}, s: { properties: { k: {} } } } });
    const value = { k: 'a', q: 1, s: { k: 'b', r: 2 } };
    expect(parseValue(silent, value, { extra: 'ignore' })).toEqual({ k: 'a', q: 1, s: { k: 'b' } });
    expect(thrownBy(() => parseValue(silent, value, { extra: 'forbid' }))).toMatchObject({ issues: [{ path: 's.r' }] });
  });

  test('with another fault, only a library that says what it keeps has a key called unknown', () => {
    const wrong = { k: 1, q: 2 };
    const paths = (spec: StandardSchemaLike): unknown =>
      (thrownBy(() => parseValue(spec, wrong, { extra: 'forbid' })) as { issues?: { path: string }[] }).issues?.map(
        ({ path }) => path,
      );
    expect(paths(z.object({ k: z.string() }))).toEqual(['q']);
    expect(paths(valibot(v.object({ k: v.string() })))).toEqual(['q']);
    expect(paths(valibot(v.looseObject({ k: v.string() })))).toEqual(['k']);
    expect(paths(type({ k: 'string' }))).toEqual(['k']);
  });

  test('`__proto__` is known only where it is listed', () => {
    const value: unknown = JSON.parse('{"k":"a","__proto__":{"polluted":1}}');
    const parsed = parseValue(type({ k: 'string' }), value, { extra: 'ignore' });
    expect(JSON.stringify(parsed)).toBe('{"k":"a"}');
  });
});

/** A type as a description, from which each library makes its own. */
type Shape =
  | { readonly kind: 'text' }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'object'; readonly others: 'drop' | 'keep' | 'refuse'; readonly inner: Shape }
  | { readonly kind: 'both'; readonly one: Shape; readonly other: Shape }
  | { readonly kind: 'either'; readonly one: Shape; readonly other: Shape };

const { shape } = fc.letrec<{ shape: Shape; object: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.constant<Shape>({ kind: 'text' }),
    tie('object'),
    tie('shape').map((item): Shape => ({ kind: 'list', item })),
    fc.tuple(tie('shape'), tie('shape')).map(([one, other]): Shape => ({ kind: 'both', one, other })),
    fc.tuple(tie('shape'), tie('shape')).map(([one, other]): Shape => ({ kind: 'either', one, other })),
  ),
  object: fc
    .tuple(fc.constantFrom('drop', 'keep', 'refuse'), tie('shape'))
    .map(([others, inner]): Shape => ({ kind: 'object', others: others as 'drop', inner })),
}));

interface Library<T> {
  readonly text: T;
  list(item: T): T;
  object(others: 'drop' | 'keep' | 'refuse', entries: Record<string, T>): T;
  literal(value: string): T;
  /** @defaultValue `drop` */
  readonly firstOfBoth?: 'keep';
  both(one: T, other: T): T;
  either(one: T, other: T): T;
}

function build<T>(library: Library<T>, at: Shape): T {
  const make = (each: Shape): T => build(library, each);
  switch (at.kind) {
    case 'text':
      return library.text;
    case 'list':
      return library.list(make(at.item));
    case 'object':
      return library.object(at.others, { k: make(at.inner) });
    case 'both':
      return library.both(
        library.object(library.firstOfBoth ?? 'drop', { one: make(at.one) }),
        library.object('keep', { other: make(at.other) }),
      );
    default:
      return library.either(
        library.object('drop', { tag: library.literal('one'), in: make(at.one) }),
        library.object('keep', { tag: library.literal('other'), in: make(at.other) }),
      );
  }
}

/** A value that fits, with another key at each object that is not strict. */
function fitting(at: Shape): unknown {
  switch (at.kind) {
    case 'text':
      return 'x';
    case 'list':
      return [fitting(at.item), fitting(at.item)];
    case 'object':
      return { k: fitting(at.inner), ...(at.others === 'refuse' ? {} : { q: { z: 1 } }) };
    case 'both':
      return { one: fitting(at.one), other: fitting(at.other), q: 1 };
    default:
      return { list: 1, tag: 'other', in: fitting(at.other) };
  }
}

const zod: Library<z.ZodType> = {
  text: z.string(),
  list: (item) => z.array(item),
  object: (others, entries) =>
    ({ drop: z.object, keep: z.looseObject, refuse: z.strictObject })[others](entries) as z.ZodType,
  literal: (value) => z.literal(value),
  both: (one, other) => z.intersection(one, other),
  either: (one, other) => z.union([one, other]),
};
const zod3: Library<z3.ZodTypeAny> = {
  text: z3.string(),
  list: (item) => z3.array(item),
  object: (others, entries) =>
    ({ drop: z3.object(entries), keep: z3.object(entries).passthrough(), refuse: z3.object(entries).strict() })[others],
  literal: (value) => z3.literal(value),
  both: (one, other) => z3.intersection(one, other),
  either: (one, other) => z3.union([one, other]),
};
const valibots: Library<v.GenericSchema> = {
  text: v.string(),
  list: (item) => v.array(item),
  object: (others, entries) =>
    ({ drop: v.object(entries), keep: v.looseObject(entries), refuse: v.strictObject(entries) })[others],
  literal: (value) => v.literal(value),
  both: (one, other) => v.intersect([one, other]),
  either: (one, other) => v.union([one, other]),
};
const arktype: Library<Type> = {
  text: type('string'),
  list: (item) => item.array(),
  object: (others, entries) =>
    type.raw({ '+': ({ drop: 'delete', keep: 'ignore', refuse: 'reject' } as const)[others], ...entries }),
  literal: (value) => type.unit(value),
  // What one part deletes the other cannot have.
  firstOfBoth: 'keep',
  both: (one, other) => one.and(other) as Type,
  either: (one, other) => one.or(other) as Type,
};

const LIBRARIES: Readonly<Record<string, (at: Shape) => StandardSchemaLike>> = {
  zod: (at) => build(zod, at),
  'zod 3': (at) => build(zod3, at) as unknown as StandardSchemaLike,
  valibot: (at) => valibot(build(valibots, at) as never),
  arktype: (at) => build(arktype, at) as unknown as StandardSchemaLike,
};

describe('of any type', () => {
  test.each(Object.entries(LIBRARIES))('%s: what is given is what the library gives (A-1)', (_, make) => {
    let kept = 0;
    fc.assert(
      fc.property(shape, (at) => {
        const spec = make(at);
        const value = fitting(at);
        const own = spec['~standard'].validate(structuredClone(value)) as { value?: unknown; issues?: unknown };
        expect(own.issues).toBeUndefined();
        expect(parseValue(spec, value, { extra: 'ignore' })).toEqual(own.value);
        const isWhole = JSON.stringify(sorted(own.value)) === JSON.stringify(sorted(value));
        if (isWhole) kept += 1;
        expect(thrownBy(() => parseValue(spec, value, { extra: 'forbid' })) === undefined).toBe(isWhole);
      }),
      { numRuns: 200 },
    );
    expect(kept).toBeGreaterThan(20);
  });
});

/** The order of keys does not count. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
