import type { OnElicitation, OnUserDialog } from '../../control/dialog-types.js';
import type { HookCallbackMatcher, HookEvent } from '../../control/hook-types.js';
import type { PermissionMode } from '../../control/permission-types.js';
import type { McpServerConfig, McpServerConfigForProcessTransport } from '../../mcp/mcp-server-config.js';
import type { EffortLevel } from './model-options.js';
import type { SandboxSettings } from './policy-settings.js';
import type { Settings } from './settings.js';

/** A name of a server of the session, or servers of the agent's own. */
export type AgentMcpServerSpec = string | Record<string, McpServerConfigForProcessTransport>;

/** A subagent. Unknown keys reach the CLI. */
export type AgentDefinition = {
  /** When the model should use it. */
  description: string;
  /** Its system prompt. */
  prompt: string;
  tools?: string[];
  disallowedTools?: string[];
  model?: string;
  mcpServers?: AgentMcpServerSpec[];
  criticalSystemReminder_EXPERIMENTAL?: string;
  skills?: string[];
  initialPrompt?: string;
  maxTurns?: number;
  autoCompactWindow?: number;
  background?: boolean;
  omitClaudeMd?: boolean;
  memory?: 'user' | 'project' | 'local';
  effort?: EffortLevel | number;
  permissionMode?: PermissionMode;
  observer?: string;
  observerMessage?: string;
};

/** A plugin from a folder of this machine. */
export type SdkPluginConfig = {
  type: 'local';
  path: string;
  /** Leaves the plugin's MCP servers out. */
  skipMcpDiscovery?: boolean;
};

/** What is added to the CLI: agents, plugins, MCP servers, and code of the host that it calls. */
export type ExtensionOptions = {
  /** The agent the main conversation runs as. Wire: `--agent=V`. */
  agent?: string;
  /** Subagents by name. Wire: `agents` of `initialize`. In-process MCP servers inside an agent are sent by name only. */
  agents?: Record<string, AgentDefinition>;
  /** Wire: one `--plugin-dir=P` each, or `--plugin-dir-no-mcp=P`. */
  plugins?: SdkPluginConfig[];
  /** How `plugins` travel. `initialize`: `--await-initialize` and a field of `initialize`. @defaultValue 'argv' */
  pluginDelivery?: 'argv' | 'initialize';
  /**
   * MCP servers by the name the CLI knows them by. External ones go to `--mcp-config <JSON>`; in-process ones
   * (`createSdkMcpServer()`) to `sdkMcpServers` of `initialize`.
   *
   * Configurations with `env`, `headers`, or a URL with a user name or a query travel in a file that only this user can
   * read, so that secrets do not show in process lists; with `mcpServersDelivery: 'argv'` or `spawnClaudeCodeProcess`
   * they stay on the command line.
   */
  mcpServers?: Record<string, McpServerConfig>;
  /**
   * How external servers travel. `initialize`: `--await-initialize` and a field of `initialize`, whose answer the first
   * message then waits for. `argv`: always the JSON itself on the command line.
   * @defaultValue the command line, with secrets in a file
   */
  mcpServersDelivery?: 'argv' | 'initialize';
  /** Only servers given here: none of settings or project files. Wire: `--strict-mcp-config`. @defaultValue false */
  strictMcpConfig?: boolean;
  /**
   * Functions the CLI calls on events. Names newer than `HookEvent` pass. Wire: `hooks` of `initialize` with ids
   * `hook_0`, `hook_1`, ... over all events. A matcher with `onFailure: 'block'` makes the first message wait until the
   * CLI has confirmed that it knows the field.
   */
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  /** Answers questions of MCP servers. Local. @defaultValue `unhandledElicitation` is the answer */
  onElicitation?: OnElicitation;
  /**
   * The answer to a question of an MCP server when there is no `onElicitation`. `decline` tells the server that the
   * user said no, although nobody was asked. `cancel` tells it that nobody chose. Local. Not in the official SDK.
   * @defaultValue 'decline', the official behaviour
   */
  unhandledElicitation?: 'decline' | 'cancel';
  /** Shows dialogs of the CLI. Local. @defaultValue dialogs are never answered */
  onUserDialog?: OnUserDialog;
  /** Kinds of dialogs `onUserDialog` can show; needs that callback. Wire: same name in `initialize`. */
  supportedDialogKinds?: string[];
  /** Tells the CLI that single background tasks can be stopped by the user. Wire: same name in `initialize`. */
  perTaskStopAffordance?: boolean;
};

export type { Settings } from './settings.js';

/** Which settings files the CLI reads. Other names pass too. */
export type SettingSource = 'user' | 'project' | 'local';

/** Settings for this run. */
export type SettingsOptions = {
  /**
   * Settings that add to the settings files: a path, JSON text, or an object.
   *
   * Wire: two tokens, `--settings` and the path or JSON. Inline settings with an `env` travel in a file that only this
   * user can read, so that secrets do not show in process lists; with `spawnClaudeCodeProcess` they stay inline.
   */
  settings?: string | Settings;
  /**
   * The sandbox of Bash commands. Merged into inline `settings`, this option winning; lists of denials are joined.
   * `enabled: true` adds `failIfUnavailable: true` unless that is set. Wire: part of `--settings`.
   */
  sandbox?: SandboxSettings;
  /** Policy settings, which users cannot override. Always on the command line: no secrets here. Wire: `--managed-settings <JSON>`. */
  managedSettings?: Settings;
  /**
   * Which settings files are read. `[]`: none. Wire: `--setting-sources=user,project`.
   * @defaultValue the CLI's own (all of them)
   */
  settingSources?: SettingSource[];
};
