import type { McpCarrier, McpEndpoint, McpEndpointHost, McpServerManifest } from '../control/mcp-endpoint.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { MAX_TIMER_MS } from '../util/timer-limit.js';
import { checkCallToolResult, errorResult } from './call-tool-result.js';
import {
  badParamsResponse,
  cancelledId,
  codeOf,
  duplicateResponse,
  errorResponse,
  errorResponseFrom,
  McpError,
  PROTOCOL_VERSIONS,
  RpcCode,
  resultResponse,
  rpcKind,
} from './json-rpc.js';
import type { PreparedTool, ServerDefinition } from './server-definition.js';
import type { StandardIssue } from './standard-schema.js';
import { PeerRequests, ToolCall } from './tool-call.js';

const NO_PARAMS: JsonObject = {};

/**
 * Answers the CLI straight from the tool table: no JSON-RPC framework, no transport pair, one validation. A call costs
 * a map look-up, the schema's own check and the handler.
 */
export class ToolTableEndpoint implements McpEndpoint {
  readonly #definition: ServerDefinition;
  readonly #host: McpEndpointHost;
  readonly #peer: PeerRequests;
  /** By JSON-RPC id. */
  readonly #running = new Map<unknown, ToolCall>();
  #isClosed = false;

  constructor(definition: ServerDefinition, host: McpEndpointHost) {
    this.#definition = definition;
    this.#host = host;
    this.#peer = new PeerRequests(host.sendToPeer);
  }

  async receive(message: JsonObject, carrier: McpCarrier): Promise<JsonObject | undefined> {
    switch (rpcKind(message)) {
      case 'response':
        this.#peer.settle(message);
        return undefined;
      case 'notification':
        this.#cancel(message);
        return undefined;
      case 'request':
        return this.#answer(message, carrier);
    }
  }

  /** Whether the message is about something that is under way here: an answer, a cancellation, an id in use. */
  concerns(message: JsonObject): boolean {
    switch (rpcKind(message)) {
      case 'response':
        return this.#peer.owns(message);
      case 'notification':
        return this.#running.has(cancelledId(message));
      case 'request':
        return this.#running.has(message.id);
    }
  }

