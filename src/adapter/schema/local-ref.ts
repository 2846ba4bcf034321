import { isJsonObject } from '../../util/json.js';
import type { JsonSchema } from './json-schema.js';

/** What a `$ref` of the form `#` or `#/...` points to; `undefined` for all others. */
export function localTarget({ $ref }: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  if ($ref === '#') return root;
  if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const segment of $ref.slice(2).split('/')) {
    const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isJsonObject(at) ? at : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
