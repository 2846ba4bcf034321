import { isJsonObject, type JsonObject, omitUndefined } from '../../util/json.js';
import type { RenderedPrompt } from '../prompt/index.js';
import type { JsonSchema } from '../schema/index.js';
import { mapSchema, withObjectRoot, withoutExclusions } from '../schema/internal.js';

/** Key of the array in the wrapper of an array output: the CLI's outputs are objects. */
export const ITEMS = 'items';

export interface OutputFormat {
  readonly type: 'json_schema';
  readonly schema: JsonObject;
}

/** The output schema for the CLI; `undefined` when the prompt declares none. The declared schema is not changed. */
export function buildOutputFormat({
  output,
  outputContainer,
}: Pick<RenderedPrompt<unknown>, 'output' | 'outputContainer'>): OutputFormat | undefined {
  if (output === undefined) return undefined;
  const schema = mapSchema(cliSchema(output.jsonSchema), mergeNull);
  return {
    type: 'json_schema',
    schema: outputContainer === 'array' ? wrapped(schema) : withObjectRoot(schema, 'Output of the prompt'),
  };
}

/** Definitions move to the new root, where `#/$defs/...` looks for them; other references are moved along. */
function wrapped(element: JsonSchema): JsonObject {
  // With an `$id` inside, `#` would mean the element again.
  const { $id: _, ...moved } = mapSchema(element, moveReference);
  const { $schema, $defs, definitions, ...items } = moved;
  const properties = { [ITEMS]: { type: 'array', items } };
  return omitUndefined({ $schema, type: 'object', properties, required: [ITEMS], $defs, definitions });
}

function moveReference(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !/^#(?!\/(?:\$defs|definitions)\/)(?:\/|$)/.test($ref)) return schema;
  return { ...schema, $ref: `#/properties/${ITEMS}/items${$ref.slice(1)}` };
}

/**
 * The CLI reads an output's schema as strict draft-07 and ends at once over a keyword it does not know, or a `$schema`
 * of another draft (anthropics/claude-code#80402). What is left out here is still checked when the output is parsed.
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

/** The schema in keywords that the CLI knows. It accepts at least what the given one accepts. */
function cliSchema({ $schema, ...schema }: JsonSchema): JsonSchema {
  const known = mapSchema(schema, (each) => onlyKnown(withoutTuple(each)));
  const isSame = JSON.stringify(known) === JSON.stringify(schema);
  const sent = isSame ? known : mapSchema(known, withoutExclusions);
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  return isDraft07 ? { $schema, ...sent } : sent;
}

function onlyKnown(schema: JsonSchema): JsonSchema {
  const isConditional = 'if' in schema && ('then' in schema || 'else' in schema);
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) => KNOWN.has(keyword) && (isConditional || !['if', 'then', 'else'].includes(keyword)),
    ),
  );
}

/**
 * Drafts write tuples in ways that exclude each other, and the API wants another one than the CLI. Each element as one
 * of the tuple's types is understood by both.
 */
function withoutTuple(schema: JsonSchema): JsonSchema {
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
    items: { anyOf },
    ...(rest === false && !('maxItems' in schema) ? { maxItems: tuple.length } : {}),
  };
}

/** Keywords that say something of every type: null would have to pass them as well. */
const OF_ALL_TYPES = ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', '$dynamicRef'];
/** Keywords that only describe: the outer ones win. */
const DESCRIBES = new Set(['title', 'description', 'default', 'examples', 'deprecated']);

/** An `anyOf` of one type and null becomes `type: [t, 'null']`, unless that would mean something else. */
function mergeNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...outer } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !anyOf.every(isJsonObject)) return schema;
  const [first, second] = anyOf as [JsonObject, JsonObject];
  const typed = isNull(first) ? second : isNull(second) ? first : undefined;
  if (typed === undefined) return schema;
  const { type, ...inner } = typed;
  const canMerge =
    typeof type === 'string' &&
    type !== 'null' &&
    !OF_ALL_TYPES.some((keyword) => keyword in inner) &&
    Object.keys(inner).every((keyword) => DESCRIBES.has(keyword) || !(keyword in outer)) &&
    !('type' in outer);
  return canMerge ? { ...withNull(inner), ...outer, type: [type, 'null'] } : schema;
}

function isNull({ type, ...rest }: JsonObject): boolean {
  return type === 'null' && Object.keys(rest).every((keyword) => DESCRIBES.has(keyword));
}

/** A list of values has to name null too. */
function withNull({ const: constant, ...inner }: JsonObject): JsonObject {
  if (constant !== undefined) return { ...inner, enum: [constant, null] };
  return Array.isArray(inner.enum) ? { ...inner, enum: [...inner.enum, null] } : inner;
}
