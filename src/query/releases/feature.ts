/** What a run may use and some releases of the CLI do not honour. `honoured.ts` has all of them. */
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
  /** The permission mode `plan`, of the run or an agent, beside rules that allow what it is against. */
  | `plan beside ${Allowed}`
  /** Functions as hooks. */
  | 'hooks'
  /** Functions as hooks, and inline settings with `disableAllHooks`. */
  | 'hooksSwitchedOff'
  /** Functions as hooks of this event. */
  | `hook ${string}`
  /** Functions as hooks of `HOOKS_THAT_GUARD`. */
  | 'guardingHooks'
  /** A hook whose `matcher` names the tool `Agent`. */
  | 'agentMatcher'
  /** A hook whose `matcher` is a list of names with commas or blanks. */
  | 'looseMatcher'
  /** Such a list in which a name has a hyphen. */
  | 'hyphenMatcher'
  /** Rules that ask in inline settings, and are more than the name of a tool. */
  | 'askingRule'
  /** Rules that ask in inline settings, of one form. */
  | `asked ${DeniedForm}`
  /** One of `LIMITS`, in the options or inline settings. */
  | `limit ${string}`
  /** Agents in bypass mode, which the start does not allow. */
  | 'agentBypass'
  /** Agents whose `model` is not one of the old short names. */
  | 'agentModel'
  /** Agents in auto mode. */
  | 'agentAuto'
  /** Agents in plan mode. */
  | 'agentPlan'
  /** In-process servers whose tools have a policy other than to allow. */
  | 'serverToolPolicies'
  /** Agents with the effort `xhigh`. */
  | 'agentEffort'
  /** An agent that the main conversation runs as. */
  | 'mainAgent'
  /** One that restricts tools, or may: the SDK does not see the definition of an agent from a file. */
  | 'mainAgentTools'
  /** Bypass mode that the start did not allow, by a request in mid-session. */
  | 'laterBypass'
  /** The same in an answer to a permission question. */
  | 'updatedBypass'
  /** A rewind of files that only says what it would do. */
  | 'dryRun'
  /** A hook whose `matcher` names the tool `Skill`. */
  | 'skillMatcher'
  /** Agents with `maxTurns`. */
  | 'agentTurns'
  /** Agents whose `disallowedTools` name a server. */
  | 'agentsWithoutServer'
  /** Rules that deny some calls of a tool, or tools of a server. */
  | 'deniedPart'
  /** Rules that deny some commands of `Bash`. */
  | 'deniedCommands'
  /** The caller's rules that deny, in the option or inline settings: the forms that {@link olderRule} knows. */
  | `denied ${DeniedForm}`
  /** `verbatimPrompts`, unless the caller looks at each text and the release by itself. */
  | 'verbatimPrompts';

/** What a rule that allows lets the model do, and plan mode is against. */
export type Allowed = 'writing' | 'commands';

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
  /** The tool `Skill`, beside which there was `SlashCommand`. */
  | 'skillTool'
  /** `Skill(name *)`. */
  | 'skill'
  /** All files of a root: `Edit(/**)`, `Read(//**)`, `Read(~/**)`. */
  | 'root'
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
  /** The decision `ask` of hooks becomes a denial. */
  | 'askDenies'
  /** The decision `defer` of hooks becomes a denial. */
  | 'deferDenies'
  /** The decision `allow` of hooks is left out where there are rules that deny or ask, which it would overrule. */
  | 'allowBelowRules'
  /** The same in plan mode. */
  | 'allowBelowPlan'
  /** `--max-thinking-tokens=0`. */
  | 'noThinkingTokens'
  /** The same rules in an older form, beside the given ones. */
  | 'olderRules'
  /** Lists of names with `|` between them, and the older names of the tools `Agent` and `Skill` beside them. */
  | 'olderMatchers'
  /** An input that a hook changed without a decision becomes a denial: the first input would be used. */
  | 'changeDenies'
  /** A hook that guards and does not answer in time is answered by the SDK with a denial: the release would go on. */
  | 'lateDenied'
  /** The agents stay in the mode of the run, as with newer releases. */
  | 'agentModeLeftOut'
  /** The model of such agents is that of the run. The release would drop all agents. */
  | 'agentModelInherited'
  /** Such agents have no mode of their own. The release would drop all agents. */
  | 'agentAutoLeftOut'
  /** Such agents have no effort of their own. The release would drop all agents. */
  | 'agentEffortLeftOut'
  /** A diagnostic: a command in another form may run. */
  | 'looseCommands'
  /** A diagnostic: hooks are called, and cannot block. */
  | 'cannotBlock'
  /** The hooks are not called, with a diagnostic that names all of them. */
  | 'notCalled'
  /** Outputs of MCP tools are replaced by the older field. For those of other tools there is a diagnostic. */
  | 'replacesMcpOutput'
  /** A diagnostic when a `PreToolUse` hook gives the model context: it never gets there. */
  | 'contextLost';
