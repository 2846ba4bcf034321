import type { Options, Query, SDKMessage, SDKUserMessage, ToolCallExtra } from '../../index.js';
import type { JsonObject } from '../../util/json.js';

/**
 * Everything that the adapter needs from the SDK, and its only access to it. It is loaded when first needed, so
 * importing `claudewire/adapter` does not evaluate the SDK.
 */
export interface AgentRuntime {
  query(input: AsyncIterable<SDKUserMessage>, options: RuntimeOptions): RuntimeQuery;
  /** Finds the CLI as a run would. Starts no process. */
  locateExecutable(options?: {
    readonly pathToClaudeCodeExecutable?: string | undefined;
    /** The child's environment. @defaultValue the host's */
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  }): Promise<LocatedExecutable>;
  /** The error of a run for an executable that the system does not start, by the system's code. Absent: only that is said. */
  launchErrorOf?(executable: string, code: string): unknown;
  /** Why a run with these options would be refused on a release of the CLI. `undefined`, or absent: it would not. */
  judgeRelease?(release: string, options: Options): (Error & { readonly hint?: string | undefined }) | undefined;
}

export interface LocatedExecutable {
  /** `undefined` when there is none that can be started. */
  readonly path: string | undefined;
  /** What the files around it say. `undefined`: nothing. */
  readonly release?: string | undefined;
  /** Why there is none. */
  readonly error?: unknown;
}

/** The SDK's options, with in-process tools as data instead of server objects. */
export interface RuntimeOptions extends Options {
  toolServers?: readonly ToolServer[];
  /** Suppresses the warning that `canUseTool` is not asked about tools in `allowedTools`. */
  meansToShadow?: boolean;
  /** The caller asks {@link RuntimeQuery.confirmsOnFailure} before its first message. */
  checksOnFailure?: boolean;
}

/** An in-process MCP server. */
export interface ToolServer {
  /** Key and name. */
  readonly name: string;
  readonly version: string;
  readonly tools: readonly ServedTool[];
}

export interface ServedTool {
  readonly name: string;
  readonly description: string;
  /** Sent as it is. Its root must be an object. */
  readonly inputSchema: JsonObject;
  /** Sent with the list of tools. */
  readonly _meta: Readonly<Record<string, unknown>>;
  /** `args` are not validated: the bridge does that with its own errors. */
  readonly call: (args: JsonObject, extra: ToolCallExtra) => Promise<ServedResult>;
}

export interface ServedResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError: boolean;
}

export interface RuntimeQuery extends AsyncIterable<SDKMessage> {
  /** Resolves when the handshake is over. */
  initialized(): Promise<void>;
  /** The answer to `get_settings`. */
  getSettings(): Promise<JsonObject>;
  /** @param options.cancelQueued - Also drops queued messages and notices. */
  interrupt(options?: { readonly cancelQueued?: boolean | undefined }): Promise<unknown>;
  /** Stops one background task. Absent: the run is only interrupted. */
  stopTask?(taskId: string): Promise<unknown>;
  /**
   * The session's usage so far, in the form of a result's `modelUsage`. `undefined`: this CLI cannot tell. Without this
   * method only the messages are counted.
   */
  getUsage?(): Promise<JsonObject | undefined>;
  /** The release in the answer to the handshake. Without this method the runtime counts as sending texts verbatim. */
  cliVersion?(): Promise<string | undefined>;
  /** Whether the CLI confirmed that a hook with `onFailure` blocks. Without this method the runtime counts as confirming. */
  confirmsOnFailure?(): Promise<boolean>;
  /** Ends the input, so that the CLI may end. */
  endInput(): void;
  /**
   * Ends the process and resolves when it is gone. The exit ladder limits the time.
   * @param because - Why, if it is a failure: a kind of `outcomeOf()`.
   */
  close(because?: string): Promise<void>;
  /** The SDK's own object, for everything else. `undefined` in other runtimes. */
  readonly query: Query | undefined;
}

export type LoadRuntime = () => Promise<AgentRuntime>;
