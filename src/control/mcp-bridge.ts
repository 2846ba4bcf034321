import type { DiagnosticListener } from '../diagnostics.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { firstOf } from '../util/race.js';
import { serverMessageFrame } from './envelope.js';
import {
  failure,
  type InboundContext,
  type InboundHandler,
  type InboundOutcome,
  reportThrow,
  SILENT,
  success,
} from './inbound-handler.js';
import type { McpEndpoint, McpEndpointFactory, McpServerManifest } from './mcp-endpoint.js';

/** How long `initialize` waits for the servers' manifests. A slower server is listed by the CLI itself. */
const MANIFEST_WAIT_MS = 250;
/** Counted in ticks: time in which this process could not run is not the servers'. */
const MANIFEST_TICK_MS = 25;

/** Acknowledges notifications and responses of the CLI, which ignores the content. */
const ACKNOWLEDGED = { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } } as const;

/** Routes `mcp_message` to in-process servers by name, and the servers' own messages to the CLI. */
export class McpBridge implements InboundHandler {
  readonly #endpoints = new Map<string, McpEndpoint>();
  /** What each endpoint was made by. */
  readonly #factories = new Map<string, McpEndpointFactory>();
  /** Our own `mcp_message` requests: the answers to them carry nothing. */
  readonly #sent = new Set<string>();
  readonly #write: (frame: object) => void;
  readonly #onDiagnostic: DiagnosticListener;

  /** @param write - Throws when the frame cannot be written. */
  constructor(write: (frame: object) => void, onDiagnostic: DiagnosticListener) {
    this.#write = write;
    this.#onDiagnostic = onDiagnostic;
  }

  /** The servers there are, by name. */
  get servers(): ReadonlyMap<string, McpEndpointFactory> {
    return this.#factories;
  }

  /**
   * Adds a server, or replaces the one of that name. A factory that throws is reported; the name then answers "not
   * found".
   */
  set(name: string, factory: McpEndpointFactory): void {
    const previous = this.#take(name);
    if (previous !== undefined) void this.#closeEndpoint(name, previous);
    try {
      let endpoint: McpEndpoint | undefined;
      endpoint = factory({
        sendToPeer: (message) => {
          // While the factory runs there is no endpoint to compare with.
          if (endpoint !== undefined && this.#endpoints.get(name) !== endpoint) {
            this.#reportProblem(name, 'a message of a server that was removed was not sent');
          } else {
            this.#sendToPeer(name, message);
          }
        },
        onToolThrew: (tool, error) => {
          const what = `The tool ${tool} of in-process MCP server ${name}`;
          reportThrow(this.#onDiagnostic, what, error, { server: name, tool });
        },
        onToolResultInvalid: (tool, problem) => {
          const message = `The result of tool ${tool} of in-process MCP server ${name} is invalid: ${problem}`;
          this.#onDiagnostic({ code: 'callback_result_invalid', message, details: { server: name, tool } });
        },
      });
      this.#endpoints.set(name, endpoint);
      this.#factories.set(name, factory);
    } catch (thrown) {
      this.#reportProblem(name, errorText(thrown));
    }
  }

  /** Resolves when the server let go of this query. Unknown names resolve at once. */
  async remove(name: string): Promise<void> {
    const endpoint = this.#take(name);
    if (endpoint !== undefined) await this.#closeEndpoint(name, endpoint);
  }

  /** Ends this query's use of all servers. */
  close(): void {
    const endpoints = [...this.#endpoints];
    this.#endpoints.clear();
    this.#factories.clear();
    this.#sent.clear();
    for (const [name, endpoint] of endpoints) void this.#closeEndpoint(name, endpoint);
  }

  /** The manifests that are ready within {@link MANIFEST_WAIT_MS}, by server name. Never rejects. */
  async manifests(): Promise<Record<string, McpServerManifest>> {
    const ready = new Map<string, McpServerManifest>();
    const collect = async ([name, endpoint]: [string, McpEndpoint]): Promise<void> => {
      try {
        const manifest = await endpoint.manifest();
        if (manifest !== undefined) ready.set(name, manifest);
      } catch (thrown) {
        this.#reportProblem(name, `no manifest: ${errorText(thrown)}`);
      }
    };
    await firstOf<unknown, void>(
      () => Promise.all([...this.#endpoints].map(collect)),
      ({ resolve }) => {
        let ticks = MANIFEST_WAIT_MS / MANIFEST_TICK_MS;
        const timer = setInterval(() => {
          ticks -= 1;
          if (ticks === 0) resolve();
        }, MANIFEST_TICK_MS).unref();
        return () => clearInterval(timer);
      },
    );
    // A copy: a late manifest must not change a payload that may not be written yet. In the order of the servers.
    const names = [...this.#endpoints.keys()];
    return Object.fromEntries(
      names.flatMap((name) => {
        const manifest = ready.get(name);
        return manifest === undefined ? [] : [[name, manifest]];
      }),
    );
  }

  /** True for an answer to a server's own message. It is empty: the CLI sends its JSON-RPC reply as a request. */
  ownsAnswer(requestId: string): boolean {
    return this.#sent.delete(requestId);
  }

  handle(request: JsonObject, context: InboundContext): InboundOutcome | Promise<InboundOutcome> {
    const { server_name: name, message } = request;
    if (typeof name !== 'string' || name === '' || !isJsonObject(message)) {
      return failure('Missing server_name or message for MCP request');
    }
    const endpoint = this.#endpoints.get(name);
    if (endpoint === undefined) return notFound(name);
    if (!expectsResponse(message)) {
      endpoint.receive(message, context).catch((thrown: unknown) => {
        this.#reportProblem(name, errorText(thrown));
      });
      return success(ACKNOWLEDGED);
    }
    return endpoint.receive(message, context).then((response) => {
      if (response !== undefined) return success({ mcp_response: response });
      // Removed while the call ran: the CLI still waits for an answer. A call that the CLI cancelled gets none.
      return this.#endpoints.get(name) === endpoint ? SILENT : notFound(name);
    });
  }

  #take(name: string): McpEndpoint | undefined {
    const endpoint = this.#endpoints.get(name);
    this.#endpoints.delete(name);
    this.#factories.delete(name);
    return endpoint;
  }

  #sendToPeer(name: string, message: JsonObject): void {
    // The global: `node:crypto` would load with the package.
    const requestId = crypto.randomUUID();
    this.#sent.add(requestId);
    try {
      this.#write(serverMessageFrame(requestId, name, message));
    } catch (thrown) {
      this.#sent.delete(requestId);
      this.#reportProblem(name, `its message was not sent: ${errorText(thrown)}`);
    }
  }

  async #closeEndpoint(name: string, endpoint: McpEndpoint): Promise<void> {
    try {
      await endpoint.close();
    } catch (thrown) {
      this.#reportProblem(name, `it did not close: ${errorText(thrown)}`);
    }
  }

  #reportProblem(server: string, what: string): void {
    this.#onDiagnostic({
      code: 'mcp_server_problem',
      message: `In-process MCP server ${server}: ${what}`,
      details: { server },
    });
  }
}

function notFound(name: string): InboundOutcome {
  return failure(`SDK MCP server not found: ${name}`);
}

/** A JSON-RPC request, as opposed to a notification (no id, or null) or a response (no method). */
function expectsResponse(message: JsonObject): boolean {
  return typeof message.method === 'string' && message.id !== undefined && message.id !== null;
}
