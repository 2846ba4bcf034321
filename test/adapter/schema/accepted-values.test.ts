import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { buildOutputFormat } from '../../../src/adapter/output/output-format.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { resolveType } from '../../../src/adapter/schema/type-spec.js';
import { isStandardSchema, type StandardSchemaLike } from '../../../src/mcp/standard-schema.js';

/*
 * A value that a type takes always fits the schema that is sent, read as the CLI reads it. Types of four libraries, of
 * parts that are known to say less, or other things, in JSON Schema.
 */

const EXPRESSIONS = [/^[a-z]+$/i, /^[\w-.]+$/, /^.{2}$/, /^a.b$/s, /^b$/m, /^\p{L}+$/u, /^[^x]$/, /^\d+$/, /x/g];

const zodText: fc.Arbitrary<z.ZodType> = fc.constantFrom<z.ZodType>(
  ...EXPRESSIONS.map((expression) => z.string().regex(expression)),
  ...[z.string(), z.string().min(2), z.string().max(1), z.string().length(2), z.string().regex(/a/).regex(/B/i)],
  ...[
    z.string().trim().max(2),
    z
      .string()
      .toLowerCase()
      .regex(/^[a-z]*$/),
    z.string().startsWith('a-b'),
  ],
  ...[z.string().includes('b', { position: 1 }), z.string().endsWith('b\n'), z.email(), z.url(), z.iso.date()],
  ...[z.iso.datetime({ offset: true }), z.uuid(), z.ipv4(), z.base64(), z.emoji(), z.stringbool()],
  ...[z.templateLiteral(['a-', z.number()]), z.templateLiteral([z.string(), '!'])],
);
const zodPlain: fc.Arbitrary<z.ZodType> = fc.oneof(
  zodText,
  fc.constantFrom<z.ZodType>(
    ...[z.number(), z.int(), z.number().multipleOf(0.1), z.number().min(1).max(5), z.boolean(), z.null()],
    ...[z.coerce.number(), z.coerce.date(), z.coerce.bigint(), z.coerce.string().max(2), z.coerce.boolean()],
    ...[z.preprocess((each) => Number(each), z.number()), z.unknown(), z.any(), z.json(), z.literal(['a', 1, null])],
    ...[
      z.enum(['a', 'b']),
      z.string().transform((each) => each.length),
      z.string().brand('Name'),
      z.custom(() => true),
    ],
    ...[
      z.date().optional(),
      z.bigint().nullable(),
      z.codec(z.string(), z.number(), { decode: Number, encode: String }),
    ],
    ...[z.number().max(Infinity), z.number().gte(-Infinity), z.number().lt(Infinity), z.string().max(Infinity)],
    ...[z.array(z.string()).max(Infinity), z.string().trim().max(Infinity), z.literal([Infinity, 1])],
    ...[z.success(z.string()), z.nonoptional(z.string().optional()), z.literal([undefined, 'a'])],
    ...[z.nan().nullable(), z.union([z.literal(1n), z.string()]), z.promise(z.string()).nullable()],
    ...[z.ulid(), z.cidrv4(), z.cidrv6(), z.nanoid(), z.cuid(), z.cuid2(), z.iso.duration(), z.base64url(), z.e164()],
    ...[z.number().overwrite(Math.round).min(2), z.array(z.number()).min(1).max(2), z.record(z.string(), z.number())],
  ),
);
const { schema: zodType } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    zodPlain,
    tie('schema').map((each) => each.optional()),
    tie('schema').map((each) => each.nullable()),
    tie('schema').map((each) => z.lazy(() => each)),
    tie('schema').map((each) => each.catch('caught')),
    tie('schema').map((each) => each.default('preset')),
    tie('schema').map((each) => each.readonly()),
    tie('schema').map((each) => z.array(each)),
    tie('schema').map((each) => z.union([each, z.number()])),
    tie('schema').map((each) => z.xor([each, z.boolean()])),
    tie('schema').map((each) => z.tuple([z.string(), each])),
    tie('schema').map((each) => z.tuple([each], z.number())),
    tie('schema').map((each) => z.record(z.string().regex(/^[ab]$/i), each)),
    tie('schema').map((each) => z.partialRecord(z.enum(['a', 'b']), each)),
    tie('schema').map((each) => z.intersection(z.object({ a: each }), z.object({ b: z.string().optional() }))),
    tie('schema').map((each) => z.object({ a: each, b: z.string().optional() })),
    tie('schema').map((each) => z.strictObject({ a: each })),
    tie('schema').map((each) => z.looseObject({ a: each })),
    tie('schema').map((each) => z.object({ a: z.string() }).catchall(each)),
    tie('schema').map((each) => z.record(z.enum(['a', 'b']), each)),
    tie('schema').map((each) => z.record(z.union([z.literal('a'), z.literal('b')]), each)),
    tie('schema').map((each) => z.record(z.string().toLowerCase(), each)),
    tie('schema').map((each) => z.record(z.number(), each)),
    tie('schema').map((each) => z.looseRecord(z.string().regex(/^a$/i), each)),
    tie('schema').map((each) => z.looseRecord(z.enum(['a']), each)),
    tie('schema').map((each) => z.array(each).min(1).max(2)),
    tie('schema').map((each) => each.prefault('preset')),
    tie('schema').map((each) => z.object({ a: each, b: z.exactOptional(each) })),
    tie('schema').map((each) => z.nonoptional(each)),
    tie('schema').map((each) => each.pipe(z.unknown())),
    tie('schema').map((each) => z.tuple([each, each.optional()])),
    tie('schema').map((each) =>
      z.discriminatedUnion('a', [z.object({ a: z.literal('a'), b: each }), z.object({ a: z.literal('b') })]),
    ),
  ),
}));

