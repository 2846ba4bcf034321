import { cliSchema } from '../../util/cli-schema.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../../util/json.js';
import { mapSchema } from '../../util/map-schema.js';
import { withoutRepeats } from '../../util/strict-draft-07.js';
import type { RenderedPrompt } from '../prompt/index.js';
import type { JsonSchema } from '../schema/index.js';
import { withObjectRoot } from '../schema/internal.js';

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
  const { $id: _, ...moved } = mapSchema(element, moveReference(element.$id));
  const { $schema, $defs, definitions, ...items } = moved;
  const properties = { [ITEMS]: { type: 'array', items } };
  return omitUndefined({ $schema, type: 'object', properties, required: [ITEMS], $defs, definitions });
}

/** @param id - Of the element, by which it may call itself. */
function moveReference(id: unknown): (schema: JsonSchema) => JsonSchema {
  return (schema) => {
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    const local = $ref === id ? '#' : $ref;
    if (!/^#(?!\/(?:\$defs|definitions)\/)(?:\/|$)/.test(local)) return schema;
    return { ...schema, $ref: `#/properties/${ITEMS}/items${local.slice(1)}` };
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
  const values = constant === undefined ? inner.enum : [constant];
  // A literal that is not finite is null in JSON, and the CLI refuses a value that is listed twice.
  return Array.isArray(values) ? withoutRepeats({ ...inner, enum: [...values, null] }) : inner;
}
