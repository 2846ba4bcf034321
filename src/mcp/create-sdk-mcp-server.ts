import { invalidOption } from '../errors/usage-errors.js';
import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, omitUndefined } from '../util/json.js';
import { loadNow } from '../util/load-now.js';
import { firstOf } from '../util/race.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import { errorResult } from './call-tool-result.js';
import { classifySchema, requireZodBridge, type SchemaKind, type ZodBridge } from './input-schema.js';
import { isCallTimeout, type McpSdkServerConfigWithInstance } from './mcp-server-config.js';
import { neededBridge, type PreparedSchema } from './prepare-schema.js';
import { prepareTool, rememberDefinition, ServerDefinition } from './server-definition.js';
import type { SdkMcpServerInstance } from './server-instance.js';
import { keysOf, type StandardIssue } from './standard-schema.js';
import { type AnySdkMcpToolDefinition, assertTool } from './tool.js';

export type CreateSdkMcpServerOptions = {
  /** For people. The CLI knows the server by its key in `mcpServers`. */
  name: string;
  /** @defaultValue '1.0.0' */
  version?: string;
  /** Told to the model with the list of tools. */
  instructions?: string;
  /** Absent: a server without the tools capability. Mutable, as programs build it with `push`. */
  tools?: AnySdkMcpToolDefinition[];
  /** Sets `_meta["anthropic/alwaysLoad"]` on every tool. @defaultValue false */
  alwaysLoad?: boolean;
  /** Milliseconds the CLI waits for one call; a whole number above 0, all else is left out. @defaultValue the CLI's `MCP_TOOL_TIMEOUT` */
  timeout?: number;
};

/**
 * Makes an MCP server that runs in this process, for the `mcpServers` option. One server can be used by any number of
 * queries at the same time, under any number of keys.
 *
 * Until `instance` is read, the MCP SDK is not loaded and calls go straight to the handlers. Reading it (which a spread of the object does too)
 * builds an `McpServer` from the same tools, and from then on that server answers, in running queries as well: whatever
 * is registered on it counts. Running calls end where they began.
 * @throws {@link InvalidOptionError} two tools of one name, or a tool that cannot be used.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfigWithInstance {
  if (!isJsonObject(options)) {
    const hint = 'Call it as in `createSdkMcpServer({ name: "tools", tools: [] })`.';
    throw invalidOption('options', 'an object with a `name`', options, hint);
  }
  const { name, version = '1.0.0', instructions, timeout } = options;
  if (typeof name !== 'string') {
    throw new InvalidOptionError('name', `An MCP server needs a name, got ${describeValue(name)}`);
  }
  assertTools(options.tools);
  const tools = options.alwaysLoad ? options.tools?.map(alwaysLoaded) : options.tools?.slice();
  const definition = new ServerDefinition({ name, version, instructions, tools }, buildInstance);
  const config: McpSdkServerConfigWithInstance = {
    type: 'sdk',
    name,
    get instance() {
      return definition.readInstance();
    },
    set instance(replacement) {
      // From here on it is the caller's server: a plain property, as with the official SDK.
      Object.defineProperty(config, 'instance', { value: replacement, writable: true });
    },
    ...(isCallTimeout(timeout) ? { timeout } : {}),
  };
  rememberDefinition(config, definition);
  return config;
}

function assertTools(tools: CreateSdkMcpServerOptions['tools']): void {
  if (tools === undefined) return;
  if (!Array.isArray(tools)) {
    throw new InvalidOptionError('tools', `Expected a list of tools, got ${describeValue(tools)}`);
  }
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const path = `tools[${index}]`;
    if (typeof tool !== 'object' || tool === null) {
      throw new InvalidOptionError(path, `Expected a tool, got ${describeValue(tool)}`);
    }
    assertTool(tool, path);
    if (names.has(tool.name)) throw new InvalidOptionError(`${path}.name`, `Tool ${tool.name} is already registered`);
    names.add(tool.name);
  }
}

function alwaysLoaded(tool: AnySdkMcpToolDefinition): AnySdkMcpToolDefinition {
  return { ...tool, _meta: { ...tool._meta, 'anthropic/alwaysLoad': true } };
}

type Handler = (...args: readonly unknown[]) => unknown;

/**
 * An `McpServer` with the tools of a definition. Reading a property cannot wait for an `import()`, so the MCP SDK is
 * loaded through `require` here: its CommonJS build, for which alone no Node version prints a warning.
 */
