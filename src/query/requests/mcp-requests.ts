import type { McpServerConfig } from '../../mcp/mcp-server-config.js';
import type {
  McpServerStatus,
  McpSetServersResult,
  SDKControlMcpReadResourceResponse,
} from '../control-answers.js';
import type { QuerySession } from '../query-session.js';
import { ask, askFor, nothing, quiet, unusable } from './ask.js';
import { McpServerSet } from './mcp-server-set.js';

/** Requests about MCP servers. */
export class McpRequests {
  readonly #session: QuerySession;
  readonly #servers: McpServerSet;

  constructor(session: QuerySession) {
    this.#session = session;
    this.#servers = new McpServerSet(session);
  }

  setServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    return quiet(this.#servers.replace(servers));
  }

  status(): Promise<McpServerStatus[]> {
    return ask(this.#session, 'mcp_status', {}, (answer) => {
      const servers = answer?.mcpServers;
      if (!Array.isArray(servers)) throw unusable('mcp_status', 'mcpServers');
      return servers as McpServerStatus[];
    });
  }

  reconnect(serverName: string): Promise<void> {
    return ask(this.#session, 'mcp_reconnect', { serverName }, nothing);
  }

  toggle(serverName: string, enabled: boolean): Promise<void> {
    return ask(this.#session, 'mcp_toggle', { serverName, enabled }, nothing);
  }

  readResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse> {
    return askFor(this.#session, 'mcp_read_resource', { serverName, uri });
  }

  setPermissionModeOverride(
    serverName: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ warning?: string }> {
    return quiet(
      askFor(this.#session, 'set_mcp_permission_mode_override', { serverName, mode }).then(
        (answer) => answer ?? {},
      ),
    );
  }
}
