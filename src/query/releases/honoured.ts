import type { Allowed, DeniedForm, Feature } from './feature.js';

/*
 * Data alone, which `lacking.ts` reads. Each entry says which releases were seen to ignore it
 * (`docs/reference/releases.md`), and what the SDK does about that.
 */

/** No run is started on anything older: the system prompt would be lost (seen with 2.0.0 to 2.0.55). */
export const OLDEST_RELEASE = '2.0.56';

/** Commands run in plan mode, and no callback is asked. */
const PLAN_RUNS_COMMANDS = ['2.1.198', '2.1.211'] as const;

export const PLAN_MODE: Feature = {
  use: 'planMode',
  option: "permissionMode: 'plan'",
  except: [PLAN_RUNS_COMMANDS],
  otherwise: 'refuse',
};

/** What a rule allows is done in plan mode too, that of an agent included. */
export const PLAN_BESIDE_ALLOWED: Readonly<Record<Allowed, Feature>> = {
  writing: planBeside('writing', 'rules that allow to write', '2.1.136'),
  commands: planBeside('commands', 'a rule that allows `Bash`', '2.1.212'),
};

function planBeside(allowed: Allowed, rules: string, since: string): Feature {
  const option = `permissionMode: 'plan' beside ${rules}`;
  return { use: `plan beside ${allowed}`, option, since, otherwise: 'refuse' };
}

/** A rule that allows all of a tool lets calls pass that a narrower one denies. Any source may have it, at any time. */
export const DENIED_PART: Feature = {
  use: 'deniedPart',
  option: 'disallowedTools: rules about calls',
  except: [['2.1.63', '2.1.72']],
  otherwise: 'refuse',
};

/** Inline settings show in the plan. Files are read by `switched-off-hooks.ts`. */
export const HOOKS_SWITCHED_OFF: Feature = {
  use: 'hooksSwitchedOff',
  option: 'hooks beside disableAllHooks',
  since: '2.1.48',
  otherwise: 'refuse',
};

/** The events whose calls and prompts an old release lets go on when a hook does not answer in time. */
export const HOOKS_THAT_GUARD: ReadonlySet<string> = new Set(['PreToolUse', 'UserPromptSubmit']);

/** The releases that keep each limit of settings, where not all of them do. By the path of its keys. */
export const LIMITS: Readonly<Record<string, Pick<Feature, 'since' | 'except'>>> = {
  allowedMcpServers: { since: '2.1.83' },
  deniedMcpServers: { since: '2.1.83' },
  disableSkillShellExecution: { since: '2.1.91' },
  'permissions.blockReadsOutsideWorkingDirectories': { since: '2.1.257' },
  'permissions.blockWritesOutsideWorkingDirectories': { since: '2.1.314' },
  'permissions.disableBypassPermissionsMode': { except: [['2.1.285', '2.1.301']] },
  'sandbox.credentials.envVars': { since: '2.1.187' },
  'sandbox.credentials.files': { since: '2.1.187' },
  'sandbox.filesystem.denyRead': { since: '2.1.78' },
  'sandbox.filesystem.denyWrite': { since: '2.1.78' },
  'sandbox.network.deniedDomains': { since: '2.1.113' },
  'sandbox.network.strictAllowlist': { since: '2.1.219' },
};

/** The first release that calls hooks of an event, where that is not the oldest. */
export const EVENTS: Readonly<Record<string, string>> = {
  PermissionRequest: '2.1.21',
  PostCompact: '2.1.76',
  StopFailure: '2.1.78',
  UserPromptExpansion: '2.1.116',
  PostToolBatch: '2.1.118',
  MessageDisplay: '2.1.152',
  // By the changelog of Claude Code: they were not run.
  Setup: '2.1.10',
  TeammateIdle: '2.1.33',
  TaskCompleted: '2.1.33',
  ConfigChange: '2.1.49',
  WorktreeCreate: '2.1.50',
  WorktreeRemove: '2.1.50',
  InstructionsLoaded: '2.1.69',
  Elicitation: '2.1.76',
  ElicitationResult: '2.1.76',
  CwdChanged: '2.1.83',
  FileChanged: '2.1.83',
  TaskCreated: '2.1.84',
  PermissionDenied: '2.1.89',
  DirectoryAdded: '2.1.219',
};

/**
 * The first release that understands each form of rules. Older ones take the rule, and it denies or asks nothing. Those
 * with an example have no older form.
 */
