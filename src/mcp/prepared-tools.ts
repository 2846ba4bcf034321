import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';
import { warnOnce } from '../util/warn-once.js';
import { classifySchema, type SchemaKind } from './input-schema.js';
import { neededBridge, type PreparedSchema, prepareSchema } from './prepare-schema.js';
import type { ServerInfo } from './server-info.js';
import type { AnySdkMcpToolDefinition } from './tool.js';
import { loadZodBridge, type ZodBridge } from './zod-bridge.js';

/** A tool that is ready to be listed and called. */
export interface PreparedTool {
  readonly definition: AnySdkMcpToolDefinition;
  /** `undefined`: the schema has no JSON form, so the tool is neither listed nor called. */
  readonly schema: PreparedSchema | undefined;
}

/** Schemas by the tool that has them: a tool in several servers is converted, and complained about, once. */
const schemas = new WeakMap<AnySdkMcpToolDefinition, PreparedSchema | undefined>();

/** The tools of one server with their schemas converted at the first need, once for all its queries. */
export class PreparedTools {
  readonly #info: ServerInfo;
  #loading: Promise<ReadonlyMap<string, PreparedTool>> | undefined;
  /** Set as soon as all tools are ready, so that a call need not wait a tick. */
  ready: ReadonlyMap<string, PreparedTool> | undefined;
  #listing: JsonObject | undefined;

  constructor(info: ServerInfo) {
    this.#info = info;
  }

  load(): Promise<ReadonlyMap<string, PreparedTool>> {
    this.#loading ??= this.#prepareAll();
    return this.#loading;
  }

  /** The result of `tools/list`: the tools in the order they were given. */
  async listing(): Promise<JsonObject> {
    this.#listing ??= { tools: [...(await this.load()).values()].flatMap(toListing) };
    return this.#listing;
  }

  async #prepareAll(): Promise<ReadonlyMap<string, PreparedTool>> {
    const tools = new Map<string, PreparedTool>();
    for (const definition of this.#info.tools ?? []) {
      const kind = classifySchema(definition.inputSchema);
      const zod = schemas.has(definition) ? undefined : neededBridge(kind);
      const bridge = zod === undefined ? undefined : await loadZodBridge(zod).catch(asFailure);
      tools.set(definition.name, prepareTool(definition, kind, bridge, this.#info.name));
    }
    this.ready = tools;
    return tools;
  }
}

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
      warnUnconvertible(definition, kind, serverName, error);
    }
  }
  return { definition, schema: schemas.get(definition) };
}

function toListing({ definition, schema }: PreparedTool): JsonObject[] {
  if (schema === undefined) return [];
  const { name, description, annotations, _meta } = definition;
  return [
    {
      name,
      description,
      inputSchema: schema.inputSchema,
      ...(annotations === undefined ? {} : { annotations }),
      execution: { taskSupport: 'forbidden' },
      ...(_meta === undefined ? {} : { _meta }),
    },
  ];
}

function warnUnconvertible(
  definition: AnySdkMcpToolDefinition,
  kind: SchemaKind,
  serverName: string,
  error: unknown,
): void {
  const madeBy = 'zod' in kind && kind.zod !== undefined ? ` (a zod ${kind.zod} schema)` : '';
  warnOnce({
    code: 'CLAUDE_SDK_MCP_TOOL_SCHEMA_UNCONVERTIBLE',
    message:
      `Tool "${definition.name}" of MCP server "${serverName}" is left out: its input schema${madeBy} ` +
      `cannot be expressed as JSON Schema: ${errorText(error)}`,
  });
}

function asFailure(error: unknown): Error {
  return error instanceof Error ? error : new Error(errorText(error));
}
