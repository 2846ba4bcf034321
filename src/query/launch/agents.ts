import { isSdkServerConfig } from '../../mcp/mcp-server-config.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Options } from '../options.js';
import { toWireJson } from './wire-json.js';

/** The `agents` option as the CLI will read it. */
export interface AgentsPlan {
  readonly wire: JsonObject | undefined;
  /** In-process servers that stand in an agent: the CLI gets only their names. */
  readonly inProcessServers: readonly AgentServer[];
}

export interface AgentServer {
  readonly agent: string;
  /** Its key in the agent's `mcpServers`. */
  readonly server: string;
}

export function planAgents(agents: Options['agents']): AgentsPlan {
  if (agents === undefined) return { wire: undefined, inProcessServers: [] };
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
