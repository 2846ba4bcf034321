/**
 * What a run may use and some releases of the CLI do not honour. Data alone: `gate.ts` reads it. Each entry says which
 * releases were seen to ignore it (`docs/reference/releases.md`), and what the SDK does about that.
 */
export interface Feature {
  /**
   * How it shows in a launch plan: a flag (`--debug`, with a value `--effort=`), a field of `initialize`
   * (`initialize.plugins`), one that is a list (`initialize.systemPrompt[]`), or one of {@link NamedUse}.
   */
  readonly use: `--${string}` | `initialize.${string}` | NamedUse;
  /** The caller's option, for error texts, with its value where only that one is meant. */
  readonly option: string;
  /** The first release that honours it. @defaultValue every release that a run may use */
  readonly since?: string;
  /** Later releases that do not, first and last of each range. */
  readonly except?: readonly (readonly [first: string, last: string])[];
  /**
   * What happens on a release that does not honour it. `refuse`: the run ends with a `CLIVersionError` before anything
   * is started; for what protects, or decides what the run is about, and cannot be had another way. `leaveOut`: the run
   * goes on without the flag, with a diagnostic. The others make it true another way.
   */
  readonly otherwise: 'refuse' | 'leaveOut' | Remedy;
}

/** Uses that neither a flag nor a field shows. */
export type NamedUse =
  /** A sandbox without which no command may run: `enabled` and `failIfUnavailable`, in the option or inline settings. */
  | 'sandbox'
  /** No permission mode, neither as an option nor in inline settings. */
  | 'noPermissionMode'
  /** The permission mode `plan`, as an option or in inline settings. */
  | 'planMode'
  /** Functions as hooks. */
  | 'hooks'
  /** Functions as hooks, and inline settings with `disableAllHooks`. */
  | 'hooksSwitchedOff'
  /** Functions as hooks of this event. */
  | `hook ${string}`
  /** A hook whose `matcher` names the tool `Agent`. */
  | 'agentMatcher'
  /** A hook whose `matcher` is a list of names with commas or blanks. */
  | 'looseMatcher'
  /** Rules that ask in inline settings, and are more than the name of a tool. */
  | 'askingRule'
  /** Such rules of one form. */
  | `asked ${DeniedForm}`
  /** Agents whose `disallowedTools` name a server. */
  | 'agentsWithoutServer'
  /** The caller's rules that deny, in the option or inline settings: the forms that {@link olderRule} knows. */
  | `denied ${DeniedForm}`
  /** `verbatimPrompts`, unless the caller looks at each text and the release by itself. */
  | 'verbatimPrompts';

/** Forms of rules that deny and that not every release understands. */
export type DeniedForm =
  /** The tool `Agent`, which was named `Task`. */
  | 'agent'
  /** Agents of one type: `Agent(Explore)`, `Task(Explore)`. */
  | 'agentType'
  /** `Bash(git push *)`. */
  | 'prefix'
  /** Another `*` in a rule for `Bash`. */
  | 'pattern'
  /** `Write(*)`, `Bash()`: all of a tool. `Bash(*)` is a `prefix`. */
  | 'all'
  /** `Bash(run_in_background:true)`. */
  | 'parameter'
  /** `WebFetch(domain:*.example.com)`. */
  | 'domain'
  /** `Skill(name *)`. */
  | 'skill'
  /** `mcp__server__*`. */
  | 'server'
  /** Another `*` in the name of a tool. */
  | 'name';

/** Ways to make it true on a release that does not honour it. */
export type Remedy =
  /** The parts of the system prompt, joined by a blank line. */
  | 'joinParts'
  /** `--permission-mode=default`, with a diagnostic: what settings files say of the mode is overruled. */
  | 'defaultMode'
  /** `--setting-sources` and its value as two arguments. */
  | 'twoArguments'
  /** Decisions of hooks that the release does not know, or does not carry out, become denials. */
  | 'askDenies'
  /** `--max-thinking-tokens=0`. */
  | 'noThinkingTokens'
  /** The same rules in an older form, beside the given ones. */
  | 'olderRules'
  /** Lists of names with `|` between them, and the older name of the tool `Agent` beside it. */
  | 'olderMatchers'
  /** An input that a hook changed without a decision becomes a denial: the first input would be used. */
  | 'changeDenies'
  /** The hooks are not called, with a diagnostic that names all of them. */
  | 'notCalled'
  /** Outputs of MCP tools are replaced by the older field. For those of other tools there is a diagnostic. */
  | 'replacesMcpOutput';

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

/** Inline settings show in the plan. Files are read by `switched-off-hooks.ts`. */
export const HOOKS_SWITCHED_OFF: Feature = {
  use: 'hooksSwitchedOff',
  option: 'hooks beside disableAllHooks',
  since: '2.1.48',
  otherwise: 'refuse',
};

/** The first release that calls hooks of an event, where that is not the oldest. */
const EVENTS: Readonly<Record<string, string>> = {
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
  ['pattern', '2.0.77', 'Bash(a * b)'],
  ['agentType', '2.0.77', 'Agent(type)'],
  ['all', '2.1.20'],
  ['agent', '2.1.63'],
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
  HOOKS_SWITCHED_OFF,
  ...Object.entries(EVENTS).map(
    ([event, since]): Feature => ({ use: `hook ${event}`, option: `hooks.${event}`, since, otherwise: 'notCalled' }),
  ),
  // A hook's decision to ask is ignored for a call that anything else approves, the mode `default` included.
  { use: 'hooks', option: 'hooks', since: '2.1.85', otherwise: 'askDenies' },
  { use: 'hooks', option: 'updatedInput', since: '2.1.2', otherwise: 'changeDenies' },
  { use: 'hooks', option: 'updatedToolOutput', since: '2.1.121', otherwise: 'replacesMcpOutput' },
  { use: 'agentMatcher', option: 'hooks', since: '2.1.63', otherwise: 'olderMatchers' },
  { use: 'looseMatcher', option: 'hooks', since: '2.1.191', otherwise: 'olderMatchers' },
  ...RULE_FORMS.flatMap(ruleFeatures),
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
  { use: '--agent=', option: 'agent', since: '2.0.59', otherwise: 'refuse' },
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
