import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { loadNow } from '../util/load-now.js';
import { isStandardSchema, type StandardSchemaLike } from './standard-schema.js';

/** The major version of the zod that made a schema. */
export type ZodMajor = 3 | 4;

/** A tool's `inputSchema`, told apart without loading any schema library. */
export type SchemaKind =
  /** `undefined`: the handler gets `extra` alone. */
  | { readonly kind: 'none' }
  /** `{}`: a shape without fields. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'shape'; readonly zod: ZodMajor; readonly shape: JsonObject }
  | { readonly kind: 'standard'; readonly zod: ZodMajor | undefined; readonly schema: StandardSchemaLike }
  | { readonly kind: 'json'; readonly schema: JsonObject }
  | { readonly kind: 'unusable'; readonly reason: string };

export function classifySchema(schema: unknown): SchemaKind {
  if (schema === undefined) return { kind: 'none' };
  if (isStandardSchema(schema)) return { kind: 'standard', zod: zodMajor(schema), schema };
  if (zodMajor(schema) !== undefined) {
    return { kind: 'unusable', reason: 'the schema comes from a zod older than 3.25' };
  }
  if (!isJsonObject(schema)) {
    return {
      kind: 'unusable',
      reason: `expected a zod shape, a Standard Schema or a JSON Schema, got ${describeValue(schema)}`,
    };
  }
  return classifyObject(schema);
}

function classifyObject(object: JsonObject): SchemaKind {
  const fields = Object.entries(object);
  if (fields.length === 0) return { kind: 'empty' };
  const majors = new Set(fields.map(([, field]) => zodMajor(field)));
  if (majors.size === 1) {
    const [zod] = majors;
    if (zod !== undefined) return { kind: 'shape', zod, shape: object };
  }
  if (majors.has(3) && majors.has(4)) return { kind: 'unusable', reason: 'the shape mixes zod 3 and zod 4 schemas' };
  const foreign = fields.find(([, field]) => isStandardSchema(field));
  if (foreign === undefined) return { kind: 'json', schema: object };
  return {
    kind: 'unusable',
    reason:
      majors.size > 1
        ? 'some fields of the shape are zod schemas and others are not'
        : `a shape is made of zod schemas; wrap "${foreign[0]}" and its siblings in an object schema of their library`,
  };
}

/** By the marks zod documents for libraries: `_zod` since 4, `_def` with a type name before. */
function zodMajor(schema: unknown): ZodMajor | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  if ('_zod' in schema) return 4;
  return '_def' in schema && 'safeParse' in schema ? 3 : undefined;
}

/** The two things that cannot be asked of a zod schema itself in every version. */
export interface ZodBridge {
  objectFromShape(shape: JsonObject): StandardSchemaLike;
  /** Draft-07 of the input side. @throws when a type has no JSON Schema. */
  toJsonSchema(schema: StandardSchemaLike): JsonObject;
}

/**
 * zod 4 needs `zod/v4/core` alone, which the module that made the schemas has loaded already; a schema of another copy
 * works too, the core is made for that. zod 3, or no zod to be found from here, goes through the helpers of the MCP
 * SDK, which brings its own zod and converter.
 */
export async function loadZodBridge(zod: ZodMajor): Promise<ZodBridge> {
  if (zod === 4) {
    const core = await import('zod/v4/core').catch(() => undefined);
    if (core !== undefined) return coreBridge(core);
  }
  return compatBridge(
    await import('@modelcontextprotocol/sdk/server/zod-compat.js'),
    await import('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js'),
  );
}

/** The same for where nothing can be awaited. Loads a second copy of zod: only for {@link createSdkMcpServer}'s `instance`. */
export function requireZodBridge(): ZodBridge {
  return compatBridge(
    loadNow('@modelcontextprotocol/sdk/server/zod-compat.js'),
    loadNow('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js'),
  );
}

type CoreModule = typeof import('zod/v4/core');
type CompatModule = typeof import('@modelcontextprotocol/sdk/server/zod-compat.js');
type ConverterModule = typeof import('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js');

function coreBridge(core: CoreModule): ZodBridge {
  return {
    objectFromShape: (shape) =>
      // `classifySchema` saw a zod 4 schema in every field.
      new core.$ZodObject({ type: 'object', shape: shape as Record<string, ZodType> }),
    toJsonSchema: (schema) =>
      // As above: only zod 4 schemas come here.
      core.toJSONSchema(schema as unknown as ZodType, { target: 'draft-7', io: 'input' }) as JsonObject,
  };
}

type ZodType = import('zod/v4/core').$ZodType;

function compatBridge(compat: CompatModule, converter: ConverterModule): ZodBridge {
  return {
    objectFromShape: (shape) =>
      compat.objectFromShape(shape as Parameters<CompatModule['objectFromShape']>[0]) as StandardSchemaLike,
    toJsonSchema: (schema) =>
      // `classifySchema` saw a zod 3 schema.
      converter.toJsonSchemaCompat(schema as unknown as Parameters<ConverterModule['toJsonSchemaCompat']>[0], {
        target: 'draft-7',
        pipeStrategy: 'input',
        strictUnions: true,
      }),
  };
}
