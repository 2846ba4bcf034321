import type {
  SDKAssistantMessage,
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
} from '../../index.js';
import {
  isAssistantMessage,
  isPermissionDeniedMessage,
  isResultMessage,
  isTaskNotificationMessage,
  isTaskProgressMessage,
  isTaskStartedMessage,
  isTaskUpdatedMessage,
} from '../../parser/guards.js';
import { blocksOf, fieldsOf, type Unchecked } from '../../parser/read-message.js';
import { type TokenUsage, tokenCount } from '../../parser/token-usage.js';
import type { UsageCounter } from '../../parser/usage-counter.js';
import { isJsonObject, stringField } from '../../util/json.js';
import type { HookState } from '../hooks/hook-run.js';
import { namesOfTool } from '../options/tool-names.js';
import type { ReportDenial, ReportSubagent, ReportTokens, ReportToolUse } from './run-report.js';

/** Which tools a run asked for and which calls were refused, as its messages say. */
export class ToolTally {
  readonly #requested = new Map<string, Set<string>>();
  readonly #refused: ReportDenial[] = [];

  onMessage(message: object): void {
    if (isAssistantMessage(message)) this.#onAssistant(message);
    else if (isPermissionDeniedMessage(message)) this.#refuse(message);
    else if (isResultMessage(message)) {
      const { permission_denials: denials } = fieldsOf(message);
      for (const denial of Array.isArray(denials) ? denials : []) this.#refuse(denial);
    }
  }

  used(hooks: HookState | undefined): ReportToolUse[] {
    const completed = new Map<string, number>();
    for (const [name, count] of hooks?.toolsUsed ?? []) {
      const present = presentName(name);
      completed.set(present, (completed.get(present) ?? 0) + count);
    }
    const names = new Set([...this.#requested.keys(), ...completed.keys()]);
    return [...names].map((name) => {
      const ended = completed.get(name) ?? 0;
      // Calls of a sub-agent may end without a message that asked for them.
      const requested = Math.max(this.#requested.get(name)?.size ?? 0, ended);
      return { name, requested, completed: ended };
    });
  }

  /** A call that the adapter refused is also in the CLI's lists, without the reason. */
  denials(hooks: HookState | undefined): ReportDenial[] {
    const own = (hooks?.denials ?? []).map(
      ({ toolName, toolUseId, reason }): ReportDenial => ({
        toolName: presentName(toolName),
        toolUseId: toolUseId ?? null,
        reason,
        by: 'adapter',
      }),
    );
    const known = new Set(own.map(({ toolUseId }) => toolUseId));
    return [...own, ...this.#refused.filter(({ toolUseId }) => !known.has(toolUseId))];
  }

  #onAssistant(message: SDKAssistantMessage): void {
    for (const { type, name: called, id } of blocksOf(message)) {
      if (type !== 'tool_use') continue;
      const name = presentName(typeof called === 'string' ? called : 'unknown');
      const ids = this.#requested.get(name) ?? new Set();
      this.#requested.set(name, ids.add(typeof id === 'string' ? id : `${ids.size}`));
    }
  }

  #refuse(denial: unknown): void {
    if (!isJsonObject(denial)) return;
    const toolUseId = stringField(denial, 'tool_use_id') ?? null;
    const isKnown = this.#refused.some((each) => each.toolUseId === toolUseId);
    if (isKnown && toolUseId !== null) return;
    this.#refused.push({
      toolName: presentName(stringField(denial, 'tool_name') ?? 'unknown'),
      toolUseId,
      reason: stringField(denial, 'decision_reason') ?? stringField(denial, 'message') ?? null,
      by: 'cli',
    });
  }
}

/** One tool has one name in the report: the CLI offers `Task`, and its hooks and messages say `Agent` (`subagent`). */
export function presentName(name: string): string {
  return namesOfTool(name)[0] ?? name;
}

interface Seen {
  type: string | null;
  status: string;
  toolCalls: number | null;
  durationMs: number | null;
  models: Set<string>;
}

type TaskFrame = SDKTaskStartedMessage | SDKTaskProgressMessage | SDKTaskUpdatedMessage | SDKTaskNotificationMessage;

