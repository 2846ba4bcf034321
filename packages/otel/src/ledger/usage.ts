/** Tokens by the way they are billed. */
export interface TokenCounts {
  /** Uncached input. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelFigures extends TokenCounts {
  /** US dollars as Claude Code reckons them; `undefined` when it said nothing. */
  readonly costUsd: number | undefined;
}

export type FiguresByModel = ReadonlyMap<string, ModelFigures>;

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function count(value: unknown): number {
  return isAmount(value) ? value : 0;
}

/** Nobody gets money or tokens back, and a sum of what no counter has would say nothing. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
}

/** Of the API's `usage` in a message. */
export function countsOfUsage(usage: unknown): TokenCounts | undefined {
  if (!isObject(usage)) return undefined;
  return {
    input: count(usage.input_tokens),
    output: count(usage.output_tokens),
    cacheRead: count(usage.cache_read_input_tokens),
    cacheWrite: count(usage.cache_creation_input_tokens),
  };
}

/** Of a `modelUsage` table; `undefined` when there is none, or nothing in it. */
export function figuresOfTable(table: unknown): FiguresByModel | undefined {
  if (!isObject(table)) return undefined;
  const rows = Object.entries(table).flatMap(([model, row]) =>
    isObject(row) ? [[model, figuresOf(row)] as const] : [],
  );
  return rows.length === 0 ? undefined : new Map(rows);
}

function figuresOf(row: JsonObject): ModelFigures {
  return {
    input: count(row.inputTokens),
    output: count(row.outputTokens),
    cacheRead: count(row.cacheReadInputTokens),
    cacheWrite: count(row.cacheCreationInputTokens),
    costUsd: isAmount(row.costUSD) ? row.costUSD : undefined,
  };
}

/** What came on top of `before`. A count that fell means that the table began anew (`/clear`): then all of it counts. */
export function since(table: FiguresByModel, before: FiguresByModel): FiguresByModel {
  const added = new Map<string, ModelFigures>();
  for (const [model, now] of table) {
    const then = before.get(model) ?? { ...NO_TOKENS, costUsd: 0 };
    const row = subtract(now, then);
    if (Object.values(row).some((value) => typeof value === 'number' && value < -1e-12)) return table;
    if (Object.values(row).some((value) => value !== 0 && value !== undefined)) added.set(model, row);
  }
  return [...before.keys()].some((model) => !table.has(model)) ? table : added;
}

/** The table, with the costs of before where it names none: else the next one that does would count them again. */
export function withKnownCosts(table: FiguresByModel, before: FiguresByModel | undefined): FiguresByModel {
  return new Map(
    [...table].map(([model, row]) => [model, { ...row, costUsd: row.costUsd ?? before?.get(model)?.costUsd }] as const),
  );
}

function subtract(now: ModelFigures, then: ModelFigures): ModelFigures {
  return {
    input: now.input - then.input,
    output: now.output - then.output,
    cacheRead: now.cacheRead - then.cacheRead,
    cacheWrite: now.cacheWrite - then.cacheWrite,
    costUsd: now.costUsd === undefined ? undefined : now.costUsd - (then.costUsd ?? 0),
  };
}

export function largest(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: Math.max(a.input, b.input),
    output: Math.max(a.output, b.output),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
  };
}

export function sum(a: TokenCounts, b: TokenCounts): TokenCounts {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
