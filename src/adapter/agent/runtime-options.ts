import type { CanUseTool, HookCallbackMatcher, SettingSource } from '../../index.js';
import { omitUndefined } from '../../util/json.js';
import { withoutFileMonitor } from '../isolation/environment.js';
import { serverToolNames } from '../options/server-tools.js';
import type { RuntimeOptions } from '../runtime/agent-runtime.js';
import type { AgentOptions } from './agent-types.js';
import { worktreeHooks } from './enforce-policy.js';
import { type PermissionPlan, toolNameOf } from './permission-plan.js';

export interface RunParts {
  readonly env: Readonly<Record<string, string>>;
  /** Belongs to this run. The caller's signal is not passed on. */
  readonly abortController: AbortController;
  readonly canUseTool: CanUseTool | undefined;
  readonly policyHooks: readonly HookCallbackMatcher[];
  /** The machine has a `managed-mcp.json`, and the CLI then accepts no flag about servers. */
  readonly hasManagedServers: boolean;
}

/** Leaves out the settings of the project, its local settings and `.mcp.json`. */
const OWN_SOURCES: readonly SettingSource[] = ['user'];

/** The SDK's options for one run. Absent fields stay absent. Pure. */
export function toRuntimeOptions(options: AgentOptions, plan: PermissionPlan, parts: RunParts): RuntimeOptions {
  const { cwd, model, maxTurns, maxBudgetUsd, systemPrompt, pathToClaudeCodeExecutable } = options;
  const { allowedTools, disallowedTools, mcpServers } = options;
  // Settings of the project start hooks and helpers, with the child's environment.
  const settingSources = options.settingSources ?? (plan.denies ? OWN_SOURCES : undefined);
  return {
    ...omitUndefined({ cwd, model, maxTurns, maxBudgetUsd, systemPrompt, pathToClaudeCodeExecutable }),
    ...omitUndefined({
      resume: options.resume || undefined,
      disallowedTools: disallowedTools && [...disallowedTools],
      mcpServers: mcpServers && { ...mcpServers },
      settingSources: settingSources && [...settingSources],
      canUseTool: parts.canUseTool,
      hooks: hooksOf(options, plan, parts),
      checksOnFailure: (parts.policyHooks.length > 0 && !hasOnFailure(options.hooks)) || undefined,
    }),
    ...(allowedTools === undefined ? {} : toolLists(allowedTools, plan)),
    ...(plan.denies && !parts.hasManagedServers ? { strictMcpConfig: true } : {}),
    ...(plan.disablesSkillShell ? { settings: { disableSkillShellExecution: true } } : {}),
    ...(options.interpretPrompts === true ? {} : { verbatimPrompts: true }),
    // Not `decline`: nobody was asked.
    unhandledElicitation: 'cancel',
    permissionMode: plan.permissionMode,
    ...(plan.allowDangerouslySkipPermissions ? { allowDangerouslySkipPermissions: true } : {}),
    // The allow list has nothing that the callback restricts, so the SDK's warning is not needed.
    ...(parts.canUseTool === undefined ? {} : { meansToShadow: true }),
    includePartialMessages: options.includePartialMessages ?? true,
    env: plan.denies ? withoutFileMonitor(parts.env) : { ...parts.env },
    abortController: parts.abortController,
  };
}

/**
 * The CLI's allow list only saves the permission question. So the list is passed twice: as the tools there are, and,
 * without those that the policy denies or asks about, as the tools that need no permission.
 */
function toolLists(
  allowedTools: readonly string[],
  plan: PermissionPlan,
): Pick<RuntimeOptions, 'tools' | 'allowedTools'> {
  const entries = allowedTools.flatMap(splitRules);
  const names = entries.map(toolNameOf).filter((name) => !name.startsWith('mcp__'));
  return {
    tools: [...new Set(names)],
    allowedTools: entries.filter((entry) => {
      if (plan.restricted.some((tool) => covers(entry, tool))) return false;
      const level = plan.levelOf(entry);
      return level === undefined || level === 'allow';
    }),
  };
}

/** Whether a rule covers the tool by a pattern or by its server. The CLI's patterns may match less. */
function covers(rule: string, tool: string): boolean {
  const name = rule.replace(/\(.*/s, '').trim();
  const servers = [name, ...serverToolNames(name)].map((each) => `${each.replace(/__\*$/, '')}__`);
  if (name.startsWith('mcp__') && servers.some((server) => tool.startsWith(server))) return true;
  // Two patterns: they are taken to meet where one's fixed beginning goes on from the other's.
  const [ours = '', theirs = ''] = [tool, name].map((each) => each.split('*', 1)[0]);
  if (tool.endsWith('*') && name.includes('*') && (ours.startsWith(theirs) || theirs.startsWith(ours))) return true;
  const parts = name.split(/\*+/).map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return parts.length > 1 && new RegExp(`^${parts.join('.*')}$`).test(tool);
}

/**
 * The CLI accepts several rules in one entry, separated by commas or blanks outside of parentheses. Each one is
 * checked.
 */
function splitRules(entry: string): readonly string[] {
  return entry.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*\)|\()+/g) ?? [];
}

function hooksOf(options: AgentOptions, plan: PermissionPlan, { policyHooks }: RunParts): RuntimeOptions['hooks'] {
  const WorktreeCreate = worktreeHooks(plan);
  if (policyHooks.length === 0 && WorktreeCreate.length === 0) return options.hooks;
  return {
    ...options.hooks,
    // Replaces the caller's hook, which would write a worktree.
    ...(WorktreeCreate.length === 0 ? {} : { WorktreeCreate }),
    ...(policyHooks.length === 0 ? {} : { PreToolUse: [...policyHooks, ...(options.hooks?.PreToolUse ?? [])] }),
  };
}

/** The caller's own hooks need the confirmation that the session asks for. */
function hasOnFailure(hooks: AgentOptions['hooks'] = {}): boolean {
  return Object.values(hooks).some((matchers) => matchers?.some(({ onFailure }) => onFailure === 'block'));
}

/**
 * The child's environment: the host's variables, overridden by the caller's. `CLAUDECODE` is left out because the CLI
 * would think that it runs inside another one.
 */
export function childEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  env: AgentOptions['env'] = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...hostEnv, ...env }).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0].toUpperCase() !== 'CLAUDECODE',
    ),
  );
}
