import { isJsonObject } from '../../util/json.js';
import { mapSchema } from '../../util/map-schema.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { couldBeObject, type JsonSchema, localTarget, schemasIn } from './json-schema.js';

/**
 * The schema of a tool in draft 2020-12, which the API reads: tuples are `prefixItems` there. Drops a `$schema` that
 * names another draft.
 */
export function apiSchema(schema: JsonSchema): JsonSchema {
  let isChanged = false;
  const modern = mapSchema(schema, (each) => {
    const { items, additionalItems, ...rest } = each;
    if (!Array.isArray(items)) return each;
    isChanged = true;
    return { ...rest, prefixItems: items, ...(additionalItems === undefined ? {} : { items: additionalItems }) };
  });
  if (!isChanged) return schema;
  const { $schema: _, ...rest } = modern;
  return rest;
}

/**
 * The schema in the form that the API accepts: `type: 'object'` and no union at its root.
 * @param unlisted - What happens to keys that a branch of a union does not list, unless the branch says it itself.
 * @throws {@link PromptValidationError} no object fits the schema.
 */
export function withObjectRoot(schema: JsonSchema, where: string, unlisted: 'allow' | 'forbid' = 'allow'): JsonSchema {
  requireObjectRoot(schema, where);
  const flat = flatRoot(schema, unlisted);
  return flat.type === 'object' ? flat : { ...flat, type: 'object' };
}

/** @throws {@link PromptValidationError} no object fits the schema. */
export function requireObjectRoot(
  schema: JsonSchema,
  where: string,
  hint = 'Wrap it: `{ type: "object", properties: { value: ... }, required: ["value"] }`.',
): void {
  if (couldBeObject(schema)) return;
  const { type } = schema;
  const found = type === undefined ? 'takes no object' : `is for ${JSON.stringify(type)}`;
  throw new PromptValidationError(`${where}: the root must be an object, but the schema ${found}. ${hint}`, { hint });
}

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'] as const;

/** What a schema says about the keys of an object. */
interface Listing {
  /** The schemas of each key, as JSON, so that equal ones count once. */
  readonly properties: Map<string, Set<string>>;
  readonly required: ReadonlySet<string>;
  /** It takes no other keys. */
  readonly isClosed: boolean;
}

/**
 * The schema without `anyOf`, `oneOf` and `allOf` at its root, where the API refuses them: one object that lists the
 * keys of all branches. It accepts more than the schema does. Parsing finds the values that do not fit.
 */
function flatRoot(schema: JsonSchema, unlisted: 'allow' | 'forbid'): JsonSchema {
  if (!COMBINATORS.some((keyword) => keyword in schema)) return schema;
  const { properties, required } = listingOf(schema, { schema, unlisted }, new Set());
  const { anyOf: _, oneOf: __, allOf: ___, ...rest } = schema;
  return {
    ...rest,
    properties: Object.fromEntries([...properties].map(([key, said]) => [key, oneOf(said)])),
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}

function oneOf(said: ReadonlySet<string>): unknown {
  const schemas = [...said].map((text): unknown => JSON.parse(text));
  return schemas.length === 1 ? schemas[0] : { anyOf: schemas };
}

/** The whole schema, and what happens to keys that it does not list. */
interface Root {
  readonly schema: JsonSchema;
  readonly unlisted: 'allow' | 'forbid';
}

function listingOf(schema: JsonSchema, root: Root, around: ReadonlySet<JsonSchema>): Listing {
  if (around.has(schema)) return { properties: new Map(), required: new Set(), isClosed: false };
  const inside = new Set([...around, schema]);
  const listed = (each: JsonSchema): Listing => listingOf(each, root, inside);
  const { properties } = schema;
  const own = isJsonObject(properties) ? Object.entries(properties) : [];
  const target = localTarget(schema, root.schema);
  return joined([
    {
      properties: new Map(own.map(([key, each]) => [key, new Set([JSON.stringify(each)])])),
      required: new Set(texts(schema.required)),
      isClosed: takesNoOthers(schema, root),
    },
    ...(target === undefined ? [] : [listed(target)]),
    ...schemasIn(schema.allOf).map(listed),
    ...['anyOf', 'oneOf'].map((keyword) => either(schemasIn(schema[keyword]).filter(couldBeObject).map(listed))),
  ]);
}

function takesNoOthers({ properties, additionalProperties, ...rest }: JsonSchema, { unlisted }: Root): boolean {
  if (additionalProperties !== undefined) return additionalProperties === false;
  const isSilent = rest.unevaluatedProperties === undefined && rest.patternProperties === undefined;
  return unlisted === 'forbid' && properties !== undefined && isSilent;
}

/** All of them apply. */
function joined(parts: readonly Listing[]): Listing {
  return {
    properties: merged(parts),
    required: new Set(parts.flatMap(({ required }) => [...required])),
    isClosed: parts.some(({ isClosed }) => isClosed),
  };
}

/** One of them applies. A branch that does not list a key accepts anything there, also one that a tag selects. */
function either(branches: readonly Listing[]): Listing {
  const [first, ...others] = branches;
  const properties = merged(branches);
  for (const [key, said] of properties) {
    if (branches.some((branch) => !branch.isClosed && !branch.properties.has(key))) said.add('{}');
  }
  return {
    properties,
    required: new Set([...(first?.required ?? [])].filter((key) => others.every((each) => each.required.has(key)))),
    isClosed: false,
  };
}

function merged(parts: readonly Listing[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { properties } of parts) {
    for (const [key, said] of properties) all.set(key, new Set([...(all.get(key) ?? []), ...said]));
  }
  return all;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
