import type { InferOutput, StandardSchemaLike } from './standard-schema.js';

/**
 * What a tool's handler gets beside its arguments. The same fields as the `extra` of the MCP SDK; those
 * that only make sense over HTTP are absent.
 */
export interface ToolCallExtra {
  /** Aborts when the CLI cancels the call, the tool's `timeoutMs` ran out, or the session ends. */
  readonly signal: AbortSignal;
  /**
   * The JSON-RPC id of the call. On a server that runs through an MCP SDK instance it is one of our
   * own, unique over all queries that share the instance.
   */
  readonly requestId: string | number;
  /** The call's `_meta`: `claudecode/toolUseId`, `progressToken`. */
  readonly _meta?: { readonly progressToken?: string | number; readonly [key: string]: unknown };
  /** Always absent in process. */
  readonly sessionId?: string;
  /**
   * Sends a notification about this call, such as `notifications/progress`. Does nothing once the call was cancelled. Rejects for
   * log messages, resources and prompts, which need a server that declares them: use `instance` for such a server.
   */
  readonly sendNotification: (notification: McpNotification) => Promise<void>;
  /**
   * Sends the CLI a request and resolves with its result as `resultSchema` parses it.
   *
   * Rejects with an `McpError` (numeric `code`) when the CLI refuses (-32601 for everything but `ping`,
   * seen with CLI 2.1.330), on time-out (-32001), or when the call or the session ends (-32000).
   */
  readonly sendRequest: <Schema extends StandardSchemaLike>(
    request: McpRequest,
    resultSchema: Schema,
    options?: McpRequestOptions,
  ) => Promise<InferOutput<Schema>>;
}

export interface McpNotification {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

export type McpRequest = McpNotification;

export interface McpRequestOptions {
  /** Milliseconds; `0` or `Infinity`: no limit. @defaultValue `60_000` */
  readonly timeout?: number;
  /** Gives up waiting and tells the CLI so. */
  readonly signal?: AbortSignal;
}
