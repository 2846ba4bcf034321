import type { McpEndpointFactory } from '../control/mcp-endpoint.js';
import { requireOption } from '../errors/usage-errors.js';
import { ControlRequestTimeoutError } from '../errors.js';
import { createMcpEndpointFactory } from '../mcp/endpoint-factory.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { JsonObject } from '../util/json.js';
import { object, recordOf } from '../util/validate.js';
import type { McpSetServersResult } from './control-answers.js';
import { sdkMcpServerConfigs, splitMcpServers } from './launch/mcp-servers.js';
import type { QuerySession } from './query-session.js';

interface WantedServers {
  /** As the CLI gets them: external ones as given, then in-process ones by name (TS-149). */
  readonly wire: JsonObject;
  readonly inProcess: ReadonlyMap<string, McpEndpointFactory>;
}

/** The MCP servers of a running session: the CLI's idea of them and ours change together. */
export class McpServerSet {
  readonly #session: QuerySession;
  /** The change under way. Each starts from what the one before has left. */
  #current: Promise<void> | undefined;

  constructor(session: QuerySession) {
    this.#session = session;
  }

  /**
   * Makes these the servers of the session. In-process ones answer from the call on, since the CLI asks them before it
   * answers; ones that are not in the record go when it has answered, and stay when it refused.
   * @throws InvalidOptionError a server that the `mcpServers` option would refuse; as a rejection.
   */
  async replace(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult> {
    const wanted = wantedServers(servers);
    const change = this.#current === undefined ? this.#change(wanted) : this.#current.then(() => this.#change(wanted));
    const current = change.then(
      () => {},
      () => {},
    );
    this.#current = current;
    try {
      return await change;
    } finally {
      if (this.#current === current) this.#current = undefined;
    }
  }

  async #change({ wire, inProcess }: WantedServers): Promise<McpSetServersResult> {
    const { controller } = this.#session;
    const former = new Map(controller.mcpServers);
    for (const [name, factory] of inProcess) {
      if (former.get(name) !== factory) controller.setMcpServer(name, factory);
    }
    try {
      const answer = await this.#session.request('mcp_set_servers', { servers: wire });
      this.#removeAllBut(inProcess);
      // The CLI's wire contract makes the type true.
      return answer as McpSetServersResult;
    } catch (error) {
      // Without an answer the CLI may have either set: all of them stay.
      if (!(error instanceof ControlRequestTimeoutError)) this.#restore(former);
      throw error;
    }
  }

  #restore(former: ReadonlyMap<string, McpEndpointFactory>): void {
    const { controller } = this.#session;
    this.#removeAllBut(former);
    for (const [name, factory] of former) {
      if (controller.mcpServers.get(name) !== factory) controller.setMcpServer(name, factory);
    }
  }

  #removeAllBut(kept: ReadonlyMap<string, unknown>): void {
    const { controller } = this.#session;
    for (const name of [...controller.mcpServers.keys()]) {
      // Not awaited: how long a server takes to close is the user's affair.
      if (!kept.has(name)) void controller.removeMcpServer(name);
    }
  }
}

function wantedServers(servers: Record<string, McpServerConfig>): WantedServers {
  requireOption(recordOf(object), servers, 'mcpServers');
  const { external = {}, inProcess } = splitMcpServers(servers);
  const policies = sdkMcpServerConfigs(inProcess) ?? {};
  const own = [...inProcess.keys()].map((name): [string, JsonObject] => {
    const policy = Object.hasOwn(policies, name) ? (policies[name] as JsonObject) : {};
    return [name, { type: 'sdk', name, ...policy }];
  });
  return {
    wire: Object.fromEntries([...Object.entries(external), ...own]),
    inProcess: new Map([...inProcess].map(([name, config]) => [name, createMcpEndpointFactory(config)])),
  };
}
