import type { JsonObject } from '../../../util/json.js';
import { acceptAnything, acceptNothing, acceptUnchecked, isSafe, NOT_IN_JSON, tell, tellPatterns } from './loosen.js';

/** What is read of a schema of zod 4, which documents these fields for libraries. */
interface ZodSchema {
  readonly _zod: { readonly def: ZodDefinition; readonly pattern?: RegExp };
}

interface ZodDefinition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly mode?: string;
  readonly valueType?: ZodSchema;
  readonly in?: ZodSchema;
  readonly innerType?: ZodSchema;
  readonly options?: readonly ZodSchema[];
  readonly shape?: Readonly<Record<string, ZodSchema>>;
  readonly getter?: () => ZodSchema;
  readonly pattern?: unknown;
  readonly checks?: readonly {
    readonly _zod: { readonly def: { readonly check: string; readonly pattern?: unknown } };
  }[];
}

/** Options of zod's conversion to JSON Schema, whose result is made as lenient as the schema. */
export const ZOD_OPTIONS = { io: 'input', unrepresentable: 'any', override: loosen } as const;

function loosen({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: unknown }): void {
  const { def } = (zodSchema as ZodSchema)._zod;
  const json = jsonSchema as JsonObject;
  if (takesAnything(def)) acceptAnything(json);
  else if (NOT_IN_JSON.has(def.type)) acceptNothing(json);
  else loosenKeywords((zodSchema as ZodSchema)._zod, json);
}

function loosenKeywords({ def, pattern }: ZodSchema['_zod'], json: JsonObject): void {
  if (def.type === 'object' && Array.isArray(json.required)) {
    json.required = json.required.filter((key: string) => !mayBeMissing(def.shape?.[key]));
    if ((json.required as unknown[]).length === 0) delete json.required;
  }
  if (def.type === 'record') loosenRecord(def, json);
  // An element may be left out where `undefined` fits.
  if (def.type === 'tuple' && 'minItems' in json) tell(json, { minItems: json.minItems });
  if (def.checks?.some(({ _zod }) => _zod.def.check === 'overwrite')) {
    acceptUnchecked(json);
    return;
  }
  const checks = def.checks?.map(({ _zod }) => _zod.def.pattern) ?? [];
  const ofTemplate = def.type === 'template_literal' ? pattern : undefined;
  const patterns = [def.pattern, ...checks, ofTemplate].filter((each) => each instanceof RegExp);
  if (!patterns.every(isSafe)) tellPatterns(json, patterns);
}

function loosenRecord({ mode, valueType }: ZodDefinition, json: JsonObject): void {
  if ('required' in json && !needsValue(valueType)) tell(json, { required: json.required });
  // Keys that do not fit pass with any value.
  const { propertyNames, additionalProperties } = json;
  if (mode === 'loose' && propertyNames !== undefined) tell(json, { propertyNames, additionalProperties });
}

const NEED_VALUE = new Set(['string', 'number', 'boolean', 'null', 'object', 'array', 'tuple', 'record', 'enum']);

/** Whether it certainly refuses `undefined`, which a record passes to it for a missing key. */
function needsValue(schema: ZodSchema | undefined): boolean {
  if (schema === undefined) return false;
  const { type, coerce, innerType, options } = schema._zod.def;
  if (type === 'nullable' || type === 'readonly') return needsValue(innerType);
  if (type === 'pipe') return needsValue(schema._zod.def.in);
  return type === 'union' ? options?.every(needsValue) === true : coerce !== true && NEED_VALUE.has(type);
}

/** Whether it also accepts values of other types, which it converts or replaces. */
function takesAnything({ type, coerce, in: first }: ZodDefinition): boolean {
  return (
    type === 'catch' ||
    type === 'success' ||
    coerce === true ||
    (type === 'pipe' && first?._zod.def.type === 'transform')
  );
}

/** Whether a key may be missing although zod lists it as required, because its schema supplies a value. */
function mayBeMissing(schema: ZodSchema | undefined, seen = new Set<ZodSchema>()): boolean {
  if (schema === undefined || seen.has(schema)) return false;
  seen.add(schema);
  const { def } = schema._zod;
  if (takesAnything(def) && def.coerce !== true) return true;
  const inner = [def.innerType, def.type === 'pipe' ? def.in : undefined, def.getter?.(), ...(def.options ?? [])];
  return inner.some((each) => each !== undefined && mayBeMissing(each, seen));
}
