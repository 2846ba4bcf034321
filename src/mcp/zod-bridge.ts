import { createRequire } from 'node:module';
import type { JsonObject } from '../util/json.js';
import type { ZodMajor } from './input-schema.js';
import type { StandardSchemaLike } from './standard-schema.js';

/** The two things that cannot be asked of a zod schema itself in every version. */
export interface ZodBridge {
  objectFromShape(shape: JsonObject): StandardSchemaLike;
  /** Draft-07 of the input side. @throws when a type has no JSON Schema. */
  toJsonSchema(schema: StandardSchemaLike): JsonObject;
}

/**
 * zod 4 needs `zod/v4/core` alone, which the module that made the schemas has loaded already; a schema
 * of another copy works too, the core is made for that. zod 3, or no zod to be found from here, goes through the
 * helpers of the MCP SDK, which brings its own zod and converter.
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

/** The same through `require`, for where nothing can be awaited. Loads a second copy of zod: only for {@link createSdkMcpServer}'s `instance`. */
export function requireZodBridge(): ZodBridge {
  const require = createRequire(import.meta.url);
  return compatBridge(
    require('@modelcontextprotocol/sdk/server/zod-compat.js') as CompatModule,
    require('@modelcontextprotocol/sdk/server/zod-json-schema-compat.js') as ConverterModule,
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
      core.toJSONSchema(schema as unknown as ZodType, {
        target: 'draft-7',
        io: 'input',
      }) as JsonObject,
  };
}

type ZodType = import('zod/v4/core').$ZodType;

function compatBridge(compat: CompatModule, converter: ConverterModule): ZodBridge {
  return {
    objectFromShape: (shape) =>
      compat.objectFromShape(
        shape as Parameters<CompatModule['objectFromShape']>[0],
      ) as StandardSchemaLike,
    toJsonSchema: (schema) =>
      // `classifySchema` saw a zod 3 schema.
      converter.toJsonSchemaCompat(
        schema as unknown as Parameters<ConverterModule['toJsonSchemaCompat']>[0],
        { target: 'draft-7', pipeStrategy: 'input', strictUnions: true },
      ),
  };
}
