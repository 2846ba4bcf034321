import { namesOfTool } from '../../constants.js';
import type { PermissionMode } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { readFields } from '../options/read-fields.js';

/** What a tool can do to the machine or the network. */
export type Capability = 'fileWrite' | 'shellExecute' | 'networkAccess';

export type PermissionLevel = 'allow' | 'ask' | 'deny';

/** What the agent may do. A missing field means `'ask'`; see docs/adapter/agents.md for what each combination does. */
export type PermissionPolicy = { readonly [C in Capability]?: PermissionLevel };

/** Tool names (no rules) with their capability; `'none'` takes a tool out of the built-in table. */
export type ToolCategories = Readonly<Record<string, Capability | 'none'>>;

export const CAPABILITIES: readonly Capability[] = ['fileWrite', 'shellExecute', 'networkAccess'];

/** What runs the commands in a skill's text. */
const SKILL_SHELLS = ['Bash', 'PowerShell'];

/** What a policy comes down to for one run. */
export interface PermissionPlan {
  readonly permissionMode: PermissionMode;
  /** The flag that permits bypass mode. */
  readonly allowDangerouslySkipPermissions: boolean;
  /** Whether the CLI's questions come to us. */
  readonly attachesCallback: boolean;
  /** Tools for which a PreToolUse hook denies, also where the CLI would not ask. */
  readonly hookDenials: readonly string[];
  /** Tools for which a PreToolUse hook turns every call into a question. */
  readonly hookAsks: readonly string[];
  /** Somebody can answer questions. */
  readonly hasHandler: boolean;
  /** Tools of which a PreToolUse hook judges each call by its input. */
  readonly hookByInput: readonly string[];
  /** The policy denies something, or commands that nobody is there to allow: then nothing of a project starts by itself. */
  readonly denies: boolean;
  /** Writing is denied, also where no tool call says that it writes. */
  readonly deniesWrites: boolean;
  /** Tools at `deny` or `ask`, whether a hook is there or not: no allow rule may cover them. */
  readonly restricted: readonly string[];
  /** A skill's shell commands are no tool calls: no hook and no callback hears of them, so they are turned off. */
  readonly disablesSkillShell: boolean;
  /** The capability that a call is judged by: of several the one that the policy limits most. */
  capabilityOf(toolOrRule: string, input?: JsonObject): Capability | undefined;
  /** What the policy says; `undefined` for a tool in no category, and for every tool without a policy. */
  levelOf(toolOrRule: string, input?: JsonObject): PermissionLevel | undefined;
}

/**
 * Maps a policy. Pure.
 *
 * @param policy - `undefined`: the CLI decides, and a handler answers what it asks
 * @param how.hasHandler - somebody can answer questions
 * @throws AdapterConfigError `how` is no object of these fields.
 */
export function planPermissions(
  policy: PermissionPolicy | undefined,
  how: { readonly hasHandler: boolean; readonly toolCategories?: ToolCategories | undefined },
): PermissionPlan {
  readFields(how, 'how', ['hasHandler', 'toolCategories']).boolean('hasHandler', false);
  const table = new ToolTable(how.toolCategories);
  if (policy === undefined) {
    return {
      ...mode('default', how.hasHandler),
      hookDenials: [],
      hookAsks: [],
      hasHandler: how.hasHandler,
      hookByInput: [],
      denies: false,
      deniesWrites: false,
      restricted: [],
      disablesSkillShell: false,
      capabilityOf: (toolOrRule, input) => table.capabilitiesOf(toolOrRule, input)[0],
      levelOf: () => undefined,
    };
  }
  const levels = levelsOf(policy);
  const isDenied = (capability: Capability): boolean =>
    levels[capability] === 'deny' || (levels[capability] === 'ask' && !how.hasHandler);
  const isHooked = (level: PermissionLevel): boolean =>
    level === 'deny' || (level === 'ask' && how.hasHandler);
  const capabilityOf = (toolOrRule: string, input?: JsonObject): Capability | undefined =>
    [...table.capabilitiesOf(toolOrRule, input)].sort(
      (a, b) => STRICTNESS[levels[b]] - STRICTNESS[levels[a]],
    )[0];
  const toolsAt = (level: PermissionLevel): readonly string[] =>
    CAPABILITIES.filter((capability) => levels[capability] === level).flatMap((capability) =>
      table.toolsOf(capability),
    );
  const restricted = [...toolsAt('deny'), ...toolsAt('ask')];
  return {
    ...modeOf(levels, how.hasHandler),
    hookDenials: toolsAt('deny'),
    // Without a handler nobody could answer.
    hookAsks: how.hasHandler ? toolsAt('ask') : [],
    hasHandler: how.hasHandler,
    hookByInput: [levels.fileWrite, levels.networkAccess].some(isHooked) ? table.toolsByInput : [],
    denies: isDenied('shellExecute') || CAPABILITIES.some((each) => levels[each] === 'deny'),
    deniesWrites: isDenied('fileWrite'),
    restricted,
    disablesSkillShell: SKILL_SHELLS.some((shell) => restricted.includes(shell)),
    capabilityOf,
    levelOf: (toolOrRule, input) => {
      const capability = capabilityOf(toolOrRule, input);
      return capability === undefined ? undefined : levels[capability];
    },
  };
}

const STRICTNESS: Readonly<Record<PermissionLevel, number>> = { allow: 0, ask: 1, deny: 2 };

