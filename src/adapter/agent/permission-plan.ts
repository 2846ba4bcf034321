import type { PermissionMode } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { readFields } from '../options/read-fields.js';
import { serverToolNames } from '../options/server-tools.js';
import { namesOfTool } from '../options/tool-names.js';

/** What a tool can do to the machine or the network. */
export type Capability = 'fileWrite' | 'shellExecute' | 'networkAccess';

export type PermissionLevel = 'allow' | 'ask' | 'deny';

/** What the agent may do. A missing field means `'ask'`; see docs/adapter/agents.md for what each combination does. */
export type PermissionPolicy = { readonly [C in Capability]?: PermissionLevel };

/**
 * Tool names (no rules) with their capability; `mcp__server` and `mcp__server__*` mean each tool of the server that has
 * no entry of its own. `'none'` removes a tool from the built-in table.
 */
export type ToolCategories = Readonly<Record<string, Capability | 'none'>>;

export const CAPABILITIES: readonly Capability[] = ['fileWrite', 'shellExecute', 'networkAccess'];

/** The tools that run the shell commands in a skill's text. */
const SKILL_SHELLS = ['Bash', 'PowerShell'];

/** How a policy is enforced in one run. */
export interface PermissionPlan {
  readonly permissionMode: PermissionMode;
  /** The flag that permits bypass mode. */
  readonly allowDangerouslySkipPermissions: boolean;
  /** The CLI sends its permission questions to us. */
  readonly attachesCallback: boolean;
  /** Tools that a PreToolUse hook denies, even where the CLI would not ask. */
  readonly hookDenials: readonly string[];
  /** Tools whose every call a PreToolUse hook turns into a question. */
  readonly hookAsks: readonly string[];
  /** Somebody can answer questions. */
  readonly hasHandler: boolean;
  /** Tools whose calls a PreToolUse hook judges by their input. */
  readonly hookByInput: readonly string[];
  /** The policy denies something, or commands that nobody can allow. Then nothing of the project starts by itself. */
  readonly denies: boolean;
  /** Writing is denied, also where no tool call announces it. */
  readonly deniesWrites: boolean;
  /** Tools at `deny` or `ask`, with or without a hook. No allow rule may cover them. */
  readonly restricted: readonly string[];
  /** Turns off a skill's shell commands: they are not tool calls, so neither hooks nor the callback see them. */
  readonly disablesSkillShell: boolean;
  /** The capability that decides about a call. Of several, the one that the policy limits most. */
  capabilityOf(toolOrRule: string, input?: JsonObject): Capability | undefined;
  /** The level of the policy. `undefined` without a policy, and for a tool in no category. */
  levelOf(toolOrRule: string, input?: JsonObject): PermissionLevel | undefined;
}

/**
 * Maps a policy. Pure.
 * @param policy - `undefined`: the CLI decides, and a handler answers its questions.
 * @throws AdapterConfigError `how` is not an object with these fields.
 */
export function planPermissions(
  policy: PermissionPolicy | undefined,
  how: { readonly hasHandler: boolean; readonly toolCategories?: ToolCategories | undefined },
): PermissionPlan {
  readFields(how, 'how', ['hasHandler', 'toolCategories']).boolean('hasHandler', false);
  const table = new ToolTable(how.toolCategories);
  const levels: Partial<Levels> = policy === undefined ? {} : levelsOf(policy);
  const { hasHandler } = how;
  const isDenied = (capability: Capability): boolean =>
    levels[capability] === 'deny' || (levels[capability] === 'ask' && !hasHandler);
  const isHooked = (level: PermissionLevel | undefined): boolean => level === 'deny' || (level === 'ask' && hasHandler);
  const strictness = (capability: Capability): number => STRICTNESS[levels[capability] ?? 'allow'];
  const capabilityOf = (toolOrRule: string, input?: JsonObject): Capability | undefined =>
    [...table.capabilitiesOf(toolOrRule, input)].sort((a, b) => strictness(b) - strictness(a))[0];
  const toolsAt = (level: PermissionLevel): readonly string[] =>
    CAPABILITIES.filter((capability) => levels[capability] === level).flatMap((each) => table.toolsOf(each));
  const restricted = [...toolsAt('deny'), ...toolsAt('ask')];
  return {
    ...(policy === undefined ? mode('default', hasHandler) : modeOf(levelsOf(policy), hasHandler)),
    hookDenials: toolsAt('deny'),
    // Without a handler, nobody could answer.
    hookAsks: hasHandler ? toolsAt('ask') : [],
    hasHandler,
    hookByInput: [levels.fileWrite, levels.networkAccess].some(isHooked) ? table.toolsByInput : [],
    denies: isDenied('shellExecute') || CAPABILITIES.some((each) => levels[each] === 'deny'),
    deniesWrites: isDenied('fileWrite'),
    restricted,
    disablesSkillShell: SKILL_SHELLS.some((shell) => restricted.includes(shell)),
    capabilityOf,
    levelOf: (toolOrRule, input) => {
      const capability = capabilityOf(toolOrRule, input);
      return capability && levels[capability];
    },
  };
}

const STRICTNESS: Readonly<Record<PermissionLevel, number>> = { allow: 0, ask: 1, deny: 2 };

type Levels = Readonly<Record<Capability, PermissionLevel>>;
type Mode = Pick<PermissionPlan, 'permissionMode' | 'allowDangerouslySkipPermissions' | 'attachesCallback'>;

function levelsOf(policy: PermissionPolicy): Levels {
  const { fileWrite = 'ask', shellExecute = 'ask', networkAccess = 'ask' } = policy;
  return { fileWrite, shellExecute, networkAccess };
}