const { schema: zod3Type } = fc.letrec<{ schema: z3.ZodTypeAny }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<z3.ZodTypeAny>(
      ...EXPRESSIONS.map((expression) => z3.string().regex(expression)),
      ...[z3.string(), z3.string().min(2), z3.string().length(2), z3.string().trim().max(2), z3.string().email()],
      ...[z3.string().startsWith('a-b'), z3.string().url(), z3.string().datetime(), z3.string().toLowerCase().max(1)],
      ...[z3.number(), z3.number().int(), z3.number().multipleOf(0.1), z3.coerce.number(), z3.coerce.date()],
      ...[z3.boolean(), z3.null(), z3.unknown(), z3.any(), z3.literal('a'), z3.enum(['a', 'b'])],
      ...[z3.string().transform((each) => each.length), z3.preprocess(String, z3.string()), z3.string().catch('x')],
      ...[z3.number().max(Infinity), z3.number().gte(-Infinity), z3.number().gt(-Infinity), z3.string().max(Infinity)],
      ...[z3.array(z3.string()).max(Infinity), z3.string().trim().max(Infinity), z3.literal(Infinity).nullable()],
      ...[z3.literal(null), z3.literal(undefined), z3.literal(1), z3.literal(true), z3.literal(1n).nullable()],
      ...[z3.union([z3.string(), z3.literal(null)]), z3.union([z3.literal('a'), z3.literal(null)])],
      ...[z3.union([z3.literal(1n), z3.literal(Symbol.iterator), z3.literal(undefined), z3.literal('a')])],
      ...[z3.string().cidr(), z3.string().cidr({ version: 'v4' }), z3.string().cidr({ version: 'v6' })],
      ...[z3.string().ulid(), z3.string().nanoid(), z3.string().cuid(), z3.string().cuid2(), z3.string().uuid()],
      ...[z3.string().ip(), z3.string().date(), z3.string().time(), z3.string().duration(), z3.string().emoji()],
      ...[z3.string().base64(), z3.string().base64url(), z3.string().jwt(), z3.string().includes('b', { position: 1 })],
      ...[z3.string().endsWith('b\n'), z3.string().startsWith('Z'), z3.string().toUpperCase().max(2)],
      ...[z3.nativeEnum({ A: 0, B: 'b', 0: 'A' } as const), z3.nativeEnum({ A: 'a', B: 'b' } as const)],
      ...[z3.date().nullable(), z3.bigint().min(1n).nullable(), z3.coerce.bigint(), z3.nan().nullable()],
      ...[z3.set(z3.string()).nullable(), z3.map(z3.string(), z3.string()).nullable(), z3.void(), z3.undefined()],
      ...[z3.tuple([z3.symbol().nullable(), z3.string()]), z3.promise(z3.string()), z3.never().nullable()],
      ...[
        z3.string().pipe(z3.coerce.number()),
        z3.array(z3.string()).readonly(),
        z3.record(z3.string().ulid(), z3.any()),
      ],
      ...[z3.record(z3.enum(['a', 'b']), z3.number()), z3.string().default('x').nullable(), z3.number().brand('N')],
      ...[z3.string().brand('Name'), z3.string().refine(() => true), z3.string().default('x')],
    ),
    tie('schema').map((each) => each.optional()),
    tie('schema').map((each) => each.nullable()),
    tie('schema').map((each) => z3.lazy(() => each)),
    tie('schema').map((each) => each.catch('caught')),
    tie('schema').map((each) => z3.array(each)),
    tie('schema').map((each) => z3.union([each, z3.number()])),
    tie('schema').map((each) => z3.tuple([z3.string(), each])),
    tie('schema').map((each) => z3.record(each)),
    tie('schema').map((each) => z3.object({ a: each, b: each.optional() })),
    tie('schema').map((each) => z3.object({ a: each }).strict()),
    tie('schema').map((each) => z3.object({ a: z3.string() }).catchall(each)),
    tie('schema').map((each) => z3.object({ a: each }).passthrough()),
    tie('schema').map((each) => z3.object({ a: each }).partial()),
    tie('schema').map((each) => z3.record(z3.enum(['a', 'b']), each)),
    tie('schema').map((each) => z3.record(z3.string().toLowerCase(), each)),
    tie('schema').map((each) => z3.record(z3.string().min(1), each)),
    tie('schema').map((each) => z3.array(each).min(1).max(2)),
    tie('schema').map((each) => z3.tuple([z3.string()]).rest(each)),
    tie('schema').map((each) => z3.intersection(z3.object({ a: each }), z3.object({ b: z3.string().optional() }))),
    tie('schema').map((each) => each.default('preset')),
    tie('schema').map((each) => each.pipe(z3.unknown())),
    tie('schema').map((each) => each.readonly()),
    tie('schema').map((each) => each.brand('Name')),
    tie('schema').map((each) => each.transform(String)),
    tie('schema').map((each) => each.refine(() => true)),
    tie('schema').map((each) => z3.set(each).nullable()),
    tie('schema').map((each) =>
      z3.discriminatedUnion('a', [z3.object({ a: z3.literal('a'), b: each }), z3.object({ a: z3.literal('b') })]),
    ),
  ),
}));

