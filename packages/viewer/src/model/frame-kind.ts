import { isJsonObject, objectAt, textAt } from './json.js';
import type { Direction } from './view-data.js';

/** The kind of a frame: its tags, whatever else is in it. */
export function kindOf(dir: Direction, frame: unknown): string {
  if (dir === 'err') return 'stderr';
  if (!isJsonObject(frame)) return 'text';
  if (dir === 'meta') return `meta/${tag(frame.event) ?? tag(frame.type) ?? (frame.scenario ? 'recording' : 'note')}`;
  const type = tag(frame.type);
  if (type === undefined) return 'untyped';
  const subtype =
    textAt(frame, 'subtype') ??
    textAt(frame.request, 'subtype') ??
    textAt(frame.response, 'subtype') ??
    textAt(frame.event, 'type');
  return subtype === undefined ? type : `${type}/${tag(subtype)}`;
}

/** A tag comes from the source: it must not be a page of text. */
function tag(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 60) : undefined;
}

/** Types that the CLI writes. What it says about itself under another type is shown as unknown. */
const OUT_TYPES = new Set([
  ...['assistant', 'user', 'system', 'result', 'stream_event', 'rate_limit_event', 'conversation_reset'],
  ...['control_request', 'control_response', 'control_cancel_request', 'keep_alive', 'tool_progress'],
  ...['command_lifecycle', 'prompt_suggestion', 'tool_use_summary', 'auth_status', 'transcript_mirror'],
  ...['streamlined_text', 'streamlined_tool_use_summary'],
]);

const IN_TYPES = new Set([
  ...['user', 'control_request', 'control_response', 'control_cancel_request', 'keep_alive'],
  ...['update_environment_variables'],
]);

export function isKnownType(dir: Direction, type: string): boolean {
  return dir === 'in' ? IN_TYPES.has(type) : OUT_TYPES.has(type);
}

/** Whether a user message has the results of tools, and is no prompt. */
export function toolResultsIn(frame: unknown): readonly { readonly id: string; readonly block: object }[] {
  const { content } = objectAt(frame, 'message');
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    const id = textAt(block, 'tool_use_id');
    return isJsonObject(block) && block.type === 'tool_result' && id !== undefined ? [{ id, block }] : [];
  });
}
