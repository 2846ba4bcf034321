import type { CanUseTool, PermissionMode } from '../../control/permission-types.js';

/** Settings of single tools. */
export type ToolConfig = {
  askUserQuestion?: {
    /** What previews in questions are written in. Wire: variable `CLAUDE_CODE_QUESTION_PREVIEW_FORMAT`. */
    previewFormat?: 'markdown' | 'html';
  };
};

/** Which tools exist, which may run without asking, and who is asked. */
export type ToolOptions = {
  /**
   * The built-in tools that exist. `[]`: none. The preset: all of the CLI's. Wire: `--tools=A,B`,
   * `--tools=`, `--tools=default`.
   *
   * @defaultValue the CLI's choice
   */
  tools?: string[] | { type: 'preset'; preset: 'claude_code' };

  /**
   * Tools that run **without asking**. It does not restrict: other tools still exist (use `tools`), and
   * may be asked about. Wire: `--allowedTools=A,B`; an empty list is not sent.
   */
  allowedTools?: string[];

  /** Tools that are never run. Wire: `--disallowedTools=A,B`; an empty list is not sent. */
  disallowedTools?: string[];

  /** Other names for tools. Wire: `toolAliases` of `initialize`, also when empty. */
  toolAliases?: Record<string, string>;

  /** Settings of single tools. */
  toolConfig?: ToolConfig;

  /**
   * Skills the model may use. `'all'` allows the `Skill` tool; a list allows `Skill(name)` for each.
   * Names are checked, since one with a comma or a parenthesis would allow other tools.
   * Wire: `--allowedTools`, and for a list `skills` of `initialize`.
   */
  skills?: string[] | 'all';

  /**
   * How permissions work. Any name passes: the CLI may know newer ones. Wire: `--permission-mode=V`.
   *
   * @defaultValue the CLI's own (`default`, or what its settings say)
   */
  permissionMode?: PermissionMode;

  /**
   * Needed by the CLI before `bypassPermissions` can be used. Wire: `--allow-dangerously-skip-permissions`.
   *
   * @defaultValue false
   */
  allowDangerouslySkipPermissions?: boolean;

  /**
   * Decides on tools that no rule allows. Not asked for tools in `allowedTools`, nor in `bypassPermissions`
   * (a process warning `CLAUDE_SDK_CAN_USE_TOOL_SHADOWED` says so). Wire: `--permission-prompt-tool=stdio`.
   */
  canUseTool?: CanUseTool;

  /** An MCP tool that decides instead of `canUseTool`. Not both. Wire: `--permission-prompt-tool=V`. */
  permissionPromptToolName?: string;

  /** Whether anybody can be asked. Wire: `--permission-prompts=V`. */
  permissionPrompts?: 'host' | 'none';
};
