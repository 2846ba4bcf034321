import type { JsonSchema } from '../schema/index.js';
import { mapSchema } from '../schema/index.js';

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

/** The schema in words that the CLI knows. It takes what the given one takes, and may take more. */
export function cliSchema({ $schema, ...schema }: JsonSchema): JsonSchema {
  const known = mapSchema(schema, (each) => onlyKnown(withoutTuple(each)));
  const isSame = JSON.stringify(known) === JSON.stringify(schema);
  const sent = isSame ? known : mapSchema(known, withoutExclusions);
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  return isDraft07 ? { $schema, ...sent } : sent;
}

/** What takes less when the schemas inside of it take more: that one thing fits, or does not. */
function withoutExclusions(schema: JsonSchema): JsonSchema {
  const { oneOf, not: _, if: __, then: ___, else: ____, ...rest } = schema;
  if (oneOf === undefined) return rest;
  if (!('anyOf' in rest)) return { ...rest, anyOf: oneOf };
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}

function onlyKnown(schema: JsonSchema): JsonSchema {
  const isConditional = 'if' in schema && ('then' in schema || 'else' in schema);
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) =>
        KNOWN.has(keyword) && (isConditional || !['if', 'then', 'else'].includes(keyword)),
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
  // Without a word on the rest, it may be anything.
  if (rest === undefined || rest === true) return others;
  const anyOf = rest === false ? tuple : [...tuple, rest];
  return {
    ...others,
    items: { anyOf },
    ...(rest === false && !('maxItems' in schema) ? { maxItems: tuple.length } : {}),
  };
}