function buildInstance(definition: ServerDefinition): SdkMcpServerInstance {
  const { McpServer } = loadNow('@modelcontextprotocol/sdk/server/mcp.js');
  const { name, version, instructions, tools } = definition.info;
  const server = new McpServer(
    { name, version },
    { capabilities: tools === undefined ? {} : { tools: {} }, ...(instructions ? { instructions } : {}) },
  ) as unknown as SdkMcpServerInstance; // Typed here by what of it is used; the tests compare the two types.
  let bridge: ZodBridge | undefined;
  for (const tool of tools ?? []) {
    const kind = classifySchema(tool.inputSchema);
    const isAsked = neededBridge(kind) !== undefined;
    if (isAsked) bridge ??= requireZodBridge();
    const { schema } = prepareTool(tool, kind, isAsked ? bridge : undefined, name);
    const { description, annotations, _meta } = tool;
    const inputSchema = schema && instanceSchema(kind, schema);
    const config = omitUndefined({ description, inputSchema, annotations, _meta });
    const registered = server.registerTool(tool.name, config, bounded(tool) as AnySdkMcpToolDefinition['handler']);
    if (schema === undefined) registered.disable();
  }
  return server;
}

/** What `registerTool` is given: a zod schema as it is, any other in the shape of one. */
function instanceSchema(kind: SchemaKind, schema: PreparedSchema): unknown {
  switch (kind.kind) {
    case 'empty':
      return {};
    case 'shape':
      return kind.shape;
    case 'standard':
      return kind.zod === undefined ? toZodCore(schema) : kind.schema;
    default:
      return schema.validate && toZodCore(schema);
  }
}

/** The handler within the tool's own time limit; the MCP SDK has none for tools. */
function bounded(tool: AnySdkMcpToolDefinition): Handler {
  const handler = tool.handler as Handler;
  const { timeoutMs = 0 } = tool;
  if (timeoutMs === 0 || timeoutMs > MAX_TIMER_MS) return handler;
  return async (...args) => {
    // `extra` is the last argument, and the only one of a tool without a schema.
    const extra = args.at(-1) as { readonly signal: AbortSignal };
    const limit = new AbortController();
    const signal = AbortSignal.any([extra.signal, limit.signal]);
    return firstOf<unknown, unknown>(
      () => handler(...args.slice(0, -1), { ...extra, signal }),
      ({ resolve }) => {
        const timer = setTimeout(() => {
          resolve(errorResult(`Tool ${tool.name} timed out after ${timeoutMs} ms`));
          limit.abort(new DOMException('The tool timed out', 'TimeoutError'));
        }, timeoutMs).unref();
        return () => clearTimeout(timer);
      },
    );
  };
}

interface ZodPayload {
  value: unknown;
  issues: unknown[];
}

/**
 * A schema of another library, as the MCP SDK takes it: the part of a zod 4 schema that the zod core calls (`_zod.run`,
 * `_zod.toJSONSchema`, a definition of type `object`).
 * @see https://zod.dev/library-authors
 */
function toZodCore(schema: PreparedSchema): object {
  return {
    _zod: {
      def: { type: 'object', shape: {} },
      // A copy: the converter writes into what it gets.
      toJSONSchema: () => structuredClone(schema.inputSchema),
      run: async (payload: ZodPayload): Promise<ZodPayload> => {
        const args = isJsonObject(payload.value) ? payload.value : {};
        const outcome = await schema.validate?.(args);
        if (outcome === undefined) return payload;
        if (outcome.issues === undefined) payload.value = outcome.value;
        else payload.issues.push(...outcome.issues.map(toZodIssue));
        return payload;
      },
    },
  };
}

function toZodIssue(issue: StandardIssue): object {
  return { code: 'custom', path: keysOf(issue), message: issue.message };
}
