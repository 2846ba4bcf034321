import type { JsonObject } from '../util/json.js';

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
export function supersededNames(source: JsonObject): readonly string[] {
  return SAME_AS.flatMap(([other, current]) =>
    Object.hasOwn(source, other) && Object.hasOwn(source, current) ? [other] : [],
  );
}
