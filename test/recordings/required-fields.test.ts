import { describe, expect, test } from 'vitest';
import type * as M from '../../src/parser/message.js';
import type { JsonObject } from '../../src/util/json.js';
import { kindOfFrame } from './frame-kind.js';
import { outFrames, recordingNames } from './load.js';

/** Keys that a type demands. */
type RequiredKeys<T> = {
  [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? never : K;
}[keyof T];

/** The compiler holds each list against its type: no key too many, none left out. */
function required<T>(keys: Record<RequiredKeys<T> & string, true>): string[] {
  return Object.keys(keys);
}

const ids = { uuid: true, session_id: true } as const;
const system = { type: true, subtype: true, ...ids } as const;
const hook = { ...system, hook_id: true, hook_name: true, hook_event: true } as const;
const result = {
  type: true,
  subtype: true,
  ...ids,
  duration_ms: true,
  duration_api_ms: true,
  is_error: true,
  num_turns: true,
  stop_reason: true,
  total_cost_usd: true,
  usage: true,
  modelUsage: true,
  permission_denials: true,
} as const;

const table: Record<string, string[]> = {
  assistant: required<M.SDKAssistantMessage>({ type: true, message: true, parent_tool_use_id: true, ...ids }),
  user: required<M.SDKUserMessage>({ type: true, message: true, parent_tool_use_id: true }),
  'result/success': required<M.SDKResultSuccess>({ ...result, result: true }),
  'result/error': required<M.SDKResultError>({ ...result, errors: true }),
  stream_event: required<M.SDKPartialAssistantMessage>({ type: true, event: true, parent_tool_use_id: true, ...ids }),
  tool_progress: required<M.SDKToolProgressMessage>({
    type: true,
    tool_use_id: true,
    tool_name: true,
    parent_tool_use_id: true,
    elapsed_time_seconds: true,
    ...ids,
  }),
  prompt_suggestion: required<M.SDKPromptSuggestionMessage>({ type: true, suggestion: true, ...ids }),
  conversation_reset: required<M.SDKConversationResetMessage>({ type: true, new_conversation_id: true, ...ids }),
  command_lifecycle: required<M.SDKCommandLifecycleMessage>({ type: true, command_uuid: true, state: true, ...ids }),
  'system/init': required<M.SDKSystemMessage>({
    ...system,
    cwd: true,
    tools: true,
    mcp_servers: true,
    model: true,
    permissionMode: true,
    slash_commands: true,
    apiKeySource: true,
    claude_code_version: true,
    output_style: true,
    skills: true,
    plugins: true,
  }),
  'system/status': required<M.SDKStatusMessage>({ ...system, status: true }),
  'system/compact_boundary': required<M.SDKCompactBoundaryMessage>({ ...system, compact_metadata: true }),
  'system/api_retry': required<M.SDKAPIRetryMessage>({
    ...system,
    attempt: true,
    max_retries: true,
    retry_delay_ms: true,
    error_status: true,
    error: true,
  }),
  'system/thinking_tokens': required<M.SDKThinkingTokensMessage>({
    ...system,
    estimated_tokens: true,
    estimated_tokens_delta: true,
  }),
  'system/session_state_changed': required<M.SDKSessionStateChangedMessage>({ ...system, state: true }),
  'system/permission_denied': required<M.SDKPermissionDeniedMessage>({
    ...system,
    tool_name: true,
    tool_use_id: true,
    message: true,
  }),
  'system/informational': required<M.SDKInformationalMessage>({ ...system, content: true, level: true }),
  'system/notification': required<M.SDKNotificationMessage>({ ...system, key: true, text: true, priority: true }),
  'system/model_fallback': required<M.SDKModelFallbackMessage>({
    ...system,
    trigger: true,
    original_model: true,
    fallback_model: true,
    content: true,
  }),
  'system/session_title_changed': required<M.SDKSessionTitleChangedMessage>({ ...system, title: true }),
  'system/hook_started': required<M.SDKHookStartedMessage>(hook),
  'system/hook_response': required<M.SDKHookResponseMessage>({
    ...hook,
    output: true,
    stdout: true,
    stderr: true,
    outcome: true,
  }),
  'system/task_started': required<M.SDKTaskStartedMessage>({ ...system, task_id: true, description: true }),
  'system/task_progress': required<M.SDKTaskProgressMessage>({
    ...system,
    task_id: true,
    description: true,
    usage: true,
  }),
  'system/task_updated': required<M.SDKTaskUpdatedMessage>({ ...system, task_id: true, patch: true }),
  'system/task_notification': required<M.SDKTaskNotificationMessage>({
    ...system,
    task_id: true,
    status: true,
    output_file: true,
    summary: true,
  }),
  'system/background_tasks_changed': required<M.SDKBackgroundTasksChangedMessage>({ ...system, tasks: true }),
};

function tableKey(frame: JsonObject): string {
  const kind = kindOfFrame(frame);
  if (kind !== 'result') return kind;
  return frame.subtype === 'success' ? 'result/success' : 'result/error';
}

const framesByKey = new Map<string, JsonObject[]>();
for (const frame of recordingNames.flatMap(outFrames)) {
  const key = tableKey(frame);
  if (key.startsWith('control_') || key === 'keep_alive') continue;
  framesByKey.set(key, [...(framesByKey.get(key) ?? []), frame]);
}

test('every kind of message that was recorded is in the table, and no other', () => {
  expect([...framesByKey.keys()].sort()).toEqual(Object.keys(table).sort());
});

describe('every recorded message has the fields that its type demands', () => {
  test.each(Object.keys(table))('%s', (key) => {
    for (const frame of framesByKey.get(key) ?? []) {
      expect(table[key]!.filter((field) => !(field in frame))).toEqual([]);
    }
  });
});
