import { isJsonObject, type JsonObject } from '../util/json.js';
import { memberPath } from '../util/member-path.js';

/** A part of a source that does not count as it is. Never its value, which may be a secret. */
export interface LeftOutKey {
  /** Where: `permissions.deny[1]`. */
  readonly key: string;
  readonly reason: string;
}

/** Sentences for what is not there any more, and for what has something else in its place. */
interface LossReasons {
  readonly gone: string | ((key: string) => string);
  readonly replaced: string;
}

/**
 * What of `given` is not in `kept`. It is found by comparing, so that a new rule cannot drop anything silently. Another name or form of the same thing is no loss. Walks only as deep as the rules rebuild values.
 */
export function leftOutKeys(
  given: JsonObject,
  kept: JsonObject,
  { gone, replaced }: LossReasons,
): readonly LeftOutKey[] {
  const reasonFor = typeof gone === 'string' ? () => gone : gone;
  const names = supersededNames(given).map((key) => ({
    key,
    reason: 'The same setting is there under its current name.',
  }));
  const losses = lossesIn(withCurrentNames(given), kept, '').map(({ key, isReplaced }) => ({
    key,
    reason: isReplaced ? replaced : reasonFor(key),
  }));
  return [...names, ...losses];
}

interface Loss {
  readonly key: string;
  readonly isReplaced: boolean;
}

function losses(given: unknown, kept: unknown, key: string): readonly Loss[] {
  if (given === kept || isOtherForm(given, kept, key)) return [];
  if (isJsonObject(given) && isJsonObject(kept)) return lossesIn(given, kept, key);
  if (Array.isArray(given) && Array.isArray(kept)) return lossesOfList(given, kept, key);
  return [{ key, isReplaced: true }];
}

function lossesIn(given: JsonObject, kept: JsonObject, path: string): readonly Loss[] {
  return Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const key = memberPath(path, name);
    if (!Object.hasOwn(kept, name)) return [{ key, isReplaced: false }];
    return losses(value, kept[name], key);
  });
}

/** Items keep their order, so each is where the one before it was or behind. */
function lossesOfList(given: readonly unknown[], kept: readonly unknown[], path: string): readonly Loss[] {
  const isWhole = given.length === kept.length;
  let next = 0;
  return given.flatMap((item, index) => {
    const key = memberPath(path, index);
    if (isWhole) return losses(item, kept[index], key);
    if (next < kept.length && losses(item, kept[next], key).length === 0) {
      next += 1;
      return [];
    }
    return [{ key, isReplaced: false }];
  });
}

/** Forms that the rules turn into one another: texts of numbers and switches, lists of one, a mode's and a switch's other spelling. */
function isOtherForm(given: unknown, kept: unknown, key: string): boolean {
  if (key === 'permissions.defaultMode' && given === 'manual') return kept === 'default';
  if (key === 'attribution' && typeof given === 'boolean') return isJsonObject(kept);
  if (Array.isArray(kept)) return kept.length === 1 && kept[0] === given;
  return typeof kept === 'string' && typeof given !== 'string' && String(given) === kept;
}

/** Keys by their other names. */
const SAME_AS: readonly (readonly [string, string])[] = [
  ['allowedMarketplaces', 'strictKnownMarketplaces'],
  ['additionalMarketplaces', 'extraKnownMarketplaces'],
];

/** Renames keys that have two names; the first of them in the table gives way when both are there. */
export function withCurrentNames(source: JsonObject): JsonObject {
  const result = { ...source };
  for (const [other, current] of SAME_AS) {
    if (!Object.hasOwn(result, other)) continue;
    if (!Object.hasOwn(result, current)) result[current] = result[other];
    delete result[other];
  }
  return result;
}

/** The keys that gave way. */
function supersededNames(source: JsonObject): readonly string[] {
  return SAME_AS.flatMap(([other, current]) =>
    Object.hasOwn(source, other) && Object.hasOwn(source, current) ? [other] : [],
  );
}
