import type { Callbacks } from '../../control/controller-options.js';
import type { McpEndpointFactory } from '../../control/mcp-endpoint.js';
import { InvalidOptionError } from '../../errors.js';
import type { McpSdkServerConfigWithInstance } from '../../mcp/mcp-server-config.js';
import { memberPath } from '../../util/member-path.js';
import type { HooksPlan } from './hooks.js';
import type { LaunchHost } from './launch-host.js';
import type { GivenOptions } from './validate-options.js';

type FactoryMaker = LaunchHost['createMcpEndpointFactory'];

/** What the CLI may call in the host program. */
export function collectCallbacks(
  options: GivenOptions,
  hooks: HooksPlan,
  inProcess: ReadonlyMap<string, McpSdkServerConfigWithInstance>,
  createFactory: FactoryMaker,
): Callbacks {
  const { canUseTool, onElicitation, onUserDialog, unhandledElicitation } = options;
  const asked = {
    ...(canUseTool === undefined ? {} : { canUseTool }),
    ...(onElicitation === undefined ? {} : { onElicitation }),
    ...(onUserDialog === undefined ? {} : { onUserDialog }),
  };
  const hasHookEvents = options.hooks !== undefined && Object.keys(options.hooks).length > 0;
  return {
    ...asked,
    hooks: hooks.registered,
    mcpServers: new Map(
      [...inProcess].map(([name, config]) => [name, makeFactory(name, config, createFactory)]),
    ),
    onHookError: options.onHookError ?? 'report',
    ...(unhandledElicitation === undefined ? {} : { unhandledElicitation }),
    needStdin: Object.keys(asked).length > 0 || hasHookEvents || inProcess.size > 0,
  };
}

function makeFactory(
  name: string,
  config: McpSdkServerConfigWithInstance,
  createFactory: FactoryMaker,
): McpEndpointFactory {
  try {
    return createFactory(config);
  } catch (cause) {
    if (cause instanceof InvalidOptionError) throw cause;
    const path = memberPath('mcpServers', name);
    throw new InvalidOptionError(path, `Option \`${path}\` is not a usable MCP server.`, { cause });
  }
}
