import type { McpServerConfig, Options, PermissionResult, PermissionUpdate, SettingSource } from '../../index.js';
import type { AgentEvent } from './agent-event.js';
import type { Capability, PermissionPolicy, ToolCategories } from './permission-plan.js';

/** One agent behind one interface, with the same events for every agent. */
export interface AgentAdapter {
  /** The name for the registry, such as `claude-code`. */
  readonly agent: string;
  /** Whether `run()` could start. Never throws, starts nothing. */
  isAvailable(): Promise<boolean>;
  /**
   * Runs one prompt. Nothing starts before the first `next()`, which throws when the agent cannot start. After that,
   * problems become `error` events. The last event is the one `done`. Leaving the loop ends the run.
   */
  run(prompt: string, options?: AgentOptions): AsyncGenerator<AgentEvent, void, void>;
}

/** A call that needs a decision. */
export interface AgentPermissionRequest {
  readonly toolName: string;
  /** The id of the call. `SandboxNetworkAccess` has an id without a `tool_use`. */
  readonly toolUseId: string;
  readonly input: Record<string, unknown>;
  /** Why the CLI asks, if it says so. */
  readonly reason?: string;
  /** `undefined` for tools that are in no category. */
  readonly capability: Capability | undefined;
  readonly sessionId: string;
  /** Set inside a sub-agent. */
  readonly agentId?: string;
  /** Ready-made updates that would stop the CLI from asking again; return them as `updatedPermissions`. */
  readonly suggestions: readonly PermissionUpdate[];
}

/** `'allow'` allows the call with its input, `'deny'` denies it with a standard message. */
export type AgentPermissionDecision = 'allow' | 'deny' | PermissionResult;

/**
 * Decides about one call. Several can be open at once. A throw, a rejection and anything that is not a decision deny
 * the call. `signal` aborts with the run, or when the CLI withdraws the question; a later decision is ignored.
 */
export type OnPermissionRequest = (
  request: AgentPermissionRequest,
  context: { readonly signal: AbortSignal },
) => AgentPermissionDecision | Promise<AgentPermissionDecision>;

/** Options of one run. The agent chooses the value of an absent field. */
export interface AgentOptions {
  /** Working directory of the agent. */
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  /** @defaultValue none: the CLI's `default` mode applies, and nothing is enforced */
  readonly permissions?: PermissionPolicy | undefined;
  readonly maxTurns?: number | undefined;
  /** US dollars. */
  readonly maxBudgetUsd?: number | undefined;
  /** The `resumeToken` of an earlier `done`. Empty counts as absent. */
  readonly resume?: string | undefined;
  /** Ends the run: the last event is a `done` with status `interrupted`. */
  readonly abortSignal?: AbortSignal | undefined;
  /**
   * The only tools there are. Those that the policy allows need no permission. Rules such as `Bash(git:*)` are
   * possible.
   */
  readonly allowedTools?: readonly string[] | undefined;
  /** Wins over `allowedTools`. */
  readonly disallowedTools?: readonly string[] | undefined;
  readonly onPermissionRequest?: OnPermissionRequest | undefined;
  /** Run in addition to the hooks of the policy. A denial by either one counts. */
  readonly hooks?: Options['hooks'] | undefined;
  /**
   * Servers of this run. Under a policy that denies, only these and `projectMcpServers` start, not those of settings,
   * plugins and the project's `.mcp.json`.
   */
  readonly mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;
  /**
   * Names of servers of the project's `.mcp.json` (in `cwd`) that may start under a policy that denies. @defaultValue
   * none
   */
  readonly projectMcpServers?: readonly string[] | undefined;
  readonly systemPrompt?: Options['systemPrompt'] | undefined;
  /**
   * Lets the CLI interpret texts: a leading `/` is a command, `@path` inserts that file, `@server:uri` that resource.
   * The CLI then also adds its own notes for the model, such as the list of skills. Use it only for texts that you
   * trust.
   * @defaultValue `false`: every text goes to the model verbatim
   */
  readonly interpretPrompts?: boolean | undefined;
  /** `text_delta` events while the model writes. @defaultValue `true` */
  readonly includePartialMessages?: boolean | undefined;
  /** `thinking` events. @defaultValue `true` */
  readonly includeThinking?: boolean | undefined;
  /**
   * `'wait'`: the run lasts until the background tasks of the model (commands, sub-agents) and the turns that the CLI
   * starts about them are over. A task that never ends, such as a server, holds `done` back until the run is aborted.
   * `'stop'`: the first result ends the run and its tasks. @defaultValue `'wait'`
   */
  readonly backgroundTasks?: 'wait' | 'stop' | undefined;
  /** Overrides and extends the built-in table of tools and their capabilities. */
  readonly toolCategories?: ToolCategories | undefined;
  /**
   * Which settings files the CLI reads. `project` and `local` can start hooks, helpers such as `apiKeyHelper`, plugins
   * and programs in skills, whatever `permissions` says.
   * @defaultValue under a policy that denies (a level `'deny'`, or `shellExecute: 'ask'` without `onPermissionRequest`)
   *   `['user']`, otherwise the CLI's own default
   */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Overrides the host's environment; `undefined` removes a variable. `CLAUDECODE` never reaches the CLI. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** @defaultValue the path of the adapter, or else the CLI that is found */
  readonly pathToClaudeCodeExecutable?: string | undefined;
}
