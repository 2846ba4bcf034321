import type {
  McpServerConfig,
  Options,
  PermissionResult,
  PermissionUpdate,
  SettingSource,
} from '../../index.js';
import type { AgentEvent } from './agent-event.js';
import type { Capability, PermissionPolicy, ToolCategories } from './permission-plan.js';

/** One agent behind one interface: whatever runs inside, the same events come out. */
export interface AgentAdapter {
  /** The name it is registered under, such as `claude-code`. */
  readonly agent: string;
  /** Whether `run()` could start. Never throws, starts nothing. */
  isAvailable(): Promise<boolean>;
  /**
   * Runs one prompt. Nothing starts before the first `next()`, which throws when the agent cannot be started at all; after
   * that nothing is thrown: problems become `error` events. Exactly one `done` comes, and it is last. Leaving the loop ends
   * the run.
   */
  run(prompt: string, options?: AgentOptions): AsyncGenerator<AgentEvent, void, void>;
}

/** A call that somebody has to decide about. */
export interface AgentPermissionRequest {
  readonly toolName: string;
  /** Of the call; `SandboxNetworkAccess` has an id of its own, without a `tool_use`. */
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  /** Why the CLI asks, when it says so. */
  readonly reason?: string;
  /** `undefined` for tools that are in no category. */
  readonly capability: Capability | undefined;
  readonly sessionId: string;
  /** Set inside a sub-agent. */
  readonly agentId?: string;
  /** Ready-made updates that would stop the CLI from asking again; return them as `updatedPermissions`. */
  readonly suggestions: readonly PermissionUpdate[];
}

/** The words are short for `{ behavior: 'allow' }` with the same input, and for a denial with a standard message. */
export type AgentPermissionDecision = 'allow' | 'deny' | PermissionResult;

/**
 * Decides about one call. Several can be open at once.
 *
 * A throw, a rejection and anything else than a decision deny. `signal` aborts when the run does, or when the CLI withdraws
 * the question: whatever is returned after that is dropped.
 */
export type OnPermissionRequest = (
  request: AgentPermissionRequest,
  context: { readonly signal: AbortSignal },
) => AgentPermissionDecision | Promise<AgentPermissionDecision>;

/** Options of one run. An absent field is left to the agent. */
export interface AgentOptions {
  /** Working directory of the agent. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** Absent: the CLI's `default` mode, and nothing is forced. */
  readonly permissions?: PermissionPolicy | undefined;
  readonly maxTurns?: number | undefined;
  /** US dollars. */
  readonly maxBudgetUsd?: number | undefined;
  /** The `resumeToken` of an earlier `done`. Empty counts as absent. */
  readonly resume?: string | undefined;
  /** Ends the run: the last event is a `done` with status `interrupted`. */
  readonly abortSignal?: AbortSignal | undefined;
  /** Only these tools, and those of them that the policy allows run without a question. Rules such as `Bash(git:*)` are possible. */
  readonly allowedTools?: readonly string[] | undefined;
  /** Wins over `allowedTools`. */
  readonly disallowedTools?: readonly string[] | undefined;

  readonly onPermissionRequest?: OnPermissionRequest | undefined;
  /** Run beside the hooks of the policy. A denial of either counts. */
  readonly hooks?: Options['hooks'] | undefined;
  /**
   * Servers of this run. Under a policy that denies, these and `projectMcpServers` are the only ones that start: not those of
   * settings, of plugins and of the project's `.mcp.json`.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;
  /** Names of servers of the project's `.mcp.json` (in `cwd`) that may start under a policy that denies. @defaultValue none */
  readonly projectMcpServers?: readonly string[] | undefined;
  readonly systemPrompt?: Options['systemPrompt'] | undefined;
  /**
   * Lets the CLI interpret texts: a leading `/` as a command, `@path` as the content of that file, `@server:uri` as that resource; and it
   * adds what it tells the model at the start of a turn, such as the list of skills. Only for texts that no stranger wrote.
   * @defaultValue `false`: every text goes to the model word by word
   */
  readonly interpretPrompts?: boolean | undefined;
  /** `text_delta` events while the model writes. @defaultValue `true` */
  readonly includePartialMessages?: boolean | undefined;
  /** `thinking` events. @defaultValue `true` */
  readonly includeThinking?: boolean | undefined;
  /**
   * Whether the run lasts until tasks that the model started in the background (commands, sub-agents) are over, and the turns
   * that the CLI starts about them. One that never ends, such as a server, then holds `done` back until the run is aborted.
   * `'stop'` ends the run, and them, with the first result. @defaultValue `'wait'`
   */
  readonly backgroundTasks?: 'wait' | 'stop' | undefined;
  /** Overrides and extends which tool has which capability. */
  readonly toolCategories?: ToolCategories | undefined;
  /**
   * Which settings files the CLI reads. To name `project` or `local` is to allow what they start: hooks, helpers such as
   * `apiKeyHelper`, plugins, programs in skills, whatever `permissions` says.
   * @defaultValue under a policy that denies (a level `'deny'`, or `shellExecute: 'ask'` without `onPermissionRequest`)
   *   `['user']`, else the CLI's own
   */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Laid over the host's environment; `undefined` takes a variable away. `CLAUDECODE` never reaches the CLI. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** @defaultValue that of the adapter, else the CLI that is found */
  readonly pathToClaudeCodeExecutable?: string | undefined;
}
