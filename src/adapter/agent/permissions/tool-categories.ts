import { namesOfTool } from '../../../constants.js';
import type { JsonObject } from '../../../util/json.js';
import type { Capability, ToolCategories } from '../agent-types.js';

/**
 * The name under which the CLI asks about a host that a sandboxed command wants to reach. No tool of the model: a question
 * only, which no hook sees (`sandbox-net-question`).
 */
export const NETWORK_QUESTION = 'SandboxNetworkAccess';

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
export class ToolTable {
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
