export type JsonObject = { readonly [field: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** An object of a field; an empty one where there is none. */
export function objectAt(value: unknown, field: string): JsonObject {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return isJsonObject(inner) ? inner : {};
}

export function textAt(value: unknown, field: string): string | undefined {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return typeof inner === 'string' ? inner : undefined;
}

/** A count or an amount: finite and not negative. */
export function amountAt(value: unknown, field: string): number | undefined {
  const inner = isJsonObject(value) ? value[field] : undefined;
  return typeof inner === 'number' && Number.isFinite(inner) && inner >= 0 ? inner : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const MAX_TITLE = 160;

/** One line of at most 160 characters. */
export function shorten(text: string, max = MAX_TITLE): string {
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= max && text.length <= max * 4 ? line : `${cut(line, max - 1)}…`;
}

/** Never ends in half of a surrogate pair. */
export function cut(text: string, max: number): string {
  const end = text.slice(0, max);
  return /[\uD800-\uDBFF]$/.test(end) ? end.slice(0, -1) : end;
}
