import type { Options, Query, SDKMessage, SDKUserMessage, ToolCallExtra } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/config-errors.js';

/**
 * Everything this layer needs of the SDK below it, and the only way to it. Loaded when first needed: importing
 * `claudewire/adapter` evaluates none of it.
 */
export interface AgentRuntime {
  query(input: AsyncIterable<SDKUserMessage>, options: RuntimeOptions): RuntimeQuery;
  /** Looks for the CLI as a run would; starts no process. */
  locateExecutable(options?: {
    readonly pathToClaudeCodeExecutable?: string | undefined;
    /** The child's environment; the host's when absent. */
    readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  }): Promise<LocatedExecutable>;
}

export interface LocatedExecutable {
  /** `undefined` when there is none that could be started. */
  readonly path: string | undefined;
  /** Why there is none. */
  readonly error?: unknown;
}

/** The SDK's options, with in-process tools as data instead of server objects. */
export interface RuntimeOptions extends Options {
  toolServers?: readonly ToolServer[];
  /** `canUseTool` is not meant to be asked about what `allowedTools` allows: no process warning says so. */
  meansToShadow?: boolean;
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
  /** Sent as it is; the object root is the caller's duty. */
  readonly inputSchema: JsonObject;
  /** Sent with the listing. */
  readonly _meta: Readonly<Record<string, unknown>>;
  /** `args` are unchecked: the bridge validates them itself, so that the errors are its own. */
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
  /** @param options.cancelQueued - Messages and notices that wait for their turn are dropped too. */
  interrupt(options?: { readonly cancelQueued?: boolean | undefined }): Promise<unknown>;
  /** Stops one background task. Absent: the run is only interrupted. */
  stopTask?(taskId: string): Promise<unknown>;
  /**
   * What the session used so far, as a table by model in the form of a result's `modelUsage`. `undefined`: this CLI cannot say. Absent: the
   * messages alone are counted.
   */
  getUsage?(): Promise<JsonObject | undefined>;
  /** The release, as its answer to the handshake names it. Absent: this runtime's texts are taken as verbatim. */
  cliVersion?(): Promise<string | undefined>;
  /** No more user messages: the CLI may end. */
  endInput(): void;
  /** Ends the process; resolves when it is gone, however long that takes (the exit ladder bounds it). */
  close(): Promise<void>;
  /** The SDK's own object, for what has no name here. `undefined` for runtimes that are not ours. */
  readonly query: Query | undefined;
}

export type LoadRuntime = () => Promise<AgentRuntime>;

/** The oldest release that was seen taking marked messages word by word. 2.0.0 was seen ignoring the mark. */
const PROVED = [2, 1, 330] as const;

/** A slash at the start may be a command, an at sign that is not inside a word may be a mention of a file. */
const INTERPRETED = /^\s*\/|(?:^|[^A-Za-z0-9])@/;

/**
 * A release that does not know how to take a message word by word would run `/config` and read `@file`. Nothing is refused for a text in which
 * there is neither.
 *
 * @throws {@link AdapterConfigError}
 */
export async function requireVerbatim(text: string, query: RuntimeQuery): Promise<void> {
  if (!INTERPRETED.test(text) || query.cliVersion === undefined) return;
  const version = await query.cliVersion();
  if (isProved(version)) return;
  const name = version === undefined ? 'This Claude Code' : `Claude Code ${version}`;
  throw new AdapterConfigError(
    `${name} is not known to take a text word by word: it may run a leading \`/\` as a command and read \`@path\` from the disk. Nothing was sent.`,
    ['interpretPrompts'],
    {
      hint: `Use Claude Code ${PROVED.join('.')} or later, leave \`/\` at the start and \`@\` out of the text, or set \`interpretPrompts: true\` for texts that you wrote.`,
    },
  );
}

function isProved(version: string | undefined): boolean {
  const parts = /^(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (parts === undefined) return false;
  const differing = PROVED.findIndex((least, index) => parts[index] !== least);
  return differing === -1 || (parts[differing] ?? 0) > (PROVED[differing] ?? 0);
}
