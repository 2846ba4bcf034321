import { isJsonObject } from '../util/json.js';
import type { PreparedSchema } from './prepare-schema.js';
import type { StandardIssue } from './standard-schema.js';

interface ZodPayload {
  value: unknown;
  issues: unknown[];
}

/**
 * A schema of another library, as the MCP SDK takes it: the part of a zod 4 schema that the zod core
 * calls (`_zod.run`, `_zod.toJSONSchema`, a definition of type `object`).
 * @see https://zod.dev/library-authors
 */
export function toZodCore(schema: PreparedSchema): object {
  return {
    _zod: {
      def: { type: 'object', shape: {} },
      // A copy: the converter writes into what it gets.
      toJSONSchema: () => structuredClone(schema.inputSchema),
      run: async (payload: ZodPayload): Promise<ZodPayload> => {
        const args = isJsonObject(payload.value) ? payload.value : {};
        const outcome = await schema.validate?.(args);
        if (outcome === undefined) return payload;
        if (outcome.issues === undefined) payload.value = outcome.value;
        else payload.issues.push(...outcome.issues.map(toZodIssue));
        return payload;
      },
    },
  };
}

function toZodIssue({ path = [], message }: StandardIssue): object {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return { code: 'custom', path: keys, message };
}