const RULE_FORMS: readonly (readonly [DeniedForm, since: string, example?: string])[] = [
  ['server', '2.0.70'],
  ['prefix', '2.0.77'],
  ['root', '2.1.133'],
  ['pattern', '2.0.77', 'Bash(a * b)'],
  ['agentType', '2.0.77', 'Agent(type)'],
  ['all', '2.1.20'],
  ['agent', '2.1.63'],
  ['skillTool', '2.0.73'],
  ['skill', '2.1.139'],
  ['name', '2.1.166', 'Ba*'],
  ['domain', '2.1.172', 'WebFetch(domain:*.a.org)'],
  ['parameter', '2.1.178', 'Tool(name:value)'],
];

function ruleFeatures([form, since, example]: (typeof RULE_FORMS)[number]): Feature[] {
  const suffix = example === undefined ? '' : `: ${example}`;
  const otherwise = example === undefined ? 'olderRules' : 'refuse';
  return [
    { use: `denied ${form}`, option: `disallowedTools${suffix}`, since, otherwise },
    { use: `asked ${form}`, option: `settings.permissions.ask${suffix}`, since, otherwise: 'refuse' },
  ];
}

export const FEATURES: readonly Feature[] = [
  { use: 'initialize.systemPrompt[]', option: 'systemPrompt', since: '2.1.110', otherwise: 'joinParts' },
  // Older releases ignore the form with `=`, and would apply everything that a user has set.
  { use: '--setting-sources=', option: 'settingSources', since: '2.0.72', otherwise: 'twoArguments' },
  { use: 'sandbox', option: 'sandbox', since: '2.1.83', otherwise: 'refuse' },
  // They start in auto mode, or in the plan mode of a settings file.
  {
    ...{ use: 'noPermissionMode', option: 'permissionMode', otherwise: 'defaultMode' },
    except: [PLAN_RUNS_COMMANDS, ['2.1.285', '2.1.301']],
  },
  PLAN_MODE,
  ...Object.values(PLAN_BESIDE_ALLOWED),
  HOOKS_SWITCHED_OFF,
  DENIED_PART,
  ...Object.entries(EVENTS).map(
    ([event, since]): Feature => ({ use: `hook ${event}`, option: `hooks.${event}`, since, otherwise: 'notCalled' }),
  ),
  // A hook's decision to ask is ignored for a call that anything else approves, the mode `default` included.
  { use: 'hooks', option: 'hooks', since: '2.1.85', otherwise: 'askDenies' },
  { use: 'hooks', option: 'hooks', since: '2.1.89', otherwise: 'deferDenies' },
  { use: 'hooks', option: 'updatedInput', since: '2.1.2', otherwise: 'changeDenies' },
  { use: 'hook PreToolUse', option: 'hooks', since: '2.1.77', otherwise: 'allowBelowRules' },
  { use: 'hook PreToolUse', option: 'hooks', since: '2.1.299', otherwise: 'allowBelowPlan' },
  { use: 'hooks', option: 'updatedToolOutput', since: '2.1.121', otherwise: 'replacesMcpOutput' },
  { use: 'hooks', option: 'additionalContext', since: '2.1.9', otherwise: 'contextLost' },
  { use: 'guardingHooks', option: 'hooks', since: '2.1.160', otherwise: 'lateDenied' },
  { use: 'agentMatcher', option: 'hooks', since: '2.1.63', otherwise: 'olderMatchers' },
  { use: 'looseMatcher', option: 'hooks', since: '2.1.191', otherwise: 'olderMatchers' },
  { use: 'hyphenMatcher', option: 'hooks', since: '2.1.195', otherwise: 'olderMatchers' },
  ...RULE_FORMS.flatMap(ruleFeatures),
  ...Object.entries(LIMITS).map(
    ([path, honoured]): Feature => ({ use: `limit ${path}`, option: path, ...honoured, otherwise: 'refuse' }),
  ),
  { use: 'deniedCommands', option: 'disallowedTools: Bash(…)', since: '2.1.319', otherwise: 'looseCommands' },
  { use: 'serverToolPolicies', option: 'mcpServers.tools', since: '2.1.301', otherwise: 'refuse' },
  { use: 'agentBypass', option: 'agents.permissionMode', since: '2.1.267', otherwise: 'agentModeLeftOut' },
  { use: 'agentModel', option: 'agents.model', since: '2.1.74', otherwise: 'agentModelInherited' },
  { use: 'agentAuto', option: 'agents.permissionMode', since: '2.1.71', otherwise: 'agentAutoLeftOut' },
  // Before 2.1.38 agents have no effort.
  { use: 'agentEffort', option: 'agents.effort', except: [['2.1.38', '2.1.110']], otherwise: 'agentEffortLeftOut' },
  // Before 2.0.59 its flag ends the release. Then its prompt is lost.
  { use: 'mainAgent', option: 'agent', since: '2.1.9', otherwise: 'refuse' },
  // Given to the run as a whole, its lists would also bind the agents that it starts.
  { use: 'mainAgentTools', option: 'agent: tools, disallowedTools', since: '2.1.119', otherwise: 'refuse' },
  { use: 'laterBypass', option: "permissionMode: 'bypassPermissions'", since: '2.1.75', otherwise: 'refuse' },
  { use: 'updatedBypass', option: 'updatedPermissions', since: '2.1.110', otherwise: 'refuse' },
  { use: 'dryRun', option: 'rewindFiles({ dryRun: true })', since: '2.0.77', otherwise: 'refuse' },
  { use: 'hook PreCompact', option: 'hooks.PreCompact', since: '2.1.105', otherwise: 'cannotBlock' },
  { use: 'skillMatcher', option: 'hooks', since: '2.0.73', otherwise: 'olderMatchers' },
  { use: 'agentTurns', option: 'agents.maxTurns', since: '2.1.8', otherwise: 'refuse' },
  { use: 'agentsWithoutServer', option: 'agents.disallowedTools: mcp__server', since: '2.1.178', otherwise: 'refuse' },
  // A tool that the mode or another rule allows runs unasked: in bypass mode before 2.1.69, and by a rule before this.
  { use: 'askingRule', option: 'settings.permissions.ask', since: '2.1.73', otherwise: 'refuse' },
  // A leading slash would be a command, and `@path` would read a file.
  { use: 'verbatimPrompts', option: 'verbatimPrompts', since: '2.1.248', otherwise: 'refuse' },
  // Else the CLI runs the tool that an alias replaces.
  { use: 'initialize.toolAliases', option: 'toolAliases', since: '2.1.142', otherwise: 'refuse' },
  // What follows ends older releases with `unknown option`.
  { use: '--thinking=disabled', option: 'thinking', since: '2.1.47', otherwise: 'noThinkingTokens' },
  { use: '--thinking=adaptive', option: 'thinking', since: '2.1.47', otherwise: 'leaveOut' },
  { use: '--thinking-display=', option: 'thinking.display', since: '2.1.94', otherwise: 'leaveOut' },
  { use: '--effort=', option: 'effort', since: '2.1.38', otherwise: 'leaveOut' },
  { use: '--task-budget=', option: 'taskBudget', since: '2.1.84', otherwise: 'leaveOut' },
  { use: '--betas=', option: 'betas', since: '2.0.58', otherwise: 'leaveOut' },
  { use: '--debug-file=', option: 'debugFile', since: '2.1.20', otherwise: 'leaveOut' },
  { use: '--include-hook-events', option: 'includeHookEvents', since: '2.1.88', otherwise: 'leaveOut' },
  { use: '--no-session-persistence', option: 'persistSession: false', since: '2.0.64', otherwise: 'refuse' },
  { use: '--session-mirror', option: 'sessionStore', since: '2.1.97', otherwise: 'refuse' },
  { use: '--managed-settings', option: 'managedSettings', since: '2.1.118', otherwise: 'refuse' },
  { use: '--plugin-dir-no-mcp=', option: 'plugins[].skipMcpDiscovery', since: '2.1.172', otherwise: 'refuse' },
  { use: '--resume-drops-turn=', option: 'resumeDropsTurn', since: '2.1.223', otherwise: 'refuse' },
  // They come with the flag `--await-initialize`.
  { use: 'initialize.mcpServers', option: 'mcpServersDelivery', since: '2.1.261', otherwise: 'refuse' },
  { use: 'initialize.plugins', option: 'pluginDelivery', since: '2.1.261', otherwise: 'refuse' },
  { use: '--permission-prompts=', option: 'permissionPrompts', since: '2.1.259', otherwise: 'refuse' },
  { use: '--project-config-root=', option: 'projectConfigRoot', since: '2.1.275', otherwise: 'refuse' },
];
