import { invalidOption } from '../errors/usage-errors.js';
import { InvalidOptionError } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject } from '../util/json.js';
import { buildInstance } from './build-instance.js';
import type { McpSdkServerConfigWithInstance, SdkMcpServerInstance } from './mcp-server-config.js';
import { rememberDefinition, ServerDefinition } from './server-definition.js';
import { type AnySdkMcpToolDefinition, assertTool } from './tool.js';

export type CreateSdkMcpServerOptions = {
  /** For people. The CLI knows the server by its key in `mcpServers`. */
  readonly name: string;
  /** @defaultValue '1.0.0' */
  readonly version?: string;
  /** Told to the model with the list of tools. */
  readonly instructions?: string;
  /** Absent: a server without the tools capability. */
  readonly tools?: readonly AnySdkMcpToolDefinition[];
  /** Sets `_meta["anthropic/alwaysLoad"]` on every tool. @defaultValue false */
  readonly alwaysLoad?: boolean;
  /** Milliseconds the CLI waits for one call. @defaultValue the CLI's `MCP_TOOL_TIMEOUT` */
  readonly timeout?: number;
};

/** What {@link createSdkMcpServer} returns. */
export type SdkMcpServer = McpSdkServerConfigWithInstance & {
  /** An `McpServer` of the MCP SDK. Built, and the MCP SDK loaded, when first read. */
  instance: SdkMcpServerInstance;
};

/**
 * Makes an MCP server that runs in this process, for the `mcpServers` option. One server can be used by any number of
 * queries at the same time, under any number of keys.
 *
 * Until `instance` is read, calls go straight to the handlers. Reading it (which a spread of the object does too)
 * builds an `McpServer` from the same tools, and from then on that server answers, in running queries as well: whatever
 * is registered on it counts. Running calls end where they began.
 * @throws {@link InvalidOptionError} two tools of one name, or a tool that cannot be used.
 */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): SdkMcpServer {
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
  const config: SdkMcpServer = {
    type: 'sdk',
    name,
    get instance() {
      return definition.readInstance();
    },
    set instance(replacement) {
      // From here on it is the caller's server: a plain property, as with the official SDK.
      Object.defineProperty(config, 'instance', { value: replacement, writable: true });
    },
    ...(timeout === undefined ? {} : { timeout }),
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
