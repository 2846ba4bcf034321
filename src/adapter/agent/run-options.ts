import type { CanUseTool, HookCallbackMatcher, SettingSource } from '../../index.js';
import { withoutFileMonitor } from '../isolation/environment.js';
import type { RuntimeOptions } from '../runtime/agent-runtime.js';
import type { AgentOptions } from './agent-types.js';
import { type PermissionPlan, toolNameOf } from './permission-plan.js';
import { worktreeHooks } from './policy-hooks.js';

export interface RunParts {
  readonly env: Readonly<Record<string, string>>;
  /** Of this run alone: the caller's signal is not handed over. */
  readonly abortController: AbortController;
  readonly canUseTool: CanUseTool | undefined;
  readonly policyHooks: readonly HookCallbackMatcher[];
  /** The machine has a `managed-mcp.json`: it rules alone, and the CLI then takes no flag about servers. */
  readonly hasManagedServers: boolean;
}

/** Without those of the project, `.mcp.json` and local settings among them. */
const OWN_SOURCES: readonly SettingSource[] = ['user'];

/** The SDK's options for one run. Absent fields stay absent. Pure. */
export function toRuntimeOptions(
  options: AgentOptions,
  plan: PermissionPlan,
  parts: RunParts,
): RuntimeOptions {
  const { cwd, model, maxTurns, maxBudgetUsd, resume, allowedTools, disallowedTools } = options;
  const { mcpServers, systemPrompt, pathToClaudeCodeExecutable } = options;
  // Settings of the project start hooks and helpers, with the child's environment.
  const settingSources = options.settingSources ?? (plan.denies ? OWN_SOURCES : undefined);
  return {
    ...defined({ cwd, model, maxTurns, maxBudgetUsd, systemPrompt, pathToClaudeCodeExecutable }),
    ...(resume === undefined || resume === '' ? {} : { resume }),
    ...(allowedTools === undefined ? {} : toolLists(allowedTools, plan)),
    ...(disallowedTools === undefined ? {} : { disallowedTools: [...disallowedTools] }),
    ...(mcpServers === undefined ? {} : { mcpServers: { ...mcpServers } }),
    ...(plan.denies && !parts.hasManagedServers ? { strictMcpConfig: true } : {}),
    ...(settingSources === undefined ? {} : { settingSources: [...settingSources] }),
    ...(plan.disablesSkillShell ? { settings: { disableSkillShellExecution: true } } : {}),
    ...(options.interpretPrompts === true ? {} : { verbatimPrompts: true }),
    // Nobody was asked, so nobody declined.
    unhandledElicitation: 'cancel',
    permissionMode: plan.permissionMode,
    ...(plan.allowDangerouslySkipPermissions ? { allowDangerouslySkipPermissions: true } : {}),
    ...defined({ canUseTool: parts.canUseTool, hooks: hooksOf(options, plan, parts) }),
    // The allow list holds nothing that the callback restricts.
    ...(parts.canUseTool === undefined ? {} : { meansToShadow: true }),
    includePartialMessages: options.includePartialMessages ?? true,
    env: plan.denies ? withoutFileMonitor(parts.env) : { ...parts.env },
    abortController: parts.abortController,
  };
}

/**
 * The CLI's allow list only spares the question, so a list goes twice: as the tools there are, and, without what the policy
 * denies or asks about, as the ones that need no question.
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

/** Whether a rule is about the tool: by a pattern, or as one for the whole server. The CLI's patterns may match less. */
function covers(rule: string, tool: string): boolean {
  const name = rule.replace(/\(.*/s, '').trim();
  if (name.startsWith('mcp__') && tool.startsWith(`${name}__`)) return true;
  const parts = name.split(/\*+/).map((part) => part.replace(/[^\w-]/g, '\\$&'));
  return parts.length > 1 && new RegExp(`^${parts.join('.*')}$`).test(tool);
}

/**
 * The CLI takes several rules in one entry, parted by commas or blanks: none of them may hide behind the first. What stands
 * in parentheses is one rule's own.
 */
function splitRules(entry: string): readonly string[] {
  return entry.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*\)|\()+/g) ?? [];
}

function hooksOf(
  options: AgentOptions,
  plan: PermissionPlan,
  { policyHooks }: RunParts,
): RuntimeOptions['hooks'] {
  const WorktreeCreate = worktreeHooks(plan);
  if (policyHooks.length === 0 && WorktreeCreate.length === 0) return options.hooks;
  return {
    ...options.hooks,
    // In place of the caller's: one that makes a worktree would write.
    ...(WorktreeCreate.length === 0 ? {} : { WorktreeCreate }),
    ...(policyHooks.length === 0
      ? {}
      : { PreToolUse: [...policyHooks, ...(options.hooks?.PreToolUse ?? [])] }),
  };
}

/** @returns a copy without the fields that are `undefined`: an absent option and an undefined one are not the same to everybody */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  // What was filtered out is what the type says may be missing.
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * The child's environment: the host's, with the caller's laid over it. Without `CLAUDECODE`, which would tell the CLI that
 * it runs inside another one.
 */
export function childEnvironment(
  hostEnv: Readonly<Record<string, string | undefined>>,
  env: AgentOptions['env'] = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries({ ...hostEnv, ...env }).filter(
      (entry): entry is [string, string] =>
        typeof entry[1] === 'string' && entry[0].toUpperCase() !== 'CLAUDECODE',
    ),
  );
}
