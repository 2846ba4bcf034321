import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { localTarget } from '../json-schema.js';
import { acceptAnything, isSafe } from './loosen.js';

/** What is read of a schema of zod 3. */
interface Zod3Schema {
  readonly _def: {
    readonly typeName: string;
    readonly coerce?: boolean;
    readonly checks?: readonly { readonly kind: string; readonly regex?: RegExp }[];
    readonly effect?: { readonly type: string };
    readonly shape?: () => Readonly<Record<string, Zod3Schema>>;
    readonly type?: Zod3Schema;
    readonly [field: string]: unknown;
  };
}

/**
 * Makes a JSON Schema of zod 3 as lenient as the schema. Members of objects and elements of arrays are handled one by
 * one. Anything else that accepts more than its JSON Schema becomes a description.
 */
export function loosenZod3(schema: Zod3Schema, json: JsonObject): void {
  const { typeName, shape, type } = schema._def;
  if (typeName === 'ZodObject' && shape !== undefined && isJsonObject(json.properties)) {
    const members = shape();
    for (const [key, inner] of Object.entries(json.properties)) {
      const member = Object.hasOwn(members, key) ? members[key] : undefined;
      if (member !== undefined && isJsonObject(inner)) loosenZod3(member, inner);
    }
    if (!Array.isArray(json.required)) return;
    json.required = json.required.filter((key: string) => !standsIn(members[key]));
    if ((json.required as unknown[]).length === 0) delete json.required;
  } else if (typeName === 'ZodArray' && type !== undefined && isJsonObject(json.items)) loosenZod3(type, json.items);
  else if (isLenient(schema, new Set())) acceptAnything(json);
}

/** A copy without references: the places that they point to are about to change. */
export function withoutReferences(root: JsonObject): JsonObject {
  let count = 0;
  const copy = (value: unknown, around: readonly unknown[]): unknown => {
    count += 1;
    if (count > MAX_PLACES) throw new RangeError('it has too many parts');
    if (Array.isArray(value)) return value.map((each) => copy(each, around));
    if (!isJsonObject(value)) return value;
    const target = localTarget(value, root);
    // A type that contains itself ends where it begins again.
    if (target !== undefined) return around.includes(target) ? {} : copy(target, [...around, target]);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each, around)]));
  };
  return copy(root, [root]) as JsonObject;
}

/** Whether it supplies a value for a missing key. */
function standsIn(schema: Zod3Schema | undefined): boolean {
  if (schema === undefined) return false;
  const { typeName, effect, coerce } = schema._def;
  return typeName === 'ZodCatch' || effect?.type === 'preprocess' || coerce === true;
}

const CHANGES = new Set(['trim', 'toLowerCase', 'toUpperCase']);

/** Whether it, or a schema inside of it, accepts more than its JSON Schema. */
function isLenient(value: unknown, seen: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  if (Array.isArray(value)) return value.some((each) => isLenient(each, seen));
  const inner = '_def' in value ? (value as Zod3Schema)._def : undefined;
  if (inner === undefined) return Object.values(value).some((each) => isLenient(each, seen));
  const { checks = [], effect, coerce, typeName, shape, getter } = inner;
  if (typeName === 'ZodCatch' || coerce === true || effect?.type === 'preprocess') return true;
  if (checks.some(({ kind, regex }) => CHANGES.has(kind) || (regex !== undefined && !isSafe(regex)))) return true;
  // The conversion leaves what can be anything out of a union.
  if (/Union$/.test(typeName) && /"Zod(?:Any|Unknown)"/.test(namesIn(inner))) return true;
  const lazy: unknown = typeof getter === 'function' ? getter() : undefined;
  return [shape?.(), lazy, ...Object.values(inner)].some((each) => isLenient(each, seen));
}

const MAX_DEPTH = 40;
const MAX_PLACES = 100_000;

/** The names of all types in a definition, as JSON. */
function namesIn(definition: object): string {
  const names: string[] = [];
  const seen = new Set<unknown>();
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || seen.has(value) || depth > MAX_DEPTH) return;
    seen.add(value);
    if ('typeName' in value) names.push(String(value.typeName));
    const { shape, getter } = value as Partial<Record<'shape' | 'getter', unknown>>;
    const hidden = [shape, getter].map((each): unknown => (typeof each === 'function' ? each() : undefined));
    for (const each of [...hidden, ...Object.values(value)]) look(each, depth + 1);
  };
  look(definition, 0);
  return JSON.stringify(names);
}
