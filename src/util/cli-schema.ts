import { withoutEndless } from './endless-bounds.js';
import { withHoistedReferences } from './hoisted-references.js';
import { isJsonObject, type JsonObject } from './json.js';
import { mapSchema, withoutExclusions } from './map-schema.js';
import {
  withGoodReference,
  withNumberBounds,
  withoutBadPatterns,
  withoutLoose,
  withoutMisshapen,
  withoutOptionalContains,
  withoutRepeats,
  withWholeCounts,
} from './strict-draft-07.js';

/*
 * The CLI reads an output's schema as strict draft-07. It ends at once over a keyword that it does not know, a `$schema`
 * of another draft, an expression that is not valid with the flag `u` (anthropics/claude-code#80402), a bound that is no
 * number, or a reference that leads nowhere.
 */

const KNOWN = new Set(
  [
    '$id $ref $defs $comment definitions title description default examples deprecated readOnly writeOnly',
    'type enum const nullable format pattern minLength maxLength contentEncoding contentMediaType',
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    'items contains minItems maxItems uniqueItems',
    'properties patternProperties additionalProperties propertyNames required minProperties maxProperties',
    'anyOf oneOf allOf not if then else',
  ]
    .join(' ')
    .split(' '),
);

/** Known to the CLI, and written otherwise for the API. */
const OLDER = new Set(['additionalItems', 'dependencies', 'contentSchema']);

/** The schema as it is where the CLI takes it, else as {@link cliSchema}. */
export function acceptableSchema(schema: object): object {
  if (!isJsonObject(schema)) return schema;
  const strict = asStrict(schema);
  let isRefused = '$schema' in schema && !isDraft07(schema);
  mapSchema(schema, (each) => {
    isRefused ||= Object.keys(each).some((name) => name !== '$schema' && !KNOWN.has(name) && !OLDER.has(name));
    isRefused ||= strict(each) !== each;
    return each;
  });
  return isRefused ? cliSchema(schema) : schema;
}

/**
 * The schema in keywords that the CLI knows. It accepts at least what the given one accepts; what is left out is for
 * the application to check.
 */
export function cliSchema({ $schema, ...schema }: JsonObject): JsonObject {
  const whole = withHoistedReferences(schema);
  const strict = asStrict(whole);
  const known = mapSchema(whole, (each) => onlyKnown(withoutTuple(strict(each))));
  const isSame = JSON.stringify(known) === JSON.stringify(whole);
  const sent = isSame ? known : mapSchema(known, withoutExclusions);
  return isDraft07({ $schema }) ? { $schema, ...sent } : sent;
}

/** Changes one schema of `root`. The very schema where there is nothing to change. */
function asStrict(root: JsonObject): (schema: JsonObject) => JsonObject {
  const changes = [
    ...[withoutEndless, withNumberBounds, withWholeCounts, withoutRepeats, withoutLoose, withoutMisshapen],
    ...[withoutBadPatterns, withoutOptionalContains],
    withGoodReference(root),
  ];
  return (schema) => changes.reduce((changed, change) => change(changed), schema);
}

function isDraft07({ $schema }: JsonObject): boolean {
  return typeof $schema === 'string' && /^http:\/\/json-schema\.org\/draft-07\/schema#?$/.test($schema);
}

function onlyKnown(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => KNOWN.has(keyword)));
}

/**
 * Drafts write tuples in ways that exclude each other, and the API wants another one than the CLI. Each element as one
 * of the tuple's types is understood by both.
 */
function withoutTuple(schema: JsonObject): JsonObject {
  const { prefixItems, items, additionalItems } = schema;
  const tuple = Array.isArray(items) ? items : prefixItems;
  if (!Array.isArray(tuple)) return schema;
  const rest = Array.isArray(items) ? additionalItems : items;
  const { items: _, ...others } = schema;
  // An unlisted rest may be anything.
  if (rest === undefined || rest === true) return others;
  const anyOf = rest === false ? tuple : [...tuple, rest];
  return {
    ...others,
    ...(anyOf.length === 0 ? {} : { items: { anyOf } }),
    ...(rest === false && !('maxItems' in schema) ? { maxItems: tuple.length } : {}),
  };
}