type Valibot = v.GenericSchema;

const { schema: valibotType } = fc.letrec<{ schema: Valibot }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Valibot>(
      ...EXPRESSIONS.map((expression) => v.pipe(v.string(), v.regex(expression))),
      ...[v.string(), v.pipe(v.string(), v.minLength(2)), v.pipe(v.string(), v.trim(), v.maxLength(2))],
      ...[v.pipe(v.string(), v.toLowerCase(), v.regex(/^[a-z]*$/)), v.pipe(v.string(), v.email())],
      ...[v.pipe(v.string(), v.length(2)), v.pipe(v.string(), v.startsWith('a')), v.pipe(v.string(), v.emoji())],
      ...[v.pipe(v.string(), v.transform(Number), v.maxValue(3)), v.pipe(v.string(), v.isoDate())],
      ...[v.number(), v.pipe(v.number(), v.multipleOf(0.1)), v.pipe(v.number(), v.integer()), v.boolean(), v.null()],
      ...[v.pipe(v.number(), v.maxValue(Infinity)), v.pipe(v.number(), v.minValue(-Infinity))],
      ...[v.pipe(v.string(), v.maxLength(Infinity)), v.pipe(v.array(v.string()), v.maxLength(Infinity))],
      ...[v.unknown(), v.any(), v.literal('a'), v.picklist(['a', 'b']), v.fallback(v.string(), 'x')],
      ...[v.fallback(v.pipe(v.string(), v.minLength(1)), 'x'), v.pipe(v.string(), v.brand('Name'))],
      ...[v.pipe(v.unknown(), v.transform(String)), v.custom<string>(() => true), v.optional(v.date())],
    ),
    tie('schema').map((each) => v.optional(each)),
    tie('schema').map((each) => v.nullable(each)),
    tie('schema').map((each) => v.nullish(each, () => 'preset')),
    tie('schema').map((each) => v.lazy(() => each)),
    tie('schema').map((each) => v.fallback(each, 'caught')),
    tie('schema').map((each) => v.array(each)),
    tie('schema').map((each) => v.union([each, v.number()])),
    tie('schema').map((each) => v.tuple([v.string(), each])),
    tie('schema').map((each) => v.strictTuple([each])),
    tie('schema').map((each) => v.record(v.string(), each)),
    tie('schema').map((each) => v.object({ a: each, b: v.optional(v.string()) })),
    tie('schema').map((each) => v.strictObject({ a: each })),
    tie('schema').map((each) => v.looseObject({ a: each })),
    tie('schema').map((each) => v.objectWithRest({ a: v.string() }, each)),
    tie('schema').map((each) => v.objectWithRest({ a: each }, v.number())),
    tie('schema').map((each) => v.record(v.picklist(['a', 'b']), each)),
    tie('schema').map((each) => v.record(v.pipe(v.string(), v.toLowerCase(), v.regex(/^a$/)), each)),
    tie('schema').map((each) => v.looseTuple([each])),
    tie('schema').map((each) => v.tupleWithRest([v.string()], each)),
    tie('schema').map((each) => v.tupleWithRest([each], v.number())),
    tie('schema').map((each) => v.intersect([v.object({ a: each }), v.object({ b: v.optional(v.string()) })])),
    tie('schema').map((each) => v.undefinedable(each)),
    tie('schema').map((each) => v.object({ a: v.exactOptional(each) })),
    tie('schema').map((each) => v.nonNullish(v.nullish(each))),
    tie('schema').map((each) => v.pipe(each, v.transform(String))),
    tie('schema').map((each) => v.pipe(v.array(each), v.minLength(1), v.maxLength(2))),
    tie('schema').map((each) => v.partial(v.object({ a: each as v.GenericSchema<string> }))),
    tie('schema').map((each) =>
      v.variant('a', [v.object({ a: v.literal('a'), b: each }), v.object({ a: v.literal('b') })]),
    ),
  ),
}));

