import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type AjvFormats from 'ajv-formats';
import { ignoreRejection } from '../util/deferred.js';
import { withoutEndless } from '../util/endless-bounds.js';
import type { JsonObject } from '../util/json.js';
import { mapSchema } from '../util/map-schema.js';
import { pointerKeys } from '../util/member-path.js';
import type { SchemaKind, ZodBridge, ZodMajor } from './input-schema.js';
import { describesItself, type StandardIssue, type StandardSchemaLike, type ValidateArgs } from './standard-schema.js';

const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/** A tool's schema in its two uses. */
export interface PreparedSchema {
  /** What `tools/list` shows. */
  readonly inputSchema: JsonObject;
  /** `undefined`: the handler takes no arguments. */
  readonly validate: ValidateArgs | undefined;
  /** Loads what the first check needs, so that the first call does not wait for it. */
  readonly preload?: () => void;
}

/** Which zod has to be asked, `undefined` when the schema speaks for itself. */
export function neededBridge(kind: SchemaKind): ZodMajor | undefined {
  if (kind.kind === 'shape') return kind.zod;
  if (kind.kind === 'standard' && !describesItself(kind.schema)) return kind.zod;
  return undefined;
}

/** @throws when the schema has no JSON form. */
export function prepareSchema(kind: SchemaKind, bridge: ZodBridge | undefined): PreparedSchema {
  switch (kind.kind) {
    case 'none':
      return { inputSchema: { type: 'object', properties: {} }, validate: undefined };
    case 'empty':
      return { inputSchema: { $schema: DRAFT_07, type: 'object', properties: {} }, validate: () => ({ value: {} }) };
    case 'json':
      return {
        inputSchema: asObjectSchema(kind.schema),
        validate: jsonSchemaValidator(kind.schema),
        preload: () => ignoreRejection(loadAjv(kind.schema)),
      };
    case 'shape':
      if (bridge === undefined) throw new TypeError('a zod shape needs zod');
      return fromStandard(bridge.objectFromShape(kind.shape), bridge);
    case 'standard':
      return fromStandard(kind.schema, bridge);
    case 'unusable':
      throw new TypeError(kind.reason);
  }
}

function fromStandard(schema: StandardSchemaLike, bridge: ZodBridge | undefined): PreparedSchema {
  return { inputSchema: asObjectSchema(toJsonSchema(schema, bridge)), validate: schema['~standard'].validate };
}

function toJsonSchema(schema: StandardSchemaLike, bridge: ZodBridge | undefined): JsonObject {
  if (bridge === undefined) {
    if (describesItself(schema)) return schema['~standard'].jsonSchema.input({ target: 'draft-07' });
    throw new TypeError(`its library (${schema['~standard'].vendor}) offers no JSON Schema for it`);
  }
  const converted = mapSchema(bridge.toJsonSchema(schema), withoutEndless);
  return '$schema' in converted ? converted : { $schema: DRAFT_07, ...converted };
}

/** One tool whose schema is not of type `object` makes MCP clients refuse the whole list. */
function asObjectSchema(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema;
  if (schema.type === undefined) return { ...schema, type: 'object' };
  throw new TypeError(`arguments are an object, the schema is for ${JSON.stringify(schema.type)}`);
}

/**
 * Checks arguments against a plain JSON Schema and fills in its defaults. ajv is loaded and the schema compiled at the
 * first call.
 */
function jsonSchemaValidator(schema: JsonObject): ValidateArgs {
  let compiled: Promise<ValidateFunction> | undefined;
  return async (args) => {
    compiled ??= compile(schema);
    const validate = await compiled;
    // ajv writes the defaults into what it checks; the frame stays as it came.
    const value = structuredClone(args);
    return validate(value) ? { value } : { issues: (validate.errors ?? []).map(toIssue) };
  };
}

async function loadAjv({
  $schema = '',
}: JsonObject): Promise<{ Ajv: typeof Ajv2020 | typeof Ajv; formats: typeof AjvFormats }> {
  const { default: formats } = await import('ajv-formats');
  const is2020 = String($schema).includes('2020-12');
  return { formats, Ajv: is2020 ? (await import('ajv/dist/2020.js')).Ajv2020 : (await import('ajv')).Ajv };
}

async function compile(schema: JsonObject): Promise<ValidateFunction> {
  const { Ajv, formats } = await loadAjv(schema);
  // Schemas are written for a model first: unknown keywords and formats must not make a tool unusable.
  const ajv = new Ajv({ strict: false, useDefaults: true, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

function toIssue({ instancePath, message, params }: ErrorObject): StandardIssue & JsonObject {
  return { path: pointerKeys(instancePath), message: message ?? 'is not valid', params };
}
