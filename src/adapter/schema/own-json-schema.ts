import { requireZodBridge } from '../../mcp/input-schema.js';
import { describesItself, type StandardSchemaLike } from '../../mcp/standard-schema.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { loadNow } from '../../util/load-now.js';
import { mapSchema, withoutExclusions } from '../../util/map-schema.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import type { JsonSchema } from './json-schema.js';
import { isTold, tell, withoutDifferences } from './lenient/loosen.js';
import { VALIBOT_OPTIONS, withoutMarks } from './lenient/valibot.js';
import { ZOD_OPTIONS } from './lenient/zod.js';
import { loosenZod3, withNullLiteral, withoutReferences } from './lenient/zod3.js';

const HINT =
  'Pass one as second argument: `defineType(schema, jsonSchema)`, or use a library that makes one: zod, arktype, ' +
  'valibot with `toStandardJsonSchema(schema)`.';

/**
 * The JSON Schema of a Standard Schema, of its input. It accepts every value that the schema accepts. What it cannot
 * express is in its descriptions.
 * @throws {@link PromptValidationError} there is none, or no JSON value fits.
 */
export function ownJsonSchema(standard: StandardSchemaLike, where: string): JsonSchema {
  const { vendor } = standard['~standard'];
  let schema: JsonSchema | undefined;
  try {
    schema = converted(standard);
  } catch (error) {
    throw new PromptValidationError(
      `${where}: the schema (${vendor}) cannot be written as JSON Schema: ${errorText(error)}`,
      { cause: error, hint: HINT },
    );
  }
  if (schema === undefined) {
    throw new PromptValidationError(
      `${where}: the schema (${vendor}) has no JSON Schema, which the model needs. Pass one: \`defineType(schema, jsonSchema)\``,
      { hint: HINT },
    );
  }
  const place = neverAt(schema, '');
  const lenient = mapSchema(schema, withoutDifferences);
  if (place === undefined) return isTold(lenient) ? mapSchema(lenient, withoutOthers) : lenient;
  throw new PromptValidationError(
    `${where}: no JSON value fits ${place}: it is for a value that JSON does not have, such as a Date`,
    { hint: 'Take what the model can write, and change it: `z.coerce.date()`, `z.string().transform(BigInt)`.' },
  );
}

function converted(standard: StandardSchemaLike): JsonSchema | undefined {
  const { vendor } = standard['~standard'];
  if (describesItself(standard)) {
    const libraryOptions = vendor === 'zod' ? ZOD_OPTIONS : vendor === 'valibot' ? VALIBOT_OPTIONS : undefined;
    const { input } = standard['~standard'].jsonSchema;
    const schema = input({ target: 'draft-07', ...(libraryOptions && { libraryOptions }) });
    if (vendor === 'valibot') return mapSchema(schema, withoutMarks);
    if (vendor !== 'arktype') return schema;
    const open = mapSchema(schema, withLists);
    return hasFlags(standard) ? mapSchema(open, withPatternTold) : open;
  }
  if ('_zod' in standard) {
    const { toJSONSchema } = loadNow('zod/v4/core');
    // `_zod` is the mark of zod 4.
    const schema = standard as unknown as Parameters<typeof toJSONSchema>[0];
    return toJSONSchema(schema, { ...ZOD_OPTIONS, target: 'draft-7' } as object) as JsonSchema;
  }
  if (!('_def' in standard)) return undefined;
  const schema: JsonObject = mapSchema(withoutReferences(requireZodBridge().toJsonSchema(standard)), withNullLiteral);
  loosenZod3(standard as unknown as Parameters<typeof loosenZod3>[0], schema);
  return mapSchema(schema, withoutClosing);
}

/** The type `object` of arktype also takes a list. Only one without keys is widened. */
function withLists(schema: JsonSchema): JsonSchema {
  const { type, description: _, $schema: __, ...rest } = schema;
  return type === 'object' && Object.keys(rest).length === 0 ? { ...schema, type: ['object', 'array'] } : schema;
}

/** arktype leaves the flags of expressions out, and does not say where. */
function hasFlags(standard: StandardSchemaLike): boolean {
  const { json } = standard as { json?: unknown };
  let isFlagged = false;
  JSON.stringify(json, (key, value: unknown) => {
    isFlagged ||= key === 'flags' && typeof value === 'string' && /[^dgu]/.test(value);
    return value;
  });
  return isFlagged;
}

function withPatternTold(schema: JsonSchema): JsonSchema {
  const changed = { ...schema };
  if ('pattern' in schema) tell(changed, { pattern: schema.pattern });
  return changed;
}

/** As {@link withoutExclusions}, but `not: {}` stays: it accepts nothing, whatever else was loosened. */
function withoutOthers(schema: JsonSchema): JsonSchema {
  const { not } = schema;
  const rest = withoutExclusions(schema);
  return isJsonObject(not) && Object.keys(not).length === 0 ? { ...rest, not } : rest;
}

/** zod 3 writes it also of objects whose other keys are dropped. */
function withoutClosing(schema: JsonSchema): JsonSchema {
  const { additionalProperties, ...open } = schema;
  return additionalProperties === false ? open : schema;
}

/** Where a value is needed that no JSON value is, on the way of required keys. */
function neverAt(schema: JsonSchema, path: string): string | undefined {
  if (isJsonObject(schema.not) && Object.keys(schema.not).length === 0) return path === '' ? 'its root' : `\`${path}\``;
  const { properties, required } = schema;
  if (!isJsonObject(properties) || !Array.isArray(required)) return undefined;
  for (const key of required) {
    const inner: unknown = typeof key === 'string' && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const place = isJsonObject(inner) ? neverAt(inner, path === '' ? String(key) : `${path}.${key}`) : undefined;
    if (place !== undefined) return place;
  }
  return undefined;
}