const arktypes: readonly StandardSchemaLike[] = [
  ...EXPRESSIONS.map((expression) => type({ a: expression })),
  ...[type({ a: 'string>=2', 'b?': 'number' }), type({ a: 'string.trim' }), type({ a: 'string.email' })],
  ...[type({ a: 'string.date.iso' }), type({ a: 'string.numeric.parse' }), type({ a: 'string|number[]' })],
  ...[type({ a: 'number%2' }), type({ a: 'string = "x"' }), type({ a: ['string', 'number?'] }), type({ a: 'unknown' })],
  ...[type({ '[string]': 'number' }), type({ '+': 'reject', a: 'string' }), type({ a: "'a'|'b'|1|null" })],
  ...[type({ a: type('string').pipe((each) => each.length) }), type({ a: /^a/i, 'b?': /^.{2}$/ })],
  ...[type({ a: 'string.url' }), type({ a: 'string.uuid' }), type({ a: '1<=number<5' }), type({ a: 'Date?' } as never)],
  ...[type('object'), type({ a: 'object' }), type({ a: 'object|string' }), type({ a: type('object').array() })],
  ...[type({ a: 'Array' }), type({ a: 'unknown[]' }), type({ a: 'object[]>1' }), type({ a: 'object.json' })],
  ...[type({ a: 'Record<string, object>' }), type({ a: {} })],
  ...[type({ a: { 'a?': 'string' } }), type({ a: { '+': 'delete', a: 'object' } }), type({ a: 'string|undefined' })],
  ...[type({ a: 'number.integer' }), type({ a: 'string.integer' }), type({ a: 'string.json.parse' })],
  ...[type({ a: 'string.lower' }), type({ a: 'string.upper' }), type({ a: 'string.capitalize' })],
  ...[type({ a: ['string', '...', 'number[]'] }), type({ a: ['string', '=', 'x'] }), type({ a: 'unknown = 5' })],
  ...[type({ a: 'true|null' }), type({ a: 'number.epoch' })],
];

/** Values that parts of the types take or nearly take. */
const TEXTS = [
  ...['', 'a', 'b', 'A', 'aB', 'AB', 'ab', 'a b', 'a\nb', 'x\nb', 'b\n', '😀', '😀😀', 'é', ' a ', '-.', 'a-b', 'a-1'],
  ...[
    '1',
    '12',
    '0.3',
    'true',
    'a@b.co',
    'https://a.b/c',
    'http:a',
    '2026-01-31',
    '2026-01-31T10:00:00+01:00',
    '1.2.3.4',
  ],
  ...['01arz3ndektsv4rrffq69g5fav', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '1.2.3.4/8', '2001:db8::/32', '::1', 'Z', 'PT1.5S'],
  ...[
    'V1StGXR8_Z5jdHi6B-myT',
    'cjld2cjxh0000qzrmn831i7rn',
    'CJLD2CJXH',
    '12:00:00',
    '+14155552671',
    'eyJhIjoxfQ.e30.x',
  ],
  ...['YWI=', 'x', 'caught', 'Ab', 'a\nBb', '🇨🇭', '123e4567-e89b-12d3-a456-426614174000', 'x!', '\n!'],
];
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(...TEXTS),
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 3, 0.3, 0.7, 1.4, -1, 1e21),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [] }),
    fc.record({ a: fc.constantFrom('a', 'b'), b: tie('value') }, { requiredKeys: ['a'] }),
  ),
}));

