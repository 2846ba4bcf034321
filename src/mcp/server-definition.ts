import { errorText } from '../util/error-text.js';
import { type JsonObject, omitUndefined } from '../util/json.js';
import { warnOnce } from '../util/warn-once.js';
import { classifySchema, loadZodBridge, type SchemaKind, type ZodBridge } from './input-schema.js';
import { neededBridge, type PreparedSchema, prepareSchema } from './prepare-schema.js';
import type { SdkMcpServerInstance } from './server-instance.js';
import type { AnySdkMcpToolDefinition } from './tool.js';

/**
 * What `createSdkMcpServer` made: the table that answers, and the MCP SDK instance that takes over for good once it was
 * read. From that moment more may be registered on it than the table knows.
 */
export class ServerDefinition {
  readonly info: ServerInfo;
  /** Set as soon as the schemas of all tools are converted, so that a call need not wait a tick. */
  readyTools: ReadonlyMap<string, PreparedTool> | undefined;
  readonly #build: (definition: ServerDefinition) => SdkMcpServerInstance;
  readonly #watchers = new Set<(instance: SdkMcpServerInstance) => void>();
  #instance: SdkMcpServerInstance | undefined;
  #loading: Promise<ReadonlyMap<string, PreparedTool>> | undefined;
  #listing: JsonObject | undefined;

  constructor(info: ServerInfo, build: (definition: ServerDefinition) => SdkMcpServerInstance) {
    this.info = info;
    this.#build = build;
  }

  /** The instance, once it was read. */
  get existingInstance(): SdkMcpServerInstance | undefined {
    return this.#instance;
  }

  /** Builds the instance at the first call and tells the running queries. */
  readInstance(): SdkMcpServerInstance {
    if (this.#instance === undefined) {
      this.#instance = this.#build(this);
      for (const watcher of this.#watchers) watcher(this.#instance);
      this.#watchers.clear();
    }
    return this.#instance;
  }

  /** Calls back at most once, when the instance is built. Returns what ends the watch. */
  watchInstance(watcher: (instance: SdkMcpServerInstance) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The tools by name, their schemas converted at the first need, once for all queries. */
  loadTools(): Promise<ReadonlyMap<string, PreparedTool>> {
    this.#loading ??= this.#prepareAll();
    return this.#loading;
  }

  /** The result of `tools/list`: the tools in the order they were given. */
  async listing(): Promise<JsonObject> {
    if (this.#listing === undefined) {
      const tools = [...(await this.loadTools()).values()];
      this.#listing = { tools: tools.flatMap(toListing) };
      for (const { schema } of tools) schema?.preload?.();
    }
    return this.#listing;
  }

  async #prepareAll(): Promise<ReadonlyMap<string, PreparedTool>> {
    const tools = new Map<string, PreparedTool>();
    for (const definition of this.info.tools ?? []) {
      const kind = classifySchema(definition.inputSchema);
      const zod = schemas.has(definition) ? undefined : neededBridge(kind);
      const bridge = zod && (await loadZodBridge(zod).catch(asFailure));
      tools.set(definition.name, prepareTool(definition, kind, bridge, this.info.name));
    }
    this.readyTools = tools;
    return tools;
  }
}

const definitions = new WeakMap<object, ServerDefinition>();

export function rememberDefinition(config: object, definition: ServerDefinition): void {
  definitions.set(config, definition);
}

/** The definition behind a configuration whose `instance` is still ours, `undefined` for one with a foreign instance. */
export function definitionOf(config: object): ServerDefinition | undefined {
  const instance = Object.getOwnPropertyDescriptor(config, 'instance');
  return instance?.get === undefined ? undefined : definitions.get(config);
}

/** A tool that is ready to be listed and called. */
export interface PreparedTool {
  readonly definition: AnySdkMcpToolDefinition;
  /** `undefined`: the schema has no JSON form, so the tool is neither listed nor called. */
  readonly schema: PreparedSchema | undefined;
}

/** Schemas by the tool that has them: a tool in several servers is converted, and complained about, once. */
const schemas = new WeakMap<AnySdkMcpToolDefinition, PreparedSchema | undefined>();

/** Synchronous. Warns when the tool has to be left out. */
export function prepareTool(
  definition: AnySdkMcpToolDefinition,
  kind: SchemaKind,
  bridge: ZodBridge | Error | undefined,
  serverName: string,
): PreparedTool {
  if (!schemas.has(definition)) {
    try {
      if (bridge instanceof Error) throw bridge;
      schemas.set(definition, prepareSchema(kind, bridge));
    } catch (error) {
      schemas.set(definition, undefined);
      warnUnconvertible(definition.name, kind, serverName, error);
    }
  }
  return { definition, schema: schemas.get(definition) };
}

function toListing({ definition, schema }: PreparedTool): JsonObject[] {
  if (schema === undefined) return [];
  const { name, description, annotations, _meta } = definition;
  const execution = { taskSupport: 'forbidden' };
  return [omitUndefined({ name, description, inputSchema: schema.inputSchema, annotations, execution, _meta })];
}

function warnUnconvertible(name: string, kind: SchemaKind, serverName: string, error: unknown): void {
  const madeBy = 'zod' in kind && kind.zod !== undefined ? ` (a zod ${kind.zod} schema)` : '';
  warnOnce({
    code: 'CLAUDE_SDK_MCP_TOOL_SCHEMA_UNCONVERTIBLE',
    message:
      `Tool "${name}" of MCP server "${serverName}" is left out: its input schema${madeBy} ` +
      `cannot be expressed as JSON Schema: ${errorText(error)}`,
  });
}

function asFailure(error: unknown): Error {
  return error instanceof Error ? error : new Error(errorText(error));
}

/** What `createSdkMcpServer` was told. */
interface ServerInfo {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | undefined;
  /** `undefined`: the server has no tools capability. */
  readonly tools: readonly AnySdkMcpToolDefinition[] | undefined;
}
