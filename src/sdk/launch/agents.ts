import { isSdkServerConfig } from '../../mcp/mcp-server-config.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Options } from '../options.js';
import { toWireJson } from './wire-json.js';

/** The `agents` option as the CLI will read it. */
export interface AgentsPlan {
  readonly wire: JsonObject | undefined;
  /** True when an agent names an in-process server: the CLI gets only its name. */
  readonly hasInProcessServer: boolean;
}

export function planAgents(agents: Options['agents']): AgentsPlan {
  if (agents === undefined) return { wire: undefined, hasInProcessServer: false };
  let hasInProcessServer = false;

  const reduceServer = ([name, config]: [string, unknown]): [string, unknown] => {
    if (!isSdkServerConfig(config)) return [name, config];
    hasInProcessServer = true;
    return [name, { type: 'sdk', name: config.name }];
  };
  const reduceSpec = (spec: unknown): unknown =>
    isJsonObject(spec) ? Object.fromEntries(Object.entries(spec).map(reduceServer)) : spec;

  const reduced = Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [
      name,
      Array.isArray(agent.mcpServers)
        ? { ...agent, mcpServers: agent.mcpServers.map(reduceSpec) }
        : agent,
    ]),
  );
  return { wire: toWireJson<JsonObject>(reduced, 'agents'), hasInProcessServer };
}
