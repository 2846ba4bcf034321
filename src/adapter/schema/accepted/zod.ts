import type { JsonObject } from '../../../util/json.js';
import { acceptAnything, acceptNothing, acceptUnchecked, isSafe, tell, tellPatterns } from './keywords.js';

/** What is read of a schema of zod 4, which documents these fields for libraries. */
interface ZodSchema {
  readonly _zod: { readonly def: ZodDefinition; readonly pattern?: RegExp };
}

interface ZodDefinition {
  readonly type: string;
  readonly coerce?: boolean;
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

/** Options of zod's conversion to JSON Schema: what is not as strict as the schema says is made as lenient as it is. */
export const ZOD_OPTIONS = { io: 'input', unrepresentable: 'any', override: loosen } as const;

/** Values that JSON does not have. */
const NOT_IN_JSON = new Set([
  ...['bigint', 'date', 'symbol', 'undefined', 'void', 'map', 'set', 'function', 'nan', 'promise', 'file'],
]);

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

/** It makes something of every value, or of values of other types. */
function takesAnything({ type, coerce, in: first }: ZodDefinition): boolean {
  return type === 'catch' || coerce === true || (type === 'pipe' && first?._zod.def.type === 'transform');
}

/** Whether a key with this schema may be missing although zod lists it as required: something stands in for it. */
function mayBeMissing(schema: ZodSchema | undefined, depth = 0): boolean {
  if (schema === undefined || depth > MAX_DEPTH) return false;
  const { def } = schema._zod;
  if (takesAnything(def) && def.coerce !== true) return true;
  const inner = [def.innerType, def.type === 'pipe' ? def.in : undefined, def.getter?.(), ...(def.options ?? [])];
  return inner.some((each) => each !== undefined && mayBeMissing(each, depth + 1));
}

const MAX_DEPTH = 20;