  async manifest(): Promise<McpServerManifest | undefined> {
    const initializeResult = this.#initialize(PROTOCOL_VERSIONS[0]);
    if (this.#definition.info.tools === undefined) return { initializeResult };
    const toolsListResult = await this.#definition.listing();
    const { tools } = toolsListResult;
    // Nothing is sent ahead for an empty list: the CLI then asks for itself.
    return Array.isArray(tools) && tools.length > 0 ? { initializeResult, toolsListResult } : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#peer.close();
    const reason = new DOMException('The session ended', 'AbortError');
    for (const call of [...this.#running.values()]) call.cancel(reason);
  }

  #answer(message: JsonObject, carrier: McpCarrier): JsonObject | Promise<JsonObject | undefined> | undefined {
    const { id, params = NO_PARAMS } = message;
    const method = String(message.method);
    if (this.#isClosed) return errorResponse(id, RpcCode.connectionClosed, 'Connection closed');
    if (this.#running.has(id)) return duplicateResponse(id);
    if (!isJsonObject(params)) return badParamsResponse(id, method);
    // A server with an empty list has none either, as a server of the MCP SDK that no tool was registered on.
    const hasTools = (this.#definition.info.tools?.length ?? 0) > 0;
    if (method === 'tools/call' && hasTools) return this.#call(id, params, carrier);
    if (method === 'tools/list' && hasTools) {
      return this.#definition.listing().then((listing) => resultResponse(id, listing));
    }
    if (method === 'ping') return resultResponse(id, {});
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return typeof protocolVersion === 'string'
        ? resultResponse(id, this.#initialize(protocolVersion))
        : errorResponse(id, RpcCode.internalError, 'Invalid initialize request: protocolVersion must be a string');
    }
    return errorResponse(id, RpcCode.methodNotFound, 'Method not found');
  }

  #call(id: unknown, params: JsonObject, carrier: McpCarrier): Promise<JsonObject | undefined> {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string' || !isJsonObject(args)) {
      const wrong = typeof name === 'string' ? 'arguments must be an object' : 'name must be a string';
      return Promise.resolve(errorResponse(id, RpcCode.internalError, `Invalid tools/call request: params.${wrong}`));
    }
    const call = new ToolCall(carrier, () => this.#running.delete(id));
    this.#running.set(id, call);
    void this.#run(call, id, name, args, params).then((response) => call.settle(response));
    return call.response;
  }

  /**
   * Checks the arguments, calls the handler, checks the result. Never rejects: a tool's failure is a result that the
   * model reads (TS-137, TS-138), a result of a wrong shape is a JSON-RPC error (TS-139).
   */
  async #run(call: ToolCall, id: unknown, name: string, args: JsonObject, params: JsonObject): Promise<JsonObject> {
    try {
      const tools = this.#definition.readyTools ?? (await this.#definition.loadTools());
      const tool = tools.get(name);
      const limit = tool?.definition.timeoutMs;
      startTimer(call, limit, () => {
        const late = errorResult(`Tool ${name} timed out after ${limit} ms`);
        call.cancel(new DOMException('The tool timed out', 'TimeoutError'), resultResponse(id, late));
      });
      if (tool === undefined) throw invalidParams(`Tool ${name} not found`);
      if (tool.schema === undefined) throw invalidParams(`Tool ${name} disabled`);
      const { validate } = tool.schema;
      const handlerArgs: unknown[] = [];
      if (validate !== undefined) {
        const outcome = validate(args);
        const parsed = 'then' in outcome ? await outcome : outcome;
        if (parsed.issues !== undefined) throw invalidArguments(name, parsed.issues);
        handlerArgs.push(parsed.value);
      }
      // Cancelled while its schemas were loaded or its arguments checked: the tool must not start.
      if (call.isOver) return resultResponse(id, {});
      handlerArgs.push(call.extra(id, params, this.#peer));
      const checked = checkCallToolResult(await this.#callHandler(tool, handlerArgs));
      if ('result' in checked) return resultResponse(id, checked.result);
      this.#host.onToolResultInvalid(name, checked.issues.map((issue) => issue.message).join('; '));
      const { code, message } = invalidParams(`Invalid tools/call result: ${showIssues(checked.issues)}`);
      return errorResponse(id, code, message);
    } catch (error) {
      // The one error that MCP wants as an error and not as a result: the client shows the URL and calls again.
      if (codeOf(error) === RpcCode.urlElicitationRequired) return errorResponseFrom(id, error);
      return resultResponse(id, errorResult(errorText(error)));
    }
  }

  async #callHandler({ definition }: PreparedTool, args: readonly unknown[]): Promise<unknown> {
    try {
      // `tool()` tied the types of the arguments to the schema that parsed them.
      return await (definition.handler as (...args: readonly unknown[]) => unknown)(...args);
    } catch (error) {
      try {
        this.#host.onToolThrew(definition.name, error);
      } catch {
        // The model's answer matters more than the report of it.
      }
      throw error;
    }
  }

  #cancel(message: JsonObject): void {
    const requestId = cancelledId(message);
    if (requestId === undefined) return;
    const { reason } = message.params as JsonObject;
    this.#running.get(requestId)?.cancel(reason);
  }

  #initialize(requested: string): JsonObject {
    const { name, version, instructions, tools } = this.#definition.info;
    const known = PROTOCOL_VERSIONS.find((candidate) => candidate === requested);
    return {
      protocolVersion: known ?? PROTOCOL_VERSIONS[0],
      capabilities: tools === undefined ? {} : { tools: tools.length > 0 ? { listChanged: true } : {} },
      serverInfo: { name, version },
      ...(instructions ? { instructions } : {}),
    };
  }
}

function startTimer(call: ToolCall, limitMs: number | undefined, onTimeout: () => void): void {
  if (limitMs === undefined || limitMs === 0 || limitMs > MAX_TIMER_MS || call.isOver) return;
  const timer = setTimeout(onTimeout, limitMs).unref();
  void call.response.then(() => clearTimeout(timer));
}

function invalidParams(message: string): McpError {
  return new McpError(RpcCode.invalidParams, message);
}

function invalidArguments(name: string, issues: readonly StandardIssue[]): McpError {
  return invalidParams(`Input validation error: Invalid arguments for tool ${name}: ${showIssues(issues)}`);
}

function showIssues(issues: readonly StandardIssue[]): string {
  try {
    return JSON.stringify(issues, null, 2);
  } catch {
    // An issue may hold the offending value itself, a BigInt or a cycle.
    return issues.map((issue) => issue.message).join('\n');
  }
}