const cli = () => new Ajv({ strictTypes: false, strictTuples: false, validateFormats: false, verbose: true });

/** As it comes out of the JSON text, in which Infinity is `null`. */
function asRead(schema: object | boolean): ValidateFunction {
  return cli().compile(JSON.parse(JSON.stringify(schema)) as object | boolean);
}

/** valibot and arktype take a list where keys are asked for. That is not worth a schema without a type. */
function isListAsObject(errors: readonly ErrorObject[] | null | undefined): boolean {
  return (
    errors?.some(
      ({ keyword, params, data, parentSchema }) =>
        keyword === 'type' &&
        String(params.type).includes('object') &&
        Array.isArray(data) &&
        ('properties' in (parentSchema ?? {}) || 'additionalProperties' in (parentSchema ?? {})),
    ) === true
  );
}

interface Seen {
  readonly accepted: number;
  readonly refused: number;
}

/** Asks of each generated type whether values that it takes fit what is sent. */
function tryTypes(types: fc.Arbitrary<StandardSchemaLike>, numRuns: number): Seen {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(types.map(named), fc.array(value, { minLength: 20, maxLength: 20 }), (inner, values) => {
      const output = resolvable(inner);
      if (output === undefined) return;
      const sent = (more: { outputContainer?: 'array' }) =>
        buildOutputFormat(new Prompt({ ns: 'n', key: 'k', output, ...(more as object) }).render())?.schema ?? false;
      const [one, many] = [asRead(sent({})), asRead(sent({ outputContainer: 'array' }))];
      for (const each of values) {
        const given = isMember(inner) ? { v: each } : each;
        if (typeof given !== 'object' || given === null || Array.isArray(given)) continue;
        if (!takes(output, given)) {
          seen.refused += 1;
          continue;
        }
        seen.accepted += 1;
        for (const [check, sentValue] of [[one, given] as const, [many, { items: [given] }] as const]) {
          if (check(sentValue) || isListAsObject(check.errors)) continue;
          throw new Error(`${JSON.stringify(given)} does not fit ${JSON.stringify(one.schema)}`);
        }
      }
    }),
    { numRuns },
  );
  return seen;
}

/** Told by its JSON Schema when it fails: printed whole, a schema fills pages. */
function named(schema: StandardSchemaLike): StandardSchemaLike {
  return Object.assign(schema, { [fc.toStringMethod]: () => JSON.stringify(resolvable(schema)?.['~standard'].vendor) });
}

const MEMBERS = new WeakSet<object>();
const isMember = (schema: StandardSchemaLike): boolean => MEMBERS.has(schema);

/** Marks an object whose member `v` has the generated type. */
function asMember(schema: StandardSchemaLike): StandardSchemaLike {
  MEMBERS.add(schema);
  return schema;
}

/** `undefined`: no JSON value fits the type, which is an error of its own. */
function resolvable(schema: StandardSchemaLike): StandardSchemaLike | undefined {
  try {
    resolveType(schema, 'Here');
    return schema;
  } catch (error) {
    expect(String(error)).toContain('no JSON value fits');
    return undefined;
  }
}

function takes(schema: StandardSchemaLike, given: unknown): boolean {
  try {
    const result = schema['~standard'].validate(structuredClone(given));
    return !('then' in result) && result.issues === undefined;
  } catch {
    // `BigInt('x')` of a coercion.
    return false;
  }
}

describe('what is sent never refuses what the type takes, of', () => {
  const member =
    <T>(wrap: (inner: T) => unknown) =>
    (inner: T) => {
      const schema = wrap(inner);
      if (!isStandardSchema(schema)) throw new TypeError('not a schema');
      return asMember(schema);
    };
  const cases: readonly [name: string, types: fc.Arbitrary<StandardSchemaLike>, numRuns: number][] = [
    ['zod 4', zodType.map(member((inner) => z.object({ v: inner }))), 120],
    ['zod 3', zod3Type.map(member((inner) => z3.object({ v: inner }))), 80],
    ['valibot', valibotType.map(member((inner) => toStandardJsonSchema(v.object({ v: inner })))), 80],
    ['arktype', fc.constantFrom(...arktypes), 40],
  ];
  test.each(cases)('%s', (_, types, numRuns) => {
    const { accepted, refused } = tryTypes(types, numRuns);
    expect(Math.min(accepted, refused)).toBeGreaterThan(50);
  });
});
