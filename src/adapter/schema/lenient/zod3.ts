import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { type JsonSchema, localTarget } from '../json-schema.js';
import { acceptAnything, acceptNothing, isSafe, NOT_IN_JSON } from './loosen.js';

interface Zod3Check {
  readonly kind: string;
  readonly regex?: RegExp;
  readonly version?: string;
}

/** What is read of a schema of zod 3. */
interface Zod3Schema {
  readonly _def: {
    readonly typeName: string;
    readonly coerce?: boolean;
    readonly checks?: readonly Zod3Check[];
    readonly effect?: { readonly type: string };
    readonly shape?: () => Readonly<Record<string, Zod3Schema>>;
    readonly type?: Zod3Schema;
    readonly catchall?: Zod3Schema;
    readonly [field: string]: unknown;
  };
}

/**
 * Makes a JSON Schema of zod 3 as lenient as the schema. Members of objects and elements of arrays are handled one by
 * one. Anything else that accepts more than its JSON Schema becomes a description.
 */
export function loosenZod3(schema: Zod3Schema, json: JsonObject): void {
  const { typeName, shape, type, catchall } = schema._def;
  if (typeName === 'ZodObject' && shape !== undefined && isJsonObject(json.properties)) {
    const members = shape();
    for (const [key, inner] of Object.entries(json.properties)) {
      const member = Object.hasOwn(members, key) ? members[key] : undefined;
      if (member !== undefined && isJsonObject(inner)) loosenZod3(member, inner);
    }
    if (catchall !== undefined && isJsonObject(json.additionalProperties)) {
      loosenZod3(catchall, json.additionalProperties);
    }
    if (!Array.isArray(json.required)) return;
    json.required = json.required.filter((key: string) => members[key] === undefined || !replaces(members[key]._def));
    if ((json.required as unknown[]).length === 0) delete json.required;
  } else if (typeName === 'ZodArray' && type !== undefined && isJsonObject(json.items)) loosenZod3(type, json.items);
  else if (isNotInJson(schema._def)) acceptNothing(json);
  else if (isLenient(schema)) acceptAnything(json);
}

/** zod 3 writes `{ type: 'object' }`, and no properties, of literals that are not of a type it knows: null, undefined. */
export function withNullLiteral(schema: JsonSchema): JsonSchema {
  const isLiteral = schema.type === 'object' && !('properties' in schema || 'additionalProperties' in schema);
  return isLiteral ? { ...schema, type: 'null' } : schema;
}

/** A promise is not among them: zod 3 awaits any value. */
function isNotInJson({ typeName, coerce, value }: Zod3Schema['_def']): boolean {
  if (typeName === 'ZodLiteral') return ['bigint', 'symbol', 'undefined'].includes(typeof value);
  const type = typeName.slice('Zod'.length).toLowerCase();
  return coerce !== true && type !== 'promise' && NOT_IN_JSON.has(type);
}

/** A copy without references, whose targets are about to change, and without what JSON does not have. */
export function withoutReferences(root: JsonObject): JsonObject {
  let count = 0;
  const copy = (value: unknown, around: readonly unknown[]): unknown => {
    count += 1;
    if (count > MAX_PLACES) throw new RangeError('it has too many parts');
    if (Array.isArray(value)) return value.map((each) => copy(each, around));
    // A bound or a literal of a type that no JSON value fits.
    if (typeof value === 'bigint') return Number(value);
    if (!isJsonObject(value)) return value;
    const target = localTarget(value, root);
    // A type that contains itself ends where it begins again.
    if (target !== undefined) return around.includes(target) ? {} : copy(target, [...around, target]);
    // The conversion left the target out, because its type has no JSON Schema.
    if ('$ref' in value) return {};
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each, around)]));
  };
  return copy(root, [root]) as JsonObject;
}

/** Whether it replaces or converts values of other types, and missing ones. */
function replaces({ typeName, effect, coerce }: Zod3Schema['_def']): boolean {
  return typeName === 'ZodCatch' || effect?.type === 'preprocess' || coerce === true;
}

const CHANGES = new Set(['trim', 'toLowerCase', 'toUpperCase']);

/** Whether it, or a schema inside of it, accepts more than its JSON Schema. */
function isLenient(schema: Zod3Schema): boolean {
  return definitionsIn(schema).some((definition) => {
    const { checks = [], typeName } = definition;
    if (replaces(definition)) return true;
    if (checks.some(isLenientCheck)) return true;
    // Elements that have no JSON Schema are left out, and those behind them move up.
    if (typeName === 'ZodTuple' && definitionsIn(definition).some(isNotInJson)) return true;
    // The conversion leaves what can be anything out of a union.
    return typeName.endsWith('Union') && definitionsIn(definition).some((inner) => ANY.has(inner.typeName));
  });
}

/** The conversion writes `ulid` without its flag `i`, and both patterns of `cidr` at once. */
function isLenientCheck({ kind, regex, version }: Zod3Check): boolean {
  if (kind === 'ulid' || (kind === 'cidr' && version === undefined)) return true;
  return CHANGES.has(kind) || (regex !== undefined && !isSafe(regex));
}

const ANY = new Set(['ZodAny', 'ZodUnknown']);

/** Its definition, and those inside of it. */
function definitionsIn(root: object): Zod3Schema['_def'][] {
  const found: Zod3Schema['_def'][] = [];
  const seen = new Set<unknown>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if ('typeName' in value) found.push(value as Zod3Schema['_def']);
    const { shape, getter } = value as Readonly<Record<string, unknown>>;
    for (const each of [shape, getter]) if (typeof each === 'function') look(each());
    for (const each of Object.values(value)) look(each);
  };
  look(root);
  return found;
}

const MAX_PLACES = 100_000;
