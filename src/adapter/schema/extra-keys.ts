import { isJsonObject, type JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { ValueIssue } from '../errors/prompt-errors.js';
import { couldFit, type JsonSchema, localTarget, schemasIn } from './json-schema.js';

/** A key that a schema does not list, where it is in a value. */
export interface ExtraKey extends ValueIssue {
  readonly keys: readonly (string | number)[];
  /** The schema says that there are no others. Otherwise it says nothing about them. */
  readonly isClosed: boolean;
}

/**
 * Separates a value from the keys that its schema does not list, at every object level. The value is not changed, and
 * parts without extra keys are not copied.
 *
 * ajv does not do this: `unevaluatedProperties` needs all errors of a value, and with all errors a union of unions
 * takes exponential time. It also counts the keys of a branch as unknown when the branch has any other fault.
 * @param mayStay - Asked about each key that the schema does not list. @defaultValue none stays
 */
export function splitExtraKeys(
  schema: JsonSchema,
  value: unknown,
  mayStay: (key: ExtraKey) => boolean = () => false,
): { readonly kept: unknown; readonly extraKeys: readonly ExtraKey[] } {
  const pruner = new Pruner(schema, mayStay);
  return { kept: pruner.prune([schema], value, undefined), extraKeys: pruner.found };
}

/** The way to a member, from its end. */
interface Place {
  readonly key: string | number;
  readonly parent: Place | undefined;
}

function keysTo(place: Place | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let at = place; at !== undefined; at = at.parent) keys.push(at.key);
  return keys.reverse();
}

class Pruner {
  readonly found: ExtraKey[] = [];
  readonly #root: JsonSchema;
  readonly #mayStay: (key: ExtraKey) => boolean;

  constructor(root: JsonSchema, mayStay: (key: ExtraKey) => boolean) {
    this.#root = root;
    this.#mayStay = mayStay;
  }

  prune(schemas: readonly JsonSchema[], value: unknown, place: Place | undefined): unknown {
    if (schemas.length === 0) return value;
    if (isJsonObject(value)) return this.#pruneObject(levelOf(schemas, value, this.#root), value, place);
    if (!Array.isArray(value)) return value;
    const level = levelOf(schemas, value, this.#root);
    const items = value.map((item: unknown, index) =>
      this.prune(elementSchemas(level, index), item, { key: index, parent: place }),
    );
    return items.some((item, index) => item !== value[index]) ? items : value;
  }

  #pruneObject(level: Level, value: JsonObject, parent: Place | undefined): JsonObject {
    const kept: [string, unknown][] = [];
    let isChanged = false;
    for (const key of Object.keys(value)) {
      const place = { key, parent };
      const inner = memberSchemas(level, key);
      const before = value[key];
      if (inner === undefined && this.#isExtra(place, level)) {
        isChanged = true;
        continue;
      }
      const after = inner === undefined ? before : this.prune(inner, before, place);
      isChanged ||= after !== before;
      kept.push([key, after]);
    }
    // `fromEntries` makes an own key of `__proto__` too.
    return isChanged ? Object.fromEntries(kept) : value;
  }

  #isExtra(place: Place, { isClosed }: Level): boolean {
    const keys = keysTo(place);
    const key = { keys, path: keys.reduce<string>(memberPath, ''), message: 'is not a known key', isClosed };
    if (this.#mayStay(key)) return false;
    this.found.push(key);
    return true;
  }
}

/** What schemas say about the keys of one object. */
interface Openness {
  /** They list keys: without more, others are extra. */
  readonly lists: boolean;
  /** They say that others are allowed. */
  readonly allowsOthers: boolean;
  /** They say that there are no others. */
  readonly isClosed: boolean;
}

/** One object or array, and the schemas that may apply to it. */
interface Level extends Openness {
  readonly applying: readonly JsonSchema[];
}

/** Keywords with schemas for the same value. */
const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];

/** @param schemas - One of them applies. */
function levelOf(schemas: readonly JsonSchema[], value: object, root: JsonSchema): Level {
  const [only, ...more] = schemas;
  const isPlain = only !== undefined && more.length === 0 && !IN_PLACE.some((keyword) => keyword in only);
  if (isPlain) return { applying: schemas, ...opennessOf(only) };
  const collector = new Collector(value, root);
  const openness = collector.anyOf(schemas);
  return { applying: [...collector.applying.keys()], ...openness };
}

