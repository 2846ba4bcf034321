import { namesOfTool } from '../../constants.js';
import type { SDKAssistantMessage } from '../../index.js';
import {
  isAssistantMessage,
  isPermissionDeniedMessage,
  isResultMessage,
} from '../../parser/guards.js';
import { blocksOf, fieldsOf } from '../../parser/read-message.js';
import { isJsonObject, stringField } from '../../util/json.js';
import type { HookState } from '../hooks/hook-run.js';
import type { ReportDenial, ReportToolUse } from './run-report.js';

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

  /** A call that a check of ours refused is also in the CLI's lists, there without our reason. */
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
