import { isJsonObject, type JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { ValueIssue } from '../errors/prompt-errors.js';
import { couldFit } from './could-fit.js';
import { type JsonSchema, localTarget, schemasIn } from './json-schema.js';

/**
 * Separates a value from the keys that its schema does not list, at every object level. The value is not changed, and
 * parts without extra keys are not copied.
 *
 * ajv does not do this: `unevaluatedProperties` needs all errors of a value, and with all errors a union of unions
 * takes exponential time. It also counts the keys of a branch as unknown when the branch has any other fault.
 */
export function splitExtraKeys(
  schema: JsonSchema,
  value: unknown,
): { readonly kept: unknown; readonly extraKeys: readonly ValueIssue[] } {
  const extraKeys: ValueIssue[] = [];
  const kept = prune([schema], value, '', schema, extraKeys);
  return { kept, extraKeys };
}

function prune(
  schemas: readonly JsonSchema[],
  value: unknown,
  path: string,
  root: JsonSchema,
  found: ValueIssue[],
): unknown {
  if (schemas.length === 0) return value;
  if (Array.isArray(value)) {
    const elements = elementSchemas(schemas, value, root);
    const items = value.map((item: unknown, index) =>
      prune(elements(index), item, memberPath(path, index), root, found),
    );
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isJsonObject(value) ? pruneObject(schemas, value, path, root, found) : value;
}

function pruneObject(
  schemas: readonly JsonSchema[],
  value: JsonObject,
  path: string,
  root: JsonSchema,
  found: ValueIssue[],
): JsonObject {
  const level = levelOf(schemas, value, root);
  const kept: [string, unknown][] = [];
  let isChanged = false;
  for (const key of Object.keys(value)) {
    const member = memberPath(path, key);
    const inner = level.schemasOf(key);
    if (inner === undefined) {
      found.push({ path: member, message: 'is not a known key' });
      isChanged = true;
      continue;
    }
    const before = value[key];
    const after = prune(inner, before, member, root, found);
    isChanged ||= after !== before;
    kept.push([key, after]);
  }
  // `fromEntries` makes an own key of `__proto__` too.
  return isChanged ? Object.fromEntries(kept) : value;
}

/** What the schemas that apply to one object say about its keys. */
interface ObjectLevel {
  /** The schemas of a key's value; `undefined`: nobody lists the key, and the level is closed. */
  schemasOf(key: string): readonly JsonSchema[] | undefined;
}

interface Openness {
  /** It lists keys: without more, others are extra. */
  readonly lists: boolean;
  /** It says that others are allowed. */
  readonly allowsOthers: boolean;
}

const NOTHING: Openness = { lists: false, allowsOthers: false };

class Collector {
  readonly listed = new Map<string, Set<JsonSchema>>();
  readonly patterns: { readonly pattern: RegExp; readonly schema: unknown }[] = [];
  readonly others = new Set<JsonSchema>();
  readonly #known = new Map<JsonSchema, Openness>();
  readonly #fits = new Map<JsonSchema, boolean>();
  readonly #value: JsonObject;
  readonly #root: JsonSchema;

  constructor(value: JsonObject, root: JsonSchema) {
    this.#value = value;
    this.#root = root;
  }

  /** One of these applies: a level is open as soon as one of those that could apply is. */
  anyOf(schemas: readonly JsonSchema[]): Openness {
    const fitting = schemas.filter((schema) =>
      couldFit(schema, this.#value, this.#root, this.#fits),
    );
    // None fits: the value is wrong anyway, and the check that follows says how.
    const found = (fitting.length > 0 ? fitting : schemas).map((each) => this.#schema(each));
    return {
      lists: found.length > 0 && found.every(({ lists }) => lists),
      allowsOthers: found.some(({ allowsOthers }) => allowsOthers),
    };
  }

  #schema(schema: JsonSchema): Openness {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    // A `$ref` that leads back here has nothing to add.
    this.#known.set(schema, NOTHING);
    const target = localTarget(schema, this.#root);
    const parts = [
      this.#own(schema),
      ...(target === undefined ? [] : [this.#schema(target)]),
      ...schemasIn(schema.allOf).map((each) => this.#schema(each)),
      this.anyOf(schemasIn(schema.anyOf)),
      this.anyOf(schemasIn(schema.oneOf)),
      ...(schema.if === undefined
        ? []
        : [this.anyOf([inner(schema, 'then'), inner(schema, 'else')])]),
      ...this.#dependent(schema),
    ];
    const openness = {
      lists: parts.some(({ lists }) => lists),
      allowsOthers: parts.some(({ allowsOthers }) => allowsOthers),
    };
    this.#known.set(schema, openness);
    return openness;
  }

  #own(schema: JsonSchema): Openness {
    const { properties, patternProperties } = schema;
    if (isJsonObject(properties)) {
      for (const [key, each] of Object.entries(properties)) this.#list(key, each);
    }
    if (isJsonObject(patternProperties)) {
      for (const [source, each] of Object.entries(patternProperties)) {
        this.patterns.push({ pattern: new RegExp(source, 'u'), schema: each });
      }
    }
    const rest = [schema.additionalProperties, schema.unevaluatedProperties];
    for (const each of rest) if (isJsonObject(each)) this.others.add(each);
    return {
      lists: isJsonObject(properties) || rest.includes(false),
      allowsOthers: rest.some((each) => each === true || isJsonObject(each)),
    };
  }

  #list(key: string, schema: unknown): void {
    const known = this.listed.get(key) ?? new Set();
    if (isJsonObject(schema)) known.add(schema);
    this.listed.set(key, known);
  }

  #dependent({ dependentSchemas }: JsonSchema): Openness[] {
    if (!isJsonObject(dependentSchemas)) return [];
    return Object.entries(dependentSchemas)
      .filter(([key]) => Object.hasOwn(this.#value, key))
      .map(([, each]) => (isJsonObject(each) ? this.#schema(each) : NOTHING));
  }
}

/** Of schemas that say the same of every value. */
const fixedLevels = new WeakMap<JsonSchema, ObjectLevel>();
const DEPENDS_ON_VALUE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/** Reads what any of `schemas` says about the keys of `value`. Looks one level deep. */
function levelOf(schemas: readonly JsonSchema[], value: JsonObject, root: JsonSchema): ObjectLevel {
  const [only, ...more] = schemas;
  const isFixed =
    only !== undefined && more.length === 0 && !DEPENDS_ON_VALUE.some((keyword) => keyword in only);
  if (!isFixed) return collectLevel(schemas, value, root);
  const level = fixedLevels.get(only) ?? collectLevel(schemas, {}, root);
  fixedLevels.set(only, level);
  return level;
}

function collectLevel(
  schemas: readonly JsonSchema[],
  value: JsonObject,
  root: JsonSchema,
): ObjectLevel {
  const collector = new Collector(value, root);
  const openness = collector.anyOf(schemas);
  const { listed, patterns, others } = collector;
  const isClosed = openness.lists && !openness.allowsOthers;
  return {
    schemasOf: (key) => {
      const own = listed.get(key);
      const matching = patterns.filter(({ pattern }) => pattern.test(key));
      if (own !== undefined || matching.length > 0) {
        return [...(own ?? []), ...matching.map(({ schema }) => schema).filter(isJsonObject)];
      }
      return isClosed ? undefined : [...others];
    },
  };
}

/** The schemas of an array's elements, by index. */
function elementSchemas(
  schemas: readonly JsonSchema[],
  value: readonly unknown[],
  root: JsonSchema,
): (index: number) => readonly JsonSchema[] {
  const applying = new Set<JsonSchema>();
  const fits = new Map<JsonSchema, boolean>();
  const visit = (schema: JsonSchema): void => {
    if (applying.has(schema) || !couldFit(schema, value, root, fits)) return;
    applying.add(schema);
    const target = localTarget(schema, root);
    if (target !== undefined) visit(target);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) schemasIn(schema[keyword]).forEach(visit);
    schemasIn([schema.then, schema.else]).forEach(visit);
  };
  schemas.forEach(visit);
  const lists = [...applying];
  return (index) => lists.map((schema) => elementSchema(schema, index)).filter(isJsonObject);
}

function elementSchema(schema: JsonSchema, index: number): unknown {
  const { items, prefixItems, additionalItems } = schema;
  const first = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
  if (index < first.length) return first[index];
  return Array.isArray(items) ? additionalItems : (items ?? schema.unevaluatedItems);
}

function inner(schema: JsonSchema, keyword: string): JsonSchema {
  const value = schema[keyword];
  return isJsonObject(value) ? value : {};
}
