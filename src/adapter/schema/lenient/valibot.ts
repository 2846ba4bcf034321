import { isJsonObject, type JsonObject } from '../../../util/json.js';
import { acceptAnything, acceptUnchecked, isSafe, NOT_IN_JSON, tell, tellPatterns } from './loosen.js';

/** What is read of a schema of valibot. */
interface ValibotSchema {
  readonly type: string;
  readonly entries?: Readonly<Record<string, ValibotSchema>>;
  readonly item?: ValibotSchema;
  readonly value?: ValibotSchema;
  readonly rest?: ValibotSchema;
  readonly wrapped?: ValibotSchema;
  readonly getter?: (input: unknown) => ValibotSchema;
  readonly options?: readonly ValibotSchema[];
  readonly items?: readonly ValibotSchema[];
}

interface ValibotAction {
  readonly kind: string;
  readonly type: string;
  readonly requirement?: unknown;
}

/** Options of valibot's conversion to JSON Schema, whose result is made as lenient as the schema. */
export const VALIBOT_OPTIONS = {
  errorMode: 'ignore',
  overrideSchema: loosenSchema,
  overrideAction: loosenAction,
} as const;

/** Marks a schema whose value was changed by an earlier action of its pipe. Removed by {@link withoutMarks}. */
const CHANGED = 'x-changed';

function loosenAction(context: { valibotAction: ValibotAction; jsonSchema: JsonObject }): JsonObject | undefined {
  const { valibotAction: action, jsonSchema } = context;
  const json = { ...jsonSchema };
  if (action.kind === 'transformation') return { ...json, [CHANGED]: true };
  if (json[CHANGED] === true) {
    acceptUnchecked(json);
    return json;
  }
  const { requirement } = action;
  if (!(requirement instanceof RegExp) || isSafe(requirement)) return undefined;
  tellPatterns(json, [requirement]);
  return json;
}

function loosenSchema(context: { valibotSchema: ValibotSchema; jsonSchema: JsonObject }): JsonObject | undefined {
  const { valibotSchema: schema, jsonSchema: json } = context;
  if (NOT_IN_JSON.has(schema.type)) return { not: {} };
  // The conversion writes the same as of an object that drops other keys.
  if (schema.type === 'loose_object') json.additionalProperties ??= {};
  // A pipe with a fallback is not visited itself.
  for (const [key, entry] of Object.entries(schema.entries ?? {})) {
    const inner = isJsonObject(json.properties) ? json.properties[key] : undefined;
    if (!hasFallback(entry) || !isJsonObject(inner)) continue;
    acceptAnything(inner);
    if (Array.isArray(json.required)) json.required = json.required.filter((each) => each !== key);
  }
  for (const [inner, found] of [
    [schema.item, json.items] as const,
    [schema.value, json.additionalProperties] as const,
    [schema.rest, json.additionalProperties ?? json.additionalItems] as const,
    ...pairs(schema.options, json.anyOf ?? json.oneOf),
    ...pairs(schema.items, json.items),
  ]) {
    if (inner !== undefined && hasFallback(inner) && isJsonObject(found)) acceptAnything(found);
  }
  // An element may be left out where `undefined` fits.
  if (schema.items !== undefined && 'minItems' in json) tell(json, { minItems: json.minItems });
  if (!hasFallback(schema)) return undefined;
  const copy = { ...json };
  acceptAnything(copy);
  return copy;
}

function hasFallback(schema: ValibotSchema): boolean {
  const inner = schema.wrapped ?? schema.getter?.(undefined);
  return 'fallback' in schema || (inner !== undefined && hasFallback(inner));
}

function pairs(schemas: readonly ValibotSchema[] = [], found: unknown): (readonly [ValibotSchema, unknown])[] {
  return Array.isArray(found) && found.length === schemas.length
    ? schemas.map((each, index) => [each, found[index]] as const)
    : [];
}

export function withoutMarks(schema: JsonObject): JsonObject {
  const { [CHANGED]: _, ...rest } = schema;
  return rest;
}
