import type { JsonObject } from '../util/json.js';

/**
 * One in-process MCP server as one query sees it. Made per query by `src/mcp`, driven by `McpBridge`. Two kinds
 * implement it, from the tool table and from an MCP SDK instance; one contract suite holds for both.
 */
export interface McpEndpoint {
  /**
   * One JSON-RPC message from the CLI.
   * @returns the JSON-RPC response for a request; `undefined` for a notification or a response (the bridge acknowledges
   * those itself), and for a call that the CLI cancelled with `notifications/cancelled`. Never rejects for a tool's own
   * failure: that is a response. A rejection becomes a control error answer.
   * @param carrier - The control request around the message. The running tool must see its end.
   */
  receive(message: JsonObject, carrier: McpCarrier): Promise<JsonObject | undefined>;
  /**
   * The raw results of `initialize` and `tools/list`, for `sdkMcpServerManifests`. `undefined` when there is nothing to
   * send ahead.
   */
  manifest(): Promise<McpServerManifest | undefined>;
  /** Ends this query's use of the server: running calls abort, late results are dropped. The server itself lives on. */
  close(): Promise<void>;
}

/** The control request that carries a JSON-RPC message. */
export interface McpCarrier {
  /** The CLI cancelled the control request, or the session ended. Asking costs nothing, unlike the signal. */
  readonly isCancelled: boolean;
  /** Aborts when that happens. Made when first read. */
  readonly signal: AbortSignal;
}

export interface McpServerManifest {
  readonly initializeResult: JsonObject;
  /** Absent when the server has no tools capability. */
  readonly toolsListResult?: JsonObject;
}

/** What an endpoint tells its query. */
export interface McpEndpointHost {
  /** Carries the server's own messages to the CLI. */
  sendToPeer(message: JsonObject): void;
  /** A tool's handler threw. The model gets its message; the developer should hear of it too. */
  onToolThrew(tool: string, error: unknown): void;
  /** A tool's handler returned something that is not a tool result. The CLI gets an error. */
  onToolResultInvalid(tool: string, problem: string): void;
}

/** Makes the endpoint of one server for one query. */
export type McpEndpointFactory = (host: McpEndpointHost) => McpEndpoint;
