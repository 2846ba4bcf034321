import type { JsonObject } from '../../src/util/json.js';

/** The part of JSON Schema that our own schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

type Definitions = Readonly<Record<string, JsonObject>>;

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: 'error',
  number: 1,
  integer: 1,
  boolean: true,
  object: {},
  array: [],
  null: null,
};

/** An object with the required fields and no other. */
export function minimalInstance(schema: Schema, defs: Definitions): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return minimalInstance(schema.anyOf[0] ?? {}, defs);
  if (schema.type === undefined && schema.$ref === undefined) return 'anything';
  const { required, properties } = fieldsOf(schema, defs);
  const [type] = typesOf(schema, defs);
  if (type !== 'object') return SAMPLES[type ?? 'string'];
  return Object.fromEntries(required.map((key) => [key, minimalInstance(properties[key] ?? {}, defs)]));
}

/** Copies of a good instance with one thing wrong: a required field gone, or a field of another type. */
export function* spoiled(
  good: unknown,
  schema: Schema,
  defs: Definitions,
): Generator<{ what: string; value: unknown }> {
  if (typesOf(schema, defs)[0] !== 'object' || good === null || typeof good !== 'object') return;
  const { required, properties } = fieldsOf(schema, defs);
  const whole = good as JsonObject;
  for (const key of required) {
    const { [key]: _, ...rest } = whole;
    yield { what: `no ${key}`, value: rest };
  }
  for (const [key, inner] of Object.entries(properties)) {
    const wrong = wrongValue(inner, defs);
    if (wrong !== undefined) yield { what: `${key}: another type`, value: { ...whole, [key]: wrong } };
    if (inner.anyOf !== undefined || !Object.hasOwn(whole, key)) continue;
    for (const nested of spoiled(whole[key], inner, defs)) {
      yield { what: `${key}.${nested.what}`, value: { ...whole, [key]: nested.value } };
    }
  }
}

/** A value that the schema refuses; `undefined` when it takes everything. */
function wrongValue(schema: Schema, defs: Definitions): unknown {
  if (schema.const !== undefined || schema.enum !== undefined || schema.pattern !== undefined) {
    return 'no such value';
  }
  const types = schema.anyOf?.flatMap((one) => typesOf(one, defs)) ?? typesOf(schema, defs);
  if (types.length === 0) return undefined;
  return types.some((type) => type === 'number' || type === 'integer') ? [true] : 12.5;
}

function typesOf(schema: Schema, defs: Definitions): readonly string[] {
  if (schema.type !== undefined) {
    return typeof schema.type === 'string' ? [schema.type] : schema.type;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((one) => typesOf(one, defs));
  return schema.$ref === undefined ? [] : typesOf(resolve(schema.$ref, defs), defs);
}

/** With those of a `$ref` beside them; the schema's own win. */
function fieldsOf(
  schema: Schema,
  defs: Definitions,
): { required: readonly string[]; properties: Readonly<Record<string, Schema>> } {
  const base =
    schema.$ref === undefined ? { required: [], properties: {} } : fieldsOf(resolve(schema.$ref, defs), defs);
  return {
    required: [...base.required, ...(schema.required ?? [])],
    properties: { ...base.properties, ...schema.properties },
  };
}

function resolve(ref: string, defs: Definitions): Schema {
  const found = defs[ref.split('/').at(-1) ?? ''];
  if (found === undefined) throw new Error(`no definition for ${ref}`);
  return found as Schema;
}
