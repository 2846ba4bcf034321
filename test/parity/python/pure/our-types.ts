import type * as sdk from '../../../../src/index.js';

/** `must` or `may` for each field of a type: another field, or another mark, does not compile. */
type Marks<T> = { readonly [K in keyof T]-?: object extends Pick<T, K> ? 'may' : 'must' };
type Values<T extends string> = { readonly [K in T]: 'value' };
type Shape = { readonly [name: string]: 'must' | 'may' | 'value' };

type Init = sdk.SDKSystemMessage;
const context = { hookEventName: 'must', additionalContext: 'may' } as const;

/** What Python's types of these names are here. */
const SHAPES: {
  readonly BackgroundTaskSummary: Marks<sdk.BackgroundTaskSummary>;
  readonly CwdChangedHookSpecificOutput: Marks<sdk.CwdChangedHookSpecificOutput>;
  readonly ElicitationHookSpecificOutput: Marks<sdk.ElicitationHookSpecificOutput>;
  readonly ElicitationResultHookSpecificOutput: Marks<sdk.ElicitationResultHookSpecificOutput>;
  readonly FastModeDisabledReason: Values<NonNullable<Init['fast_mode_disabled_reason']>>;
  readonly FastModeState: Values<NonNullable<Init['fast_mode_state']>>;
  readonly FileChangedHookSpecificOutput: Marks<sdk.FileChangedHookSpecificOutput>;
  readonly HookEffort: Marks<NonNullable<sdk.BaseHookInput['effort']>>;
  readonly MessageDisplayHookSpecificOutput: Marks<sdk.MessageDisplayHookSpecificOutput>;
  readonly PermissionDeniedHookSpecificOutput: Marks<sdk.PermissionDeniedHookSpecificOutput>;
  readonly PostModelSwitchHookSpecificOutput: Marks<sdk.PostModelSwitchHookSpecificOutput>;
  readonly PostToolBatchHookSpecificOutput: Marks<sdk.PostToolBatchHookSpecificOutput>;
  readonly PostToolUseHookSpecificOutput: Marks<sdk.PostToolUseHookSpecificOutput>;
  readonly PreModelSwitchHookSpecificOutput: Marks<sdk.PreModelSwitchHookSpecificOutput>;
  readonly PreToolUseHookSpecificOutput: Marks<sdk.PreToolUseHookSpecificOutput>;
  readonly SessionCronSummary: Marks<sdk.SessionCronSummary>;
  readonly SessionStartHookSpecificOutput: Marks<sdk.SessionStartHookSpecificOutput>;
  readonly StopHookSpecificOutput: Marks<sdk.StopHookSpecificOutput>;
  readonly SubagentStopHookSpecificOutput: Marks<sdk.SubagentStopHookSpecificOutput>;
  readonly SystemInitData: Marks<Init>;
  readonly SystemInitMcpServer: Marks<Init['mcp_servers'][number]>;
  readonly SystemInitPlugin: Marks<Init['plugins'][number]>;
  readonly SystemInitPluginError: Marks<NonNullable<Init['plugin_errors']>[number]>;
  readonly UserPromptExpansionHookSpecificOutput: Marks<sdk.UserPromptExpansionHookSpecificOutput>;
  readonly UserPromptSubmitHookSpecificOutput: Marks<sdk.UserPromptSubmitHookSpecificOutput>;
  readonly WorktreeCreateHookSpecificOutput: Marks<sdk.WorktreeCreateHookSpecificOutput>;
} = {
  BackgroundTaskSummary: {
    id: 'must',
    type: 'must',
    status: 'must',
    description: 'must',
    command: 'may',
    agent_type: 'may',
    server: 'may',
    tool: 'may',
    name: 'may',
  },
  CwdChangedHookSpecificOutput: { hookEventName: 'must', watchPaths: 'may' },
  ElicitationHookSpecificOutput: { hookEventName: 'must', action: 'may', content: 'may' },
  ElicitationResultHookSpecificOutput: { hookEventName: 'must', action: 'may', content: 'may' },
  FastModeDisabledReason: {
    free: 'value',
    preference: 'value',
    extra_usage_disabled: 'value',
    network_error: 'value',
    unknown: 'value',
    not_first_party: 'value',
    disabled_by_env: 'value',
    model_not_allowed: 'value',
    sdk_opt_in_required: 'value',
    pending: 'value',
  },
  FastModeState: { off: 'value', cooldown: 'value', on: 'value' },
  FileChangedHookSpecificOutput: { hookEventName: 'must', watchPaths: 'may' },
  HookEffort: { level: 'must' },
  MessageDisplayHookSpecificOutput: { hookEventName: 'must', displayContent: 'may' },
  PermissionDeniedHookSpecificOutput: { hookEventName: 'must', retry: 'may' },
  PostModelSwitchHookSpecificOutput: context,
  PostToolBatchHookSpecificOutput: context,
  PostToolUseHookSpecificOutput: {
    ...context,
    updatedMCPToolOutput: 'may',
    updatedToolOutput: 'may',
    classifierContext: 'may',
  },
  PreModelSwitchHookSpecificOutput: {
    hookEventName: 'must',
    permissionDecision: 'may',
    permissionDecisionReason: 'may',
  },
  PreToolUseHookSpecificOutput: {
    ...context,
    permissionDecision: 'may',
    permissionDecisionReason: 'may',
    updatedInput: 'may',
  },
  SessionCronSummary: { id: 'must', prompt: 'must', recurring: 'must', schedule: 'must' },
  SessionStartHookSpecificOutput: {
    ...context,
    initialUserMessage: 'may',
    reloadSkills: 'may',
    sessionTitle: 'may',
    watchPaths: 'may',
  },
  StopHookSpecificOutput: context,
  SubagentStopHookSpecificOutput: context,
  SystemInitData: {
    type: 'must',
    subtype: 'must',
    uuid: 'must',
    session_id: 'must',
    agents: 'may',
    apiKeySource: 'must',
    betas: 'may',
    claude_code_version: 'must',
    cwd: 'must',
    tools: 'must',
    mcp_servers: 'must',
    model: 'must',
    permissionMode: 'must',
    slash_commands: 'must',
    terminal_slash_commands: 'may',
    output_style: 'must',
    skills: 'must',
    plugins: 'must',
    plugin_errors: 'may',
    fast_mode_state: 'may',
    fast_mode_disabled_reason: 'may',
    capabilities: 'may',
    effort: 'may',
    view_mode: 'may',
    original_cwd: 'may',
    additional_directories: 'may',
    user_message_uuids: 'may',
  },
  SystemInitMcpServer: { name: 'must', status: 'must', source: 'may' },
  SystemInitPlugin: { name: 'must', path: 'must', version: 'may', source: 'may' },
  SystemInitPluginError: { plugin: 'must', type: 'must', message: 'must', path: 'may', managed_lock: 'may' },
  UserPromptExpansionHookSpecificOutput: { ...context, suppressOriginalPrompt: 'may' },
  UserPromptSubmitHookSpecificOutput: { ...context, sessionTitle: 'may', suppressOriginalPrompt: 'may' },
  WorktreeCreateHookSpecificOutput: { hookEventName: 'must', worktreePath: 'must' },
};

/** The fields of a type, and which must be there; or its values. */
export function shapeOf(name: string): object {
  const shape: Shape = SHAPES[name as keyof typeof SHAPES];
  const named = (mark?: string): readonly string[] =>
    Object.keys(shape)
      .filter((key) => mark === undefined || shape[key] === mark)
      .sort();
  return Object.values(shape)[0] === 'value' ? { values: named() } : { fields: named(), required: named('must') };
}
