import type { Warning } from '../../util/warn-once.js';
import type { AgentServer } from './mcp-servers.js';
import type { GivenOptions } from './validate-options.js';

/** Things that are allowed and probably not meant. The executor emits them as process warnings, each once. */
export function planWarnings(
  options: GivenOptions,
  facts: {
    /** External MCP servers are on the command line as text, not in a private file. */
    readonly hasServersOnArgv: boolean;
    readonly agentServers: readonly AgentServer[];
  },
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (options.canUseTool !== undefined) warnings.push(...shadowedPermissions(options));
  if (facts.hasServersOnArgv) warnings.push(...serversOnArgv(options));
  for (const server of facts.agentServers) warnings.push(agentInProcessServer(server));
  return warnings;
}

function serversOnArgv(options: GivenOptions): Warning[] {
  const hasOwnExecutable = Boolean(options.pathToClaudeCodeExecutable) || options.spawnClaudeCodeProcess !== undefined;
  if (!hasOwnExecutable || options.mcpServersDelivery !== undefined || options.transport !== undefined) return [];
  const message =
    "mcpServers go to your own Claude Code executable on its command line. Set mcpServersDelivery to 'initialize' (newer CLIs) or 'argv' to choose.";
  return [{ code: 'CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED', type: 'DeprecationWarning', message }];
}

/** For the answer to `initialize` of a CLI that did not take the servers. */
export const MCP_SERVERS_NOT_APPLIED: Warning = {
  code: 'CLAUDE_SDK_MCP_SERVERS_NOT_APPLIED',
  type: 'Warning',
  message:
    'Claude Code did not start the servers of `mcpServers` that `initialize` carried, so their tools are missing. Check that nothing between the SDK and Claude Code drops the flag --await-initialize, or set `mcpServersDelivery` to "argv".',
};

/** For `agents` that `planAgents` found such a server in. */
export function agentInProcessServer({ agent, server }: AgentServer): Warning {
  return {
    code: 'CLAUDE_SDK_AGENT_IN_PROCESS_SERVER',
    type: 'Warning',
    message: `The agent "${agent}" has the in-process MCP server "${server}" in its mcpServers, and Claude Code gets only its name. Put the server into the mcpServers option, and "${server}" into the agent.`,
  };
}

function shadowedPermissions({ allowedTools, permissionMode, mcpServers = {} }: GivenOptions): Warning[] {
  const isBypassed = permissionMode === 'bypassPermissions';
  // The program's own tools are allowed on purpose. These are the CLI's names for them.
  const inProcess = Object.keys(mcpServers).filter((name) => mcpServers[name]?.type === 'sdk');
  const own = inProcess.map((name) => `mcp__${name.replace(/[^\w-]/g, '_')}__`);
  // `Bash(git *)` allows a part of a tool: canUseTool is still asked about the rest.
  const bare = [...new Set(allowedTools)].filter(
    (rule) => rule.trim() !== '' && !rule.includes('(') && !own.some((server) => `${rule}__`.startsWith(server)),
  );
  const message = isBypassed
    ? "canUseTool is not asked while permissionMode is 'bypassPermissions'."
    : `canUseTool is not asked about tools that allowedTools allows: ${bare.join(', ')}.`;
  return isBypassed || bare.length > 0 ? [{ code: 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED', type: 'Warning', message }] : [];
}