type Levels = Readonly<Record<Capability, PermissionLevel>>;
type Mode = Pick<
  PermissionPlan,
  'permissionMode' | 'allowDangerouslySkipPermissions' | 'attachesCallback'
>;

function levelsOf(policy: PermissionPolicy): Levels {
  const { fileWrite = 'ask', shellExecute = 'ask', networkAccess = 'ask' } = policy;
  return { fileWrite, shellExecute, networkAccess };
}

/** First match wins. */
function modeOf(levels: Levels, hasHandler: boolean): Mode {
  const { fileWrite, shellExecute, networkAccess } = levels;
  const others = [shellExecute, networkAccess];
  if (fileWrite === 'allow' && others.every((level) => level === 'allow')) {
    return {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      attachesCallback: false,
    };
  }
  if (fileWrite === 'allow' && others.every((level) => level === 'ask')) {
    return mode('acceptEdits', hasHandler);
  }
  return mode('default', true);
}

function mode(permissionMode: PermissionMode, attachesCallback: boolean): Mode {
  return { permissionMode, allowDangerouslySkipPermissions: false, attachesCallback };
}

/**
 * The name under which the CLI asks about a host that a sandboxed command wants to reach. No tool of the model: a question
 * only, which no hook sees (`sandbox-net-question`).
 */
const NETWORK_QUESTION = 'SandboxNetworkAccess';

/**
 * `Monitor` runs shell commands too; `KillShell` and `KillBash` are former names that older releases still use. The last four
 * of `fileWrite` make and remove git worktrees and keep a file of scheduled tasks. The last of `networkAccess` send to the
 * vendor's own service.
 */
const BUILT_IN: readonly (readonly [string, Capability])[] = [
  ['Write', 'fileWrite'],
  ['Edit', 'fileWrite'],
  ['MultiEdit', 'fileWrite'],
  ['NotebookEdit', 'fileWrite'],
  ['EnterWorktree', 'fileWrite'],
  ['ExitWorktree', 'fileWrite'],
  ['CronCreate', 'fileWrite'],
  ['CronDelete', 'fileWrite'],
  ['Bash', 'shellExecute'],
  ['PowerShell', 'shellExecute'],
  ['Monitor', 'shellExecute'],
  ['KillShell', 'shellExecute'],
  ['KillBash', 'shellExecute'],
  ['WebFetch', 'networkAccess'],
  ['WebSearch', 'networkAccess'],
  [NETWORK_QUESTION, 'networkAccess'],
  ['Artifact', 'networkAccess'],
  ['ClaudeDesign', 'networkAccess'],
  ['Projects', 'networkAccess'],
  ['RemoteTrigger', 'networkAccess'],
  ['SendFeedback', 'networkAccess'],
];

/** Tools whose input can make a call do more than their name says. An `isolation` that nobody knows yet counts as a write. */
const BY_INPUT: ReadonlyMap<string, (input: JsonObject) => Capability | undefined> = new Map([
  ...namesOfTool('Agent').map((name) => [name, isolatedAgent] as const),
  ['Monitor', ({ ws }) => (ws === undefined || ws === null ? undefined : 'networkAccess')],
]);

/** `worktree` makes a branch and a working tree in the user's repository. */
function isolatedAgent({ isolation }: JsonObject): Capability | undefined {
  if (isolation === undefined || isolation === null) return undefined;
  return isolation === 'remote' ? 'networkAccess' : 'fileWrite';
}

/** Which tool has which capability. */
class ToolTable {
  readonly #capabilities: ReadonlyMap<string, Capability>;
  /** Tools that the caller has taken out: their input counts for nothing either. */
  readonly #left = new Set<string>();

  constructor(overrides: ToolCategories = {}) {
    // A map: a tool named `constructor` must find nothing.
    const table = new Map(BUILT_IN);
    const set = (name: string, capability: Capability | 'none'): void => {
      this.#left.delete(name);
      if (capability === 'none') this.#left.add(name);
      if (capability === 'none') table.delete(name);
      else table.set(name, capability);
    };
    const given = Object.entries(overrides).map(([name, its]) => [toolNameOf(name), its] as const);
    // A tool is meant by each of its names, former ones too, unless that name has an entry of its own.
    for (const [name, its] of given) for (const each of namesOfTool(name)) set(each, its);
    for (const [name, its] of given) set(name, its);
    this.#capabilities = table;
  }

  /** The capabilities that a tool, or a rule about one such as `Write(src/**)`, is about; and a call with this input. */
  capabilitiesOf(toolOrRule: string, input: JsonObject = {}): readonly Capability[] {
    const name = toolNameOf(toolOrRule);
    const byInput = this.#left.has(name) ? undefined : BY_INPUT.get(name)?.(input);
    const found = [this.#capabilities.get(name), byInput];
    return found.filter((each) => each !== undefined);
  }

  /** Tools of which some calls do more than their name says. */
  get toolsByInput(): readonly string[] {
    return [...BY_INPUT.keys()].filter((name) => !this.#left.has(name));
  }

  /** Tools of the capability that a hook can see. */
  toolsOf(capability: Capability): readonly string[] {
    return [...this.#capabilities]
      .filter(([name, its]) => its === capability && name !== NETWORK_QUESTION)
      .map(([name]) => name);
  }
}

/** The leading identifier: `Write` of ` Write(src/**)`, `mcp__x__Write` of itself. */
export function toolNameOf(toolOrRule: string): string {
  return /^\s*([\w.-]+)/.exec(toolOrRule)?.[1] ?? toolOrRule.trim();
}
