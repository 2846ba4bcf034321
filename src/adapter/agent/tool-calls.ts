import { isJsonObject, type JsonObject, omitUndefined } from '../../util/json.js';
import type { Clock } from '../limits/clock.js';
import type { ToolResultEvent, ToolUseEvent } from './agent-event.js';
import { blocksOf, objectField, textField, withWireNames } from './message-fields.js';

interface Call {
  readonly name: string;
  readonly startedAt: number;
}

/** The tool calls of one run, with their refusals and durations. */
export class ToolCalls {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #calls = new Map<string, Call>();
  readonly #refused = new Set<string>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Distinct ids. */
  get count(): number {
    return this.#calls.size;
  }

  has(id: string): boolean {
    return this.#calls.has(id);
  }

  refused(id: string): void {
    if (id !== '') this.#refused.add(id);
  }

  onUse(block: JsonObject): ToolUseEvent['payload'] {
    const toolUseId = textField(block, 'id') ?? textField(block, 'tool_use_id') ?? '';
    const names = ['name', 'tool_name', 'toolName'].map((key) => textField(block, key));
    const toolName = names.find((name) => name !== undefined) ?? 'unknown';
    if (!this.#calls.has(toolUseId)) this.#calls.set(toolUseId, { name: toolName, startedAt: this.#clock.monotonic() });
    const input = objectField(block, 'input');
    const { description } = input;
    return { toolName, toolUseId, input, ...(typeof description === 'string' ? { description } : {}) };
  }

  onResult(block: JsonObject, message: JsonObject): ToolResultEvent['payload'] {
    const toolUseId = textField(block, 'tool_use_id') ?? '';
    const call = this.#calls.get(toolUseId);
    return {
      toolUseId,
      toolName: call?.name ?? 'unknown',
      status: this.#status(toolUseId, block, message),
      output: resultIn(block, message),
      ...omitUndefined({ durationMs: call && Math.max(0, Math.round(this.#clock.monotonic() - call.startedAt)) }),
    };
  }

  #status(toolUseId: string, block: JsonObject, message: JsonObject): ToolResultEvent['payload']['status'] {
    if (this.#refused.has(toolUseId)) return 'denied';
    if (block.is_error !== true) return 'success';
    return isRejected(toolUseId, message) ? 'denied' : 'error';
  }
}

/** The structured result belongs to the whole message, so it is used only when there is one block. */
function resultIn(block: JsonObject, message: JsonObject): unknown {
  const results = blocksOf(message).filter((each) => each.type === 'tool_result');
  const structured = results.length === 1 ? message.tool_use_result : undefined;
  return structured ?? block.content;
}

/** True when the CLI reports that it refused the call, by a rule, a mode or a hook. */
function isRejected(toolUseId: string, message: JsonObject): boolean {
  const { tool_result_meta: meta } = message;
  if (!Array.isArray(meta)) return false;
  return meta.some(
    (entry: unknown) =>
      isJsonObject(entry) &&
      entry.id === toolUseId &&
      objectField(withWireNames(entry), 'permission_decision').decision === 'reject',
  );
}
