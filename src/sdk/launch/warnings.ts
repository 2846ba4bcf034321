import type { Warning } from '../../util/warn-once.js';
import type { GivenOptions } from './validate-options.js';

/** Things that are allowed and probably not meant. The executor emits them as process warnings, each once. */
export function planWarnings(
  options: GivenOptions,
  facts: {
    /** External MCP servers stand on the command line as text; in a private file nobody sees them. */
    readonly hasServersOnArgv: boolean;
    readonly agentHasInProcessServer: boolean;
  },
): readonly Warning[] {
  const warnings: Warning[] = [];
  if (options.canUseTool !== undefined) warnings.push(...shadowedPermissions(options));
  const hasOwnExecutable =
    Boolean(options.pathToClaudeCodeExecutable) || options.spawnClaudeCodeProcess !== undefined;
  if (
    facts.hasServersOnArgv &&
    hasOwnExecutable &&
    options.mcpServersDelivery === undefined &&
    options.transport === undefined
  ) {
    warnings.push({
      code: 'CLAUDE_SDK_MCP_SERVERS_ARGV_DEPRECATED',
      type: 'DeprecationWarning',
      message:
        "mcpServers go to your own Claude Code executable on its command line. Set mcpServersDelivery to 'initialize' (newer CLIs) or 'argv' to choose.",
    });
  }
  if (facts.agentHasInProcessServer) warnings.push(AGENT_IN_PROCESS_SERVER);
  return warnings;
}

/** For `agents` that `planAgents` found such a server in. */
export const AGENT_IN_PROCESS_SERVER: Warning = {
  code: 'CLAUDE_SDK_AGENT_IN_PROCESS_SERVER',
  type: 'Warning',
  message:
    'An agent names an in-process MCP server, of which Claude Code gets only the name. Put the server into the mcpServers option and its name into the agent.',
};

function shadowedPermissions({ allowedTools, permissionMode }: GivenOptions): Warning[] {
  const shadowed = (message: string): Warning => ({
    code: 'CLAUDE_SDK_CAN_USE_TOOL_SHADOWED',
    type: 'Warning',
    message,
  });
  if (permissionMode === 'bypassPermissions') {
    return [shadowed("canUseTool is not asked while permissionMode is 'bypassPermissions'.")];
  }
  // `Bash(git *)` allows a part of a tool: canUseTool is still asked about the rest.
  const bare = [...new Set(allowedTools)].filter(
    (rule) => rule.trim() !== '' && !rule.includes('('),
  );
  if (bare.length === 0) return [];
  return [
    shadowed(`canUseTool is not asked about tools that allowedTools allows: ${bare.join(', ')}.`),
  ];
}
