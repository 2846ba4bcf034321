import { isJsonObject, stringField } from '../../src/util/json.js';

const TYPES = [
  'assistant',
  'user',
  'result',
  'stream_event',
  'tool_progress',
  'tool_use_summary',
  'auth_status',
  'rate_limit_event',
  'prompt_suggestion',
  'conversation_reset',
  'command_lifecycle',
  'keep_alive',
  'transcript_mirror',
  'control_request',
  'control_response',
  'control_cancel_request',
] as const;

const SYSTEM_SUBTYPES = [
  'init',
  'status',
  'compact_boundary',
  'api_retry',
  'thinking_tokens',
  'session_state_changed',
  'permission_denied',
  'informational',
  'notification',
  'local_command_output',
  'commands_changed',
  'control_request_progress',
  'model_fallback',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'plugin_install',
  'files_persisted',
  'memory_recall',
  'elicitation_complete',
  'mirror_error',
  'session_writes_lost',
  'session_title_changed',
  'worker_shutting_down',
  'hook_started',
  'hook_progress',
  'hook_response',
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
  'background_tasks_changed',
] as const;

/** What a frame is: its `type`, and for `system` frames its subtype as well. */
export type FrameKind =
  | (typeof TYPES)[number]
  | `system/${(typeof SYSTEM_SUBTYPES)[number]}`
  /** An object of a type, or a `system` frame of a subtype, that this version does not know. */
  | 'unknown'
  /** Not an object, or an object whose `type` is not a non-empty string. */
  | 'malformed';

const KIND_BY_TYPE: ReadonlyMap<string, FrameKind> = new Map(TYPES.map((type) => [type, type]));
const KIND_BY_SUBTYPE: ReadonlyMap<string, FrameKind> = new Map(
  SYSTEM_SUBTYPES.map((subtype) => [subtype, `system/${subtype}` as const]),
);

/** Says what a frame is by looking at `type` and `subtype` alone. Never throws. */
export function kindOfFrame(frame: unknown): FrameKind {
  if (!isJsonObject(frame)) return 'malformed';
  const type = frame.type;
  if (typeof type !== 'string' || type === '') return 'malformed';
  const kind = type === 'system' ? KIND_BY_SUBTYPE.get(stringField(frame, 'subtype') ?? '') : KIND_BY_TYPE.get(type);
  return kind ?? 'unknown';
}
