import { namesOfTool } from '../../../constants/names-of-tool.js';
import type { Capability, ToolCategories } from '../agent-types.js';

/**
 * The name under which the CLI asks about a host that a sandboxed command wants to reach. No tool of the model: a question
 * only, which no hook sees (`sandbox-net-question`).
 */
export const NETWORK_QUESTION = 'SandboxNetworkAccess';

/**
 * `Monitor` runs shell commands too; `KillShell` and `KillBash` are former names that older releases still use. The last four
 * of `fileWrite` make and remove git worktrees and keep a file of scheduled tasks.
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
];

/** Which tool has which capability. */
export class ToolTable {
  readonly #capabilities: ReadonlyMap<string, Capability>;

  constructor(overrides: ToolCategories = {}) {
    // A map: a tool named `constructor` must find nothing.
    const table = new Map(BUILT_IN);
    const set = (name: string, capability: Capability | 'none'): void => {
      if (capability === 'none') table.delete(name);
      else table.set(name, capability);
    };
    const given = Object.entries(overrides).map(([name, its]) => [toolNameOf(name), its] as const);
    // A tool is meant by each of its names, former ones too, unless that name has an entry of its own.
    for (const [name, its] of given) for (const each of namesOfTool(name)) set(each, its);
    for (const [name, its] of given) set(name, its);
    this.#capabilities = table;
  }

  /** The capability that a tool, or a rule about one such as `Write(src/**)`, is about. */
  capabilityOf(toolOrRule: string): Capability | undefined {
    return this.#capabilities.get(toolNameOf(toolOrRule));
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
