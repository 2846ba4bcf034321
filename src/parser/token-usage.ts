import { invalidArgument } from '../errors/usage-errors.js';
import { isJsonObject, type JsonObject } from '../util/json.js';

/** Tokens of one or more model calls. A field is absent when nobody reported it. */
export interface TokenUsage {
  /** Uncached input. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Cache reads plus cache writes. */
  readonly cachedTokens?: number;
}

export const USAGE_FIELDS = ['inputTokens', 'outputTokens', 'cachedTokens'] as const;

/** Input and output together; `undefined` when neither is known. @throws InvalidOptionError it is no object. */
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
export function joinUsage(first: TokenUsage, second: TokenUsage, join: (a: number, b: number) => number): TokenUsage {
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

/** A count as it may be added up: not negative, and no sum of it becomes infinite. Else `undefined`. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** Tokens and cost of one model. */
export interface OneModelUsage extends TokenUsage {
  /** As the CLI reckons it; absent when it said nothing. */
  readonly costUsd?: number;
}

/** By the model's name. */
export type ModelUsage = Readonly<Record<string, OneModelUsage>>;

/** Reads a `modelUsage` table. `undefined` when it is absent, empty or not well formed. */
export function modelTable(value: unknown): ModelUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value).map(([model, row]) => [model, rowOf(row)] as const);
  if (entries.length === 0 || entries.some(([, row]) => row === undefined)) return undefined;
  return Object.fromEntries(entries) as ModelUsage;
}

function rowOf(value: unknown): OneModelUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const inputTokens = tokenCount(value.inputTokens);
  const outputTokens = tokenCount(value.outputTokens);
  const reads = optionalCount(value, 'cacheReadInputTokens');
  const writes = optionalCount(value, 'cacheCreationInputTokens');
  const costUsd = tokenCount(value.costUSD);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  if (reads === undefined || writes === undefined) return undefined;
  const usage = { inputTokens, outputTokens, cachedTokens: reads + writes };
  return costUsd === undefined ? usage : { ...usage, costUsd };
}

/** 0 when absent, `undefined` when it is no count. */
function optionalCount(row: JsonObject, key: string): number | undefined {
  return row[key] === undefined ? 0 : tokenCount(row[key]);
}

export function sumOfModels(models: ModelUsage): TokenUsage {
  return Object.values(models).reduce<TokenUsage>(addUsage, {});
}

export function addModels(first: ModelUsage, second: ModelUsage): ModelUsage {
  return joinModels(first, second, (a, b) => a + b);
}

/** What came on top of `before`. If a count fell, the table was reset (`/clear`), so all of it counts. */
export function subtractModels(table: ModelUsage, before: ModelUsage): ModelUsage {
  return sinceTable(table, before) ?? table;
}

/** What came on top of `before`; `undefined` for a table that went back. */
export function sinceTable(table: ModelUsage, before: ModelUsage): ModelUsage | undefined {
  const difference = joinModels(table, before, (now, then) => now - then);
  const values = Object.values(difference).flatMap((row) => Object.values(row) as number[]);
  return values.some((count) => count < 0) ? undefined : difference;
}

function joinModels(first: ModelUsage, second: ModelUsage, join: (a: number, b: number) => number): ModelUsage {
  const models = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...models].map((model) => [model, joinRows(first[model] ?? {}, second[model] ?? {}, join)]),
  );
}

function joinRows(first: OneModelUsage, second: OneModelUsage, join: (a: number, b: number) => number): OneModelUsage {
  const usage = joinUsage(first, second, join);
  if (first.costUsd === undefined && second.costUsd === undefined) return usage;
  return { ...usage, costUsd: join(first.costUsd ?? 0, second.costUsd ?? 0) };
}
