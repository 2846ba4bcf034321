import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import type { CallToolResult } from './call-tool-result.js';
import { classifySchema } from './input-schema.js';
import type { InferOutput, StandardSchemaLike } from './standard-schema.js';
import type { ToolCallExtra } from './tool-call.js';

/** A zod raw shape: field names to zod 3.25 or zod 4 schemas. */
export type ToolInputShape = Readonly<Record<string, StandardSchemaLike>>;

/** The official name of {@link ToolInputShape}. */
export type AnyZodRawShape = ToolInputShape;

/** What the schemas of a shape turn the arguments into. */
export type InferShape<Shape extends AnyZodRawShape> = {
  [Key in keyof Shape]: InferOutput<Shape[Key]>;
} & {};

/** A plain JSON Schema for the arguments. Checked with ajv; draft-07 unless its `$schema` says otherwise. */
export type JsonSchemaObject = {
  readonly type?: 'object';
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
};

/** Everything that can describe a tool's arguments. `undefined`: the tool takes none. */
export type ToolInputSchema = ToolInputShape | StandardSchemaLike | JsonSchemaObject | undefined;

/** The arguments a handler gets for a schema: parsed, defaults filled in, unknown keys stripped as the schema says. */
export type InferToolArgs<Schema> = Schema extends StandardSchemaLike
  ? InferOutput<Schema>
  : Schema extends ToolInputShape
    ? InferShape<Schema>
    : Record<string, unknown>;

/** With an `undefined` schema the handler is called with `extra` alone. */
export type ToolHandler<Schema> = [Schema] extends [undefined]
  ? (extra: ToolCallExtra) => ToolAnswer
  : (args: InferToolArgs<Schema>, extra: ToolCallExtra) => ToolAnswer;

/** Hints to the CLI and its user. Unknown ones pass. */
export type ToolAnnotations = {
  title?: string | undefined;
  readOnlyHint?: boolean | undefined;
  destructiveHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
  openWorldHint?: boolean | undefined;
  [hint: string]: unknown;
};

export type ToolExtras = {
  readonly annotations?: ToolAnnotations;
  /** Sent with the tool's listing, under the keys below when both are given. */
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** How the CLI's tool search finds it: `_meta["anthropic/searchHint"]`. */
  readonly searchHint?: string;
  /** Keeps the tool in the prompt instead of behind tool search: `_meta["anthropic/alwaysLoad"]`. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /**
   * Milliseconds a call may take. Past it the call is answered with an error result and `extra.signal` aborts. 0, or
   * more than a timer takes (2^31 - 1), is no limit.
   * @defaultValue no limit here; the CLI has its own, `MCP_TOOL_TIMEOUT`
   */
  readonly timeoutMs?: number;
};

/** What a handler returns: a promise, or the result at once. */
type ToolAnswer = Promise<CallToolResult> | CallToolResult;

/**
 * A promise: no value fits the second member. Without it the compiler, which tries the first overload first, would read
 * the `type: 'text'` of a handler that answers at once as any string.
 */
type PromisedAnswer = Promise<CallToolResult> | (CallToolResult & { then: never });

/** A tool as {@link tool} makes it from a zod raw shape. The same object can be in several servers. */
export type SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape> = {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  timeoutMs?: number;
  /** As given. `extra` is a {@link ToolCallExtra} when the CLI calls; a test may pass anything. */
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>;
};

/** The same from any other schema, or with a handler that answers at once. */
export type ToolDefinition<Schema extends ToolInputSchema = ToolInputSchema> = Omit<
  SdkMcpToolDefinition,
  'inputSchema' | 'handler'
> & { inputSchema: Schema; handler: ToolHandler<Schema> };

/** A tool of any schema, as in a list of tools. */
export type AnySdkMcpToolDefinition = {
  name: string;
  description: string;
  inputSchema: unknown;
  handler: (...args: never[]) => ToolAnswer;
  annotations?: ToolAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
  timeoutMs?: number;
};

/**
 * Describes a tool that runs in this process. Hand it to `createSdkMcpServer`; the CLI calls it
 * `mcp__<server>__<name>`.
 * @param inputSchema - A zod raw shape, as in the official SDK; or a zod object, any Standard Schema, a JSON Schema.
 * @param handler - Gets the parsed arguments. What it throws reaches the model as an error result.
 * @throws {@link InvalidOptionError} a name, schema, handler or time that cannot be used.
 *
 * @example
 * ```ts
 * tool('add', 'Adds two numbers', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
 *   content: [{ type: 'text', text: String(a + b) }],
 * }));
 * ```
 */
export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferShape<Schema>, extra: ToolCallExtra) => PromisedAnswer,
  extras?: ToolExtras,
): SdkMcpToolDefinition<Schema>;
export function tool<Schema extends ToolInputSchema>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: ToolHandler<Schema>,
  extras?: ToolExtras,
): ToolDefinition<Schema>;
export function tool(
  name: string,
  description: string,
  inputSchema: ToolInputSchema,
  handler: AnySdkMcpToolDefinition['handler'],
  extras: ToolExtras = {},
): AnySdkMcpToolDefinition {
  const definition = {
    name,
    description,
    inputSchema,
    handler,
    // The keys are there also without a value, as in the official object.
    annotations: extras.annotations,
    _meta: metaOf(extras),
    ...(extras.timeoutMs === undefined ? {} : { timeoutMs: extras.timeoutMs }),
  };
  assertTool(definition, 'tool');
  return definition;
}

/** @internal. @param path - Of the definition, for the message: `tools[1]`. */
export function assertTool(
  definition: Readonly<Record<'name' | 'handler' | 'inputSchema', unknown>> & { readonly timeoutMs?: unknown },
  path: string,
): void {
  const { name, handler, timeoutMs, inputSchema } = definition;
  const refuse = (field: string, problem: string): never => {
    throw new InvalidOptionError(`${path}.${field}`, problem);
  };
  if (typeof name !== 'string' || name === '') refuse('name', `A tool needs a name, got ${describeValue(name)}`);
  if (typeof handler !== 'function') {
    refuse('handler', `Tool "${name}" needs a handler function, got ${describeValue(handler)}`);
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    refuse('timeoutMs', `Tool "${name}" needs a time-out in milliseconds, got ${describeValue(timeoutMs)}`);
  }
  const kind = classifySchema(inputSchema);
  if (kind.kind === 'unusable') refuse('inputSchema', `Tool "${name}": ${kind.reason}`);
}

function metaOf(extras: ToolExtras): Record<string, unknown> | undefined {
  const meta = {
    ...extras._meta,
    ...(extras.searchHint ? { 'anthropic/searchHint': extras.searchHint } : {}),
    ...(extras.alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return Object.keys(meta).length > 0 ? meta : undefined;
}
