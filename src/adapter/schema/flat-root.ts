import { isJsonObject } from '../../util/json.js';
import { couldBeObject } from './could-fit.js';
import type { JsonSchema } from './json-schema.js';
import { localTarget } from './local-ref.js';

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'] as const;

/** What a schema says of the keys of an object. */
interface Listing {
  /** What each part says of a key, as JSON, so that equal ones count once. */
  readonly properties: Map<string, Set<string>>;
  readonly required: ReadonlySet<string>;
  /** It takes no other keys. */
  readonly isClosed: boolean;
}

/**
 * The schema without `anyOf`, `oneOf` and `allOf` at its root, where the API refuses them: one object that lists the
 * keys of all branches. It takes more than the schema does; what does not fit is found when the value is parsed.
 */
export function flatRoot(schema: JsonSchema): JsonSchema {
  if (!COMBINATORS.some((keyword) => keyword in schema)) return schema;
  const { properties, required } = listingOf(schema, schema, new Set());
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

function listingOf(schema: JsonSchema, root: JsonSchema, around: ReadonlySet<JsonSchema>): Listing {
  if (around.has(schema)) return { properties: new Map(), required: new Set(), isClosed: false };
  const inside = new Set([...around, schema]);
  const listed = (each: JsonSchema): Listing => listingOf(each, root, inside);
  const { properties } = schema;
  const own = isJsonObject(properties) ? Object.entries(properties) : [];
  const target = localTarget(schema, root);
  return joined([
    {
      properties: new Map(own.map(([key, each]) => [key, new Set([JSON.stringify(each)])])),
      required: new Set(texts(schema.required)),
      isClosed: schema.additionalProperties === false,
    },
    ...(target === undefined ? [] : [listed(target)]),
    ...schemasIn(schema.allOf).map(listed),
    ...['anyOf', 'oneOf'].map((keyword) =>
      either(schemasIn(schema[keyword]).filter(couldBeObject).map(listed)),
    ),
  ]);
}

/** All of them hold. */
function joined(parts: readonly Listing[]): Listing {
  return {
    properties: merged(parts),
    required: new Set(parts.flatMap(({ required }) => [...required])),
    isClosed: parts.some(({ isClosed }) => isClosed),
  };
}

/** One of them holds. A branch that does not list a key takes anything there, unless a tag names the branch. */
function either(branches: readonly Listing[]): Listing {
  const [first, ...others] = branches;
  const properties = merged(branches);
  const keys = [...properties.keys()];
  const isTagged = keys.some((key) => branches.every((branch) => isTag(branch, key)));
  for (const [key, said] of isTagged ? [] : properties) {
    if (branches.some((branch) => !branch.isClosed && !branch.properties.has(key))) said.add('{}');
  }
  return {
    properties,
    required: new Set(
      [...(first?.required ?? [])].filter((key) => others.every((each) => each.required.has(key))),
    ),
    isClosed: false,
  };
}

function isTag({ properties, required }: Listing, key: string): boolean {
  const said = [...(properties.get(key) ?? [])];
  return (
    required.has(key) && said.length > 0 && said.every((text) => /^\{.*"(const|enum)":/.test(text))
  );
}

function merged(parts: readonly Listing[]): Map<string, Set<string>> {
  const all = new Map<string, Set<string>>();
  for (const { properties } of parts) {
    for (const [key, said] of properties) all.set(key, new Set([...(all.get(key) ?? []), ...said]));
  }
  return all;
}

function schemasIn(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