/** The sub-agents of a run, from its messages. */
export class SubagentTally {
  readonly #seen = new Map<string, Seen>();
  /** Of the main thread. */
  readonly #mainModels = new Set<string>();

  onMessage(message: object): void {
    if (isAssistantMessage(message)) this.#onAssistant(message);
    else if (isTaskStartedMessage(message)) this.#onTask(fieldsOf(message), true);
    else if (isTaskProgressMessage(message) || isTaskUpdatedMessage(message) || isTaskNotificationMessage(message)) {
      this.#onTask(fieldsOf(message), false);
    }
  }

  list(usage: UsageCounter): ReportSubagent[] {
    const isOnly = this.#seen.size === 1 && this.#hasNamedAll(usage);
    return [...this.#seen].map(([toolUseId, { models, ...seen }]) => {
      const isExact = isOnly && Object.keys(usage.subagents).length > 0;
      const tokens = isExact ? usage.subagents : (usage.bySubagent.get(toolUseId) ?? {});
      return { toolUseId, ...seen, ...tokensOf(tokens), isExact, costUsd: this.#cost(models, usage, toolUseId) };
    });
  }

  /** A model that no message named was used by the CLI itself, and is part of the sum for sub-agents. */
  #hasNamedAll({ byModel }: UsageCounter): boolean {
    const agents = [...this.#seen.values()].map(({ models }) => models);
    // An agent whose messages were not forwarded may have used any.
    if (agents.some(({ size }) => size === 0)) return true;
    const named = new Set([this.#mainModels, ...agents].flatMap((models) => [...models].map(bare)));
    return Object.keys(byModel).every((model) => named.has(bare(model)));
  }

  /** The CLI reports costs by model, so they are this agent's when no other agent used its models. */
  #cost(models: ReadonlySet<string>, usage: UsageCounter, toolUseId: string): number | null {
    const others = [...this.#seen].filter(([id]) => id !== toolUseId).map(([, seen]) => seen.models);
    const isShared = [...models].some((model) => [this.#mainModels, ...others].some((used) => used.has(model)));
    const costs = [...models].map((model) => usage.byModel[model]?.costUsd);
    if (models.size === 0 || isShared || costs.includes(undefined)) return null;
    return costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
  }

  #onAssistant(assistant: SDKAssistantMessage): void {
    const { message, parent_tool_use_id: parent } = fieldsOf(assistant);
    const models = typeof parent === 'string' ? this.#of(parent).models : this.#mainModels;
    const model = isJsonObject(message) ? message.model : undefined;
    if (typeof model === 'string') models.add(model);
  }

  #onTask(task: Unchecked<TaskFrame>, hasStarted: boolean): void {
    const { tool_use_id: id, subagent_type: type, status, usage } = task;
    if (typeof id !== 'string') return;
    // Background commands are tasks too.
    if (hasStarted ? task.task_type !== 'local_agent' : !this.#seen.has(id)) return;
    const seen = this.#of(id);
    if (typeof type === 'string') seen.type = type;
    if (typeof status === 'string') seen.status = status;
    if (!isJsonObject(usage)) return;
    seen.toolCalls = tokenCount(usage.tool_uses) ?? seen.toolCalls;
    seen.durationMs = tokenCount(usage.duration_ms) ?? seen.durationMs;
  }

  #of(id: string): Seen {
    let seen = this.#seen.get(id);
    if (seen === undefined) {
      seen = { type: null, status: 'running', toolCalls: null, durationMs: null, models: new Set() };
      this.#seen.set(id, seen);
    }
    return seen;
  }
}

/** Without what the CLI adds to a name, such as `[1m]`. */
function bare(model: string): string {
  return model.replace(/\[[^[\]]*\]$/, '');
}

/** Tokens as in a report: unknown is `null`. */
export function tokensOf({ inputTokens, outputTokens, cachedTokens }: TokenUsage): ReportTokens {
  return { inputTokens: inputTokens ?? null, outputTokens: outputTokens ?? null, cachedTokens: cachedTokens ?? null };
}
