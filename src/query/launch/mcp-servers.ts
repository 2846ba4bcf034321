import { InvalidOptionError } from '../../errors.js';
import { isCallTimeout, isSdkServerConfig, type McpSdkServerConfigWithInstance } from '../../mcp/mcp-server-config.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { memberPath } from '../../util/member-path.js';
import type { Options } from '../options.js';
import type { ConfigArgument } from './launch-plan.js';
import { toWireJson } from './wire-json.js';

/** The `mcpServers` option, taken apart by where the servers run. */
interface McpServersByPlace {
  /** As the CLI will read them. `undefined`: none. */
  readonly external: JsonObject | undefined;
  /** By the record's key, which is the name on the wire. */
  readonly inProcess: ReadonlyMap<string, McpSdkServerConfigWithInstance>;
}

/** Without the `mcpServers` option. */
export const NO_SERVERS: McpServersByPlace = { external: undefined, inProcess: new Map() };

/**
 * @throws InvalidOptionError a `type: 'sdk'` server without an instance: the CLI would ask a server that cannot answer.
 */
export function splitMcpServers(servers: NonNullable<Options['mcpServers']>): McpServersByPlace {
  const external: [string, unknown][] = [];
  const inProcess = new Map<string, McpSdkServerConfigWithInstance>();
  for (const [name, config] of Object.entries(servers)) {
    const path = memberPath('mcpServers', name);
    if (config.type !== 'sdk') {
      external.push([name, toWireJson(config, path)]);
    } else if (isSdkServerConfig(config)) {
      inProcess.set(name, config);
    } else {
      throw new InvalidOptionError(
        `${path}.instance`,
        `Option \`${path}.instance\` must be an MCP server, since the type is 'sdk'.`,
        { hint: 'Make in-process servers with `createSdkMcpServer()`.' },
      );
    }
  }
  return { external: external.length === 0 ? undefined : Object.fromEntries(external), inProcess };
}

/** The value of `--mcp-config`. */
export function mcpConfigArgument(servers: JsonObject, mayUseFile: boolean): ConfigArgument {
  return {
    text: JSON.stringify({ mcpServers: servers }),
    isPrivate: mayUseFile && Object.values(servers).some(mayHoldSecrets),
    fileName: 'mcp-config.json',
  };
}

/** The policies of in-process servers: `{ key: { timeout?, tools? } }`. `undefined` when none has one. */
export function sdkMcpServerConfigs(
  servers: ReadonlyMap<string, McpSdkServerConfigWithInstance>,
): JsonObject | undefined {
  const entries: [string, JsonObject][] = [];
  for (const [name, { timeout: given, tools }] of servers) {
    const timeout = isCallTimeout(given) ? given : undefined;
    if (timeout === undefined && tools === undefined) continue;
    entries.push([name, toWireJson({ timeout, tools }, memberPath('mcpServers', name))]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Whether an in-process server has a tool whose policy is other than to allow. */
export function hasToolPolicies(server: unknown): boolean {
  if (!isJsonObject(server) || server.type !== 'sdk' || !Array.isArray(server.tools)) return false;
  return server.tools.some(
    (tool) => isJsonObject(tool) && ['always_ask', 'always_deny'].includes(String(tool.permission_policy)),
  );
}

/** Fields that hold no secret. A newer CLI's fields may: they are private until they are known. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(['type', 'command', 'args', 'url', 'timeout', 'tools', 'alwaysLoad']);

/** Environments, headers, OAuth clients, tokens; and a URL with a user name, a query or a fragment, where many servers take their key. */
function mayHoldSecrets(config: unknown): boolean {
  if (!isJsonObject(config)) return false;
  const { url } = config;
  return (
    Object.entries(config).some(([field, value]) => !PLAIN_FIELDS.has(field) && isFilled(value)) ||
    (typeof url === 'string' && /[?@#]/.test(url))
  );
}

/** Anything but nothing and an empty object: entries of unknown shape pass to the CLI as they are. */
export function isFilled(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}

/** The `agents` option as the CLI will read it. */
interface AgentsPlan {
  readonly wire: JsonObject | undefined;
  /** In-process servers in the definition of an agent: the CLI gets only their names. */
  readonly inProcessServers: readonly AgentServer[];
}

export interface AgentServer {
  readonly agent: string;
  /** Its key in the agent's `mcpServers`. */
  readonly server: string;
}

/** Without the `agents` option. */
export const NO_AGENTS: AgentsPlan = { wire: undefined, inProcessServers: Object.freeze([]) };

export function planAgents(agents: NonNullable<Options['agents']>): AgentsPlan {
  const inProcessServers: AgentServer[] = [];

  const reduceSpec = (agent: string, spec: unknown): unknown => {
    if (!isJsonObject(spec)) return spec;
    const servers = Object.entries(spec).map(([server, config]): [string, unknown] => {
      if (!isSdkServerConfig(config)) return [server, config];
      inProcessServers.push({ agent, server });
      return [server, { type: 'sdk', name: config.name }];
    });
    return Object.fromEntries(servers);
  };

  const reduced = Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      Array.isArray(agent.mcpServers)
        ? { ...agent, mcpServers: agent.mcpServers.map((spec) => reduceSpec(name, spec)) }
        : agent,
    ]),
  );
  return { wire: toWireJson<JsonObject>(reduced, 'agents'), inProcessServers };
}
