import { isJsonObject, type JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { ValueIssue } from '../errors/prompt-errors.js';
import type { JsonSchema } from './json-schema.js';
import { elementSchemas, levelOf } from './object-level.js';
import { valueError } from './value-issues.js';

/**
 * The value without the keys that the schema does not list, at every object level. The given value is not changed;
 * what needs no change is not copied.
 *
 * @throws {@link ValidationError} `forbid`, and there are such keys.
 */
export function withoutExtraKeys(
  schema: JsonSchema,
  value: unknown,
  extra: 'forbid' | 'ignore',
): unknown {
  const found: ValueIssue[] = [];
  const rest = prune([schema], value, '', schema, found);
  if (extra === 'forbid' && found.length > 0) throw valueError(found);
  return rest;
}

function prune(
  schemas: readonly JsonSchema[],
  value: unknown,
  path: string,
  root: JsonSchema,
  found: ValueIssue[],
): unknown {
  if (schemas.length === 0) return value;
  if (Array.isArray(value)) {
    const elements = elementSchemas(schemas, value, root);
    const items = value.map((item: unknown, index) =>
      prune(elements(index), item, memberPath(path, index), root, found),
    );
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isJsonObject(value) ? pruneObject(schemas, value, path, root, found) : value;
}

function pruneObject(
  schemas: readonly JsonSchema[],
  value: JsonObject,
  path: string,
  root: JsonSchema,
  found: ValueIssue[],
): JsonObject {
  const level = levelOf(schemas, value, root);
  const kept: [string, unknown][] = [];
  let isChanged = false;
  for (const key of Object.keys(value)) {
    const member = memberPath(path, key);
    const inner = level.schemasOf(key);
    if (inner === undefined) {
      found.push({ path: member, message: 'is not a known key' });
      isChanged = true;
      continue;
    }
    const before = value[key];
    const after = prune(inner, before, member, root, found);
    isChanged ||= after !== before;
    kept.push([key, after]);
  }
  // `fromEntries` makes an own key of `__proto__` too.
  return isChanged ? Object.fromEntries(kept) : value;
}