const NOTHING: Openness = { lists: false, allowsOthers: false, isClosed: false };

/** Collects the schemas that may apply to a value, by way of the keywords with schemas for the same value. */
class Collector {
  readonly applying = new Map<JsonSchema, Openness>();
  readonly #fits = new Map<JsonSchema, boolean>();
  readonly #value: object;
  readonly #root: JsonSchema;

  constructor(value: object, root: JsonSchema) {
    this.#value = value;
    this.#root = root;
  }

  /** One of these applies: a level is open as soon as one of those that could apply is. */
  anyOf(schemas: readonly JsonSchema[]): Openness {
    const fitting = schemas.filter((schema) => couldFit(schema, this.#value, this.#root, this.#fits));
    // If none fits, the value is wrong, and the validation that follows says how.
    const found = (fitting.length > 0 ? fitting : schemas).map((each) => this.#add(each));
    return {
      lists: found.length > 0 && found.every(({ lists }) => lists),
      isClosed: found.length > 0 && found.every(({ isClosed }) => isClosed),
      allowsOthers: found.some(({ allowsOthers }) => allowsOthers),
    };
  }

  #add(schema: JsonSchema): Openness {
    const known = this.applying.get(schema);
    if (known !== undefined) return known;
    // A `$ref` that leads back here has nothing to add.
    this.applying.set(schema, NOTHING);
    const target = localTarget(schema, this.#root);
    const conditional = [schema.then, schema.else].map((each) => (isJsonObject(each) ? each : {}));
    const parts = [
      opennessOf(schema),
      ...(target === undefined ? [] : [this.#add(target)]),
      ...schemasIn(schema.allOf).map((each) => this.#add(each)),
      this.anyOf(schemasIn(schema.anyOf)),
      this.anyOf(schemasIn(schema.oneOf)),
      ...(schema.if === undefined ? [] : [this.anyOf(conditional)]),
      ...this.#dependent(schema),
    ];
    const openness = {
      lists: parts.some(({ lists }) => lists),
      isClosed: parts.some(({ isClosed }) => isClosed),
      allowsOthers: parts.some(({ allowsOthers }) => allowsOthers),
    };
    this.applying.set(schema, openness);
    return openness;
  }

  #dependent({ dependentSchemas }: JsonSchema): Openness[] {
    if (!isJsonObject(dependentSchemas)) return [];
    return Object.entries(dependentSchemas)
      .filter(([key]) => Object.hasOwn(this.#value, key))
      .map(([, each]) => (isJsonObject(each) ? this.#add(each) : NOTHING));
  }
}

function opennessOf({ properties, additionalProperties, unevaluatedProperties }: JsonSchema): Openness {
  const rest = [additionalProperties, unevaluatedProperties];
  return {
    lists: isJsonObject(properties) || rest.includes(false),
    allowsOthers: rest.some((each) => each === true || isJsonObject(each)),
    isClosed: rest.includes(false),
  };
}

/** The schemas of a key's value. `undefined` when no schema lists the key and the level is closed. */
function memberSchemas(level: Level, key: string): readonly JsonSchema[] | undefined {
  const listed = level.applying.flatMap(({ properties, patternProperties }) => [
    ...(isJsonObject(properties) && Object.hasOwn(properties, key) ? [properties[key]] : []),
    ...Object.entries(isJsonObject(patternProperties) ? patternProperties : {})
      .filter(([source]) => new RegExp(source, 'u').test(key))
      .map(([, each]) => each),
  ]);
  if (listed.length > 0) return distinct(listed);
  if (level.lists && !level.allowsOthers) return undefined;
  return distinct(level.applying.flatMap((each) => [each.additionalProperties, each.unevaluatedProperties]));
}

/** The schemas of an array's element. */
function elementSchemas({ applying }: Level, index: number): readonly JsonSchema[] {
  return distinct(
    applying.map(({ items, prefixItems, additionalItems, unevaluatedItems }) => {
      const first = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : [];
      if (index < first.length) return first[index] as unknown;
      return Array.isArray(items) ? additionalItems : (items ?? unevaluatedItems);
    }),
  );
}

function distinct(schemas: readonly unknown[]): readonly JsonSchema[] {
  return [...new Set(schemas.filter(isJsonObject))];
}
