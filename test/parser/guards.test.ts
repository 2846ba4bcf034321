import { describe, expect, test } from 'vitest';
import * as guardModule from '../../src/parser/guards.js';

const guards = { ...guardModule };

const accepts: Record<keyof typeof guards, object> = {
  isAssistantMessage: { type: 'assistant' },
  isUserMessage: { type: 'user' },
  isUserMessageReplay: { type: 'user', isReplay: true },
  isResultMessage: { type: 'result' },
  isResultSuccess: { type: 'result', subtype: 'success' },
  isResultError: { type: 'result', subtype: 'error_max_turns' },
  isInitMessage: { type: 'system', subtype: 'init' },
  isStreamEvent: { type: 'stream_event' },
  isStatusMessage: { type: 'system', subtype: 'status' },
  isCompactBoundaryMessage: { type: 'system', subtype: 'compact_boundary' },
  isAPIRetryMessage: { type: 'system', subtype: 'api_retry' },
  isPermissionDeniedMessage: { type: 'system', subtype: 'permission_denied' },
  isHookStartedMessage: { type: 'system', subtype: 'hook_started' },
  isHookResponseMessage: { type: 'system', subtype: 'hook_response' },
  isTaskStartedMessage: { type: 'system', subtype: 'task_started' },
  isTaskProgressMessage: { type: 'system', subtype: 'task_progress' },
  isTaskUpdatedMessage: { type: 'system', subtype: 'task_updated' },
  isTaskNotificationMessage: { type: 'system', subtype: 'task_notification' },
  isToolProgressMessage: { type: 'tool_progress' },
  isRateLimitEvent: { type: 'rate_limit_event' },
};

/** Which guards hold for a frame besides its own: a replay is a user message, a success is a result. */
const also: Partial<Record<keyof typeof guards, (keyof typeof guards)[]>> = {
  isUserMessageReplay: ['isUserMessage'],
  isResultMessage: ['isResultError'],
  isResultSuccess: ['isResultMessage'],
  isResultError: ['isResultMessage'],
};

const names = Object.keys(guards) as (keyof typeof guards)[];

describe.each(names)('%s', (name) => {
  test('accepts its frame, and no other guard does without reason', () => {
    const accepting = names.filter((other) => guards[other](accepts[name]));
    expect(accepting.sort()).toEqual([name, ...(also[name] ?? [])].sort());
  });

  test.each([null, undefined, 0, 'result', [], [{ type: 'result' }], {}, { type: 'system' }])('refuses %j', (value) => {
    expect(guards[name](value)).toBe(false);
  });
});
