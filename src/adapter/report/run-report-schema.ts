import type { JsonObject } from '../../util/json.js';

const text = { type: 'string' };
const maybeText = { type: ['string', 'null'] };
const count = { type: 'number', minimum: 0 };
const maybeCount = { type: ['number', 'null'], minimum: 0 };
const isTrue = { type: 'boolean' };

/** Every property is always there, but for the optional ones. */
function shape(properties: JsonObject, optional: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

const orNull = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });

const tokens = { inputTokens: maybeCount, outputTokens: maybeCount, cachedTokens: maybeCount };

const retryAdvice = shape({
  retry: { enum: ['safe', 'unsafe', 'after_change', 'never'] },
  retryAfterMs: maybeCount,
  action: text,
});

const outcome = shape({
  status: { enum: ['completed', 'failed'] },
  stopReason: maybeText,
  terminalReason: maybeText,
  turns: maybeCount,
  error: orNull(
    shape({
      name: text,
      errorClass: maybeText,
      code: maybeText,
      phase: maybeText,
      message: text,
      retryAdvice: orNull(retryAdvice),
    }),
  ),
});

const limits = shape({
  deadline: maybeText,
  maxTurns: maybeCount,
  maxBudgetUsd: maybeCount,
  maxTotalTokens: maybeCount,
  maxInputTokens: maybeCount,
  maxOutputTokens: maybeCount,
  countCachedTokens: isTrue,
});

const isolation = shape({
  requested: isTrue,
  settingsConfirmed: isTrue,
  probePassed: { type: ['boolean', 'null'] },
  openings: listOf(text),
  managedSources: listOf(text),
});

const usage = shape({
  ...tokens,
  isFinal: isTrue,
  costUsd: maybeCount,
  sessionCostUsd: maybeCount,
  byModel: listOf(shape({ model: text, ...tokens, costUsd: maybeCount })),
  subagentTotal: shape(tokens),
  other: shape(tokens),
  subagents: listOf(
    shape({
      toolUseId: text,
      type: maybeText,
      status: text,
      ...tokens,
      isExact: isTrue,
      costUsd: maybeCount,
      toolCalls: maybeCount,
      durationMs: maybeCount,
    }),
  ),
  apiRetries: count,
});

const timings = shape({
  startedAt: text,
  totalMs: count,
  firstMessageMs: maybeCount,
  cliMs: maybeCount,
  apiMs: maybeCount,
  firstTokenMs: maybeCount,
  marks: { type: 'object', additionalProperties: count },
});

/** JSON Schema (draft 2020-12) of a `RunReport`; also the file `schemas/run-report.schema.json`. */
export const RUN_REPORT_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Run report of claudewire/adapter',
  ...shape({
    version: { const: 1 },
    adapter: text,
    promptName: text,
    outcome,
    cli: shape({
      version: maybeText,
      sessionId: maybeText,
      permissionMode: maybeText,
      authSource: maybeText,
    }),
    model: shape({ requested: maybeText, used: maybeText }),
    limits,
    warnings: listOf(text),
    isolation: orNull(isolation),
    effectiveSettings: { type: ['object', 'null'] },
    tools: shape({
      offered: listOf(text),
      used: listOf(shape({ name: text, requested: count, completed: count })),
    }),
    denials: listOf(
      shape({
        toolName: text,
        toolUseId: maybeText,
        reason: maybeText,
        by: { enum: ['adapter', 'cli'] },
      }),
    ),
    connectionsRefused: orNull(
      listOf(
        shape({
          form: { enum: ['http', 'connect', 'socks'] },
          host: text,
          port: count,
          reason: text,
          count,
        }),
      ),
    ),
    usage,
    files: orNull(
      listOf(
        shape({ path: text, change: { enum: ['created', 'modified', 'deleted'] } }, { diff: text }),
      ),
    ),
    timings,
  }),
};
