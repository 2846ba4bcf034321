import { isJsonObject, type JsonObject } from '../../../util/json.js';
import type { AgentCapabilities, InitEvent } from '../agent-event.js';
import { field, textField } from './fields.js';

/** What was asked for, in place of what the message leaves out. */
export interface Requested {
  readonly model: string | undefined;
  readonly cwd: string;
}

/** Each capability with the spellings it is known under. */
const CAPABILITIES = {
  permissionMode: ['permissionMode', 'permission_mode'],
  mcpServers: ['mcp_servers', 'mcpServers'],
  slashCommands: ['slash_commands', 'slashCommands'],
  agents: ['agents'],
  skills: ['skills'],
  cliVersion: ['claude_code_version', 'claudeCodeVersion'],
} as const satisfies Record<keyof AgentCapabilities, readonly string[]>;

/** Reads the first `system` message of a run. */
export function initPayload(message: JsonObject, requested: Requested): InitEvent['payload'] {
  const capabilities = Object.entries(CAPABILITIES)
    .map(([name, spellings]) => [name, field(message, ...spellings)] as const)
    .filter(([, value]) => value !== undefined);
  return {
    model: textField(message, 'model') ?? requested.model ?? 'unknown',
    cwd: textField(message, 'cwd') ?? requested.cwd,
    tools: toolNames(message.tools),
    ...(capabilities.length === 0 ? {} : { capabilities: Object.fromEntries(capabilities) }),
  };
}

function toolNames(tools: unknown): readonly string[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const name = isJsonObject(tool) ? tool.name : tool;
    return typeof name === 'string' ? [name] : [];
  });
}
