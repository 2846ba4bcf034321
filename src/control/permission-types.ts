/** Open set: the CLI accepts names newer than these. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions' | 'dontAsk' | 'auto';

export type PermissionBehavior = 'allow' | 'deny' | 'ask';

export type PermissionUpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';

export type PermissionRuleValue = { toolName: string; ruleContent?: string };

/** A change of the permission rules, as suggested by the CLI and as returned with an allow. Wire names. */
export type PermissionUpdate =
  | RulesUpdate<'addRules'>
  | RulesUpdate<'replaceRules'>
  | RulesUpdate<'removeRules'>
  | { type: 'setMode'; mode: PermissionMode; destination: PermissionUpdateDestination }
  | DirectoriesUpdate<'addDirectories'>
  | DirectoriesUpdate<'removeDirectories'>;

// One literal each: `Extract` and the narrowing of `find()` see whole members only.
type RulesUpdate<Type extends string> = {
  type: Type;
  rules: PermissionRuleValue[];
  behavior: PermissionBehavior;
  destination: PermissionUpdateDestination;
};

type DirectoriesUpdate<Type extends string> = {
  type: Type;
  directories: string[];
  destination: PermissionUpdateDestination;
};

export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';

/** What a {@link CanUseTool} callback decides. Unknown keys pass to the CLI. */
export type PermissionResult =
  | {
      behavior: 'allow';
      /** Runs the tool with this input instead. Absent: the input that was asked about. */
      updatedInput?: Record<string, unknown>;
      /** Applied at once. */
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    }
  | {
      behavior: 'deny';
      /** Shown to the model as the tool's result (not when `interrupt` is set: the turn ends instead). */
      message: string;
      /**
       * Ends the turn as `interrupt()` would. Call `outcomeOf` with the messages of that turn, up to its result.
       *
       * @defaultValue false
       */
      interrupt?: boolean;
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    };

/** The MCP server that a tool belongs to. */
export type McpServerProvenance = {
  name: string;
  /** Where its configuration comes from. */
  source: string;
};

/** What the CLI tells about a permission question, in camelCase. */
export type CanUseToolOptions = {
  /** Aborts when the CLI withdraws the question or the session ends. `reason` is an `AbortError`. */
  signal: AbortSignal;
  /** Ready-made updates that would stop the CLI from asking again. */
  suggestions?: PermissionUpdate[];
  blockedPath?: string;
  decisionReason?: string;
  decisionReasonType?: string;
  title?: string;
  displayName?: string;
  description?: string;
  defaultToNo?: boolean;
  suppressAlwaysAllowRule?: boolean;
  toolUseID: string;
  /** Set inside a subagent. */
  agentID?: string;
  requestId: string;
  requiresUserInteraction?: boolean;
  /** For a tool of an MCP server. */
  mcpServer?: McpServerProvenance;
  matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
};

/**
 * Decides whether a tool may run. Registered with the `canUseTool` option, which sends
 * `--permission-prompt-tool=stdio`. Several questions can be open at once.
 *
 * Returning `null` sends no answer at all: the application answers by another way (official behaviour). A result of a
 * wrong shape denies; a throw is sent as an error, which the CLI treats as a denial.
 * @see docs/reference/protocol.md in the repository, "can_use_tool"; `recordings/can-use-tool-allow.jsonl`
 */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: CanUseToolOptions,
) => Promise<PermissionResult | null>;
