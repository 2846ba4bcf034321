import { isJsonObject, type JsonObject } from './json.js';
import { mapSchema } from './map-schema.js';

/**
 * The schema with `definitions` of its own for what references point to elsewhere, such as `#/properties/a/anyOf/0` or
 * `#/components/schemas/A`. Whatever is moved or left out afterwards, these references lead somewhere. The very schema
 * where all are to definitions or the root.
 */
export function withHoistedReferences(schema: JsonObject): JsonObject {
  const taken = isJsonObject(schema.definitions) ? Object.keys(schema.definitions) : [];
  const targets = new Map<string, { readonly name: string; readonly target: JsonObject }>();
  const move = (each: JsonObject): JsonObject => {
    const { $ref: reference } = each;
    if (typeof reference !== 'string' || IN_PLACE.test(reference)) return each;
    const target = targets.get(reference)?.target ?? targetOf(schema, reference);
    if (!isJsonObject(target)) return each;
    const { name } = targets.get(reference) ?? { name: nameFor(targets.size, taken) };
    targets.set(reference, { name, target });
    return { ...each, $ref: `#/definitions/${name}` };
  };
  const moved = mapSchema(schema, move);
  if (targets.size === 0) return schema;
  const hoisted: Record<string, JsonObject> = {};
  // It grows while targets have references of their own.
  for (const { name, target } of targets.values()) hoisted[name] = mapSchema(target, move);
  return { ...moved, definitions: { ...(moved.definitions as JsonObject | undefined), ...hoisted } };
}

/** The root, a definition, or another document. */
const IN_PLACE = /^(?:#|#\/(?:\$defs|definitions)\/[^/]+|[^#].*)?$/s;

function nameFor(count: number, taken: readonly string[]): string {
  let name = `referenced${count + 1}`;
  while (taken.includes(name)) name += '_';
  return name;
}

function targetOf(root: JsonObject, reference: string): unknown {
  const places = [true, false].map((isEncoded) => segmentsOf(reference, isEncoded));
  return places.map((segments) => valueAt(root, segments)).find((each) => each !== undefined);
}

/** The names in a reference such as `#/$defs/a`. `undefined` for any other reference, and for one that cannot be decoded. */
export function segmentsOf(reference: string, isEncoded: boolean): readonly string[] | undefined {
  if (!reference.startsWith('#/')) return undefined;
  try {
    const path = isEncoded ? decodeURIComponent(reference.slice(2)) : reference.slice(2);
    return path.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  } catch {
    return undefined;
  }
}

/** What is at a place. `undefined`: nothing. */
export function valueAt(root: JsonObject, segments: readonly string[] | undefined): unknown {
  if (segments === undefined) return undefined;
  let at: unknown = root;
  for (const segment of segments) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined;
    at = Reflect.get(at, segment);
  }
  return at;
}