/** First match wins. */
function modeOf(levels: Levels, hasHandler: boolean): Mode {
  const { fileWrite, shellExecute, networkAccess } = levels;
  const others = [shellExecute, networkAccess];
  if (fileWrite === 'allow' && others.every((level) => level === 'allow')) {
    return { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, attachesCallback: false };
  }
  if (fileWrite === 'allow' && others.every((level) => level === 'ask')) return mode('acceptEdits', hasHandler);
  return mode('default', true);
}

function mode(permissionMode: PermissionMode, attachesCallback: boolean): Mode {
  return { permissionMode, allowDangerouslySkipPermissions: false, attachesCallback };
}

/**
 * The name under which the CLI asks about a host that a sandboxed command wants to reach. It is not a tool of the
 * model, and no hook sees it (recording `sandbox-net-question`).
 */
const NETWORK_QUESTION = 'SandboxNetworkAccess';

/** Worktrees belong to git, and a schedule is written to a file. */
const WRITERS = [
  ...['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
  ...['EnterWorktree', 'ExitWorktree', 'CronCreate', 'CronDelete'],
];
/** `Monitor` runs shell commands too. Older releases use the names `KillShell` and `KillBash`. */
const SHELLS = ['Bash', 'PowerShell', 'Monitor', 'KillShell', 'KillBash'];
const WEB = ['WebFetch', 'WebSearch', NETWORK_QUESTION];
/** They send to the vendor. */
const VENDOR = ['Artifact', 'ClaudeDesign', 'Projects', 'RemoteTrigger', 'SendFeedback'];

const BUILT_IN: readonly (readonly [string, Capability])[] = [
  ...WRITERS.map((name) => [name, 'fileWrite'] as const),
  ...SHELLS.map((name) => [name, 'shellExecute'] as const),
  ...[...WEB, ...VENDOR].map((name) => [name, 'networkAccess'] as const),
];

/** Tools whose input can give a call another capability. What is unknown counts as a write. */
const BY_INPUT: ReadonlyMap<string, (input: JsonObject) => Capability | undefined> = new Map([
  ...namesOfTool('Agent').map((name) => [name, isolatedAgent] as const),
  ['Artifact', ({ out_dir: to }) => (to === undefined || to === null ? undefined : 'fileWrite')],
  // `project_write` sends the file that `local_path` names, the others save to it.
  ['Projects', ({ local_path: at, method }) => (at && method !== 'project_write' ? 'fileWrite' : undefined)],
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
  /** Tools that the caller removed. Their input is not judged either. */
  readonly #left = new Set<string>();

  constructor(overrides: ToolCategories = {}) {
    // A map, so that a tool named `constructor` finds nothing.
    const table = new Map(BUILT_IN);
    const set = (name: string, capability: Capability | 'none'): void => {
      this.#left.delete(name);
      table.delete(name);
      if (capability === 'none') this.#left.add(name);
      else table.set(name, capability);
    };
    const given = Object.entries(overrides)
      .flatMap(([key, its]) => plainNames(key).map((name) => [name, its] as const))
      // Two keys may be one name for the CLI: then the one with a category counts.
      .sort(([, a], [, b]) => Number(b === 'none') - Number(a === 'none'));
    // An entry counts for all names of the tool, former ones too, unless a name has its own entry.
    for (const [name, its] of given) for (const each of namesOfTool(name)) set(each, its);
    for (const [name, its] of given) set(name, its);
    this.#capabilities = table;
  }

  /** The capabilities of a tool, of a rule such as `Write(src/**)`, or of a call with this input. */
  capabilitiesOf(toolOrRule: string, input: JsonObject = {}): readonly Capability[] {
    const [name = ''] = plainNames(toolOrRule);
    if (this.#left.has(name)) return [];
    const own = this.#capabilities.get(name);
    const isServer = (key: string): boolean => key.endsWith('__*') && name.startsWith(key.slice(0, -1));
    const servers = own === undefined ? [...this.#capabilities].filter(([key]) => isServer(key)) : [];
    return [own, BY_INPUT.get(name)?.(input), ...servers.map(([, its]) => its)].filter((each) => each !== undefined);
  }

  /** Tools whose input can give a call another capability. */
  get toolsByInput(): readonly string[] {
    return [...BY_INPUT.keys()].filter((name) => !this.#left.has(name));
  }

  /** Tools of the capability that a hook can see; `mcp__server__*` for those of a server. */
  toolsOf(capability: Capability): readonly string[] {
    return [...this.#capabilities]
      .filter(([name, its]) => its === capability && name !== NETWORK_QUESTION)
      .map(([name]) => name);
  }
}

/** The leading identifier: `Write` for ` Write(src/**)`, `mcp__x__Write` for itself. */
export function toolNameOf(toolOrRule: string): string {
  const text = toolOrRule.trim();
  return /^(?:mcp__[^(]*[^(\s]|[\p{L}\p{M}\p{N}_.-]+)/u.exec(text)?.[0] ?? text;
}

/** The same as the CLI may write it. */
function plainNames(toolOrRule: string): readonly string[] {
  const name = toolNameOf(toolOrRule);
  const names = serverToolNames(name);
  return names.length > 0 ? names : [name];
}

/** Whether a key of `toolCategories` can be the name of a tool or a server. Any other would limit nothing. */
export function isToolKey(key: string): boolean {
  return /^(?:(?!mcp__)[\p{L}\p{M}\p{N}_.-]+|mcp__(?!_*$)[^*?()]+(?:__\*)?)$/u.test(key.trim());
}
