import { invalidArgument } from '../errors/invalid-option.js';

/** Tokens of one or more model calls. A field is absent when nobody reported it. */
export interface TokenUsage {
  /** Uncached input. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Cache reads plus cache writes. */
  readonly cachedTokens?: number;
}

export const USAGE_FIELDS = ['inputTokens', 'outputTokens', 'cachedTokens'] as const;

/**
 * Input and output together; `undefined` when neither is known.
 *
 * @throws InvalidOptionError it is no object.
 */
export function totalTokens(usage: TokenUsage): number | undefined {
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) {
    const cure = 'Pass the `usage` of a response or an error.';
    throw invalidArgument('usage', 'totalTokens() takes a TokenUsage', usage, cure);
  }
  const { inputTokens, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}

/** Joins two usages field by field. A field that only one of them has goes through `join` with 0 for the other. */
export function joinUsage(
  first: TokenUsage,
  second: TokenUsage,
  join: (a: number, b: number) => number,
): TokenUsage {
  const joined: { -readonly [Field in keyof TokenUsage]: number } = {};
  for (const field of USAGE_FIELDS) {
    if (first[field] === undefined && second[field] === undefined) continue;
    joined[field] = join(first[field] ?? 0, second[field] ?? 0);
  }
  return joined;
}

export function addUsage(first: TokenUsage, second: TokenUsage): TokenUsage {
  return joinUsage(first, second, (a, b) => a + b);
}

/** A count as it may be added up: finite and not negative, else `undefined`. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}
