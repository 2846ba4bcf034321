import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { JsonSchema } from '../schema/index.js';
import { mapSchema } from '../schema/index.js';

/** Keywords that say something of every type: null would have to pass them as well. */
const OF_ALL_TYPES = ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref', '$dynamicRef'];
/** Keywords that only describe: the outer ones win. */
const DESCRIBES = new Set(['title', 'description', 'default', 'examples', 'deprecated']);

/**
 * A copy in which each `anyOf` of one type and null is `type: [t, 'null']`. What would mean something else that way is
 * left as it is.
 */
export function mergeNull(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, nullable);
}

function nullable(schema: JsonSchema): JsonSchema {
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
