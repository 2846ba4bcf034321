import { successAnswer } from '../player/auto-answers.js';
import type { ScriptItem } from '../script/script-item.js';
import type { MessageFrames } from './messages.js';
import type { ResultFrames } from './results.js';

export type InterruptedFrames = Pick<MessageFrames, 'toolResult'> & Pick<ResultFrames, 'errorResult'>;

interface Question {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly input: unknown;
}

const REJECTED = "The user doesn't want to proceed with this tool use.";

/** What the CLI does when it is interrupted while it asks for a permission, from the interrupt to the result. */
export function interruptedQuestion(
  requestId: string,
  { tool_name, tool_use_id, input }: Question,
  variable: string,
  { toolResult, errorResult }: InterruptedFrames,
): ScriptItem {
  const interrupt = { type: 'control_request', request_id: `$${variable}` };
  const rejected = toolResult(REJECTED, {
    toolUseId: tool_use_id,
    isError: true,
    tool_use_result: 'User rejected tool use',
    tool_result_meta: [{ id: tool_use_id, non_execution_kind: 'user-rejected' }],
  });
  const text = '[Request interrupted by user for tool use]';
  const errors = ['[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=tool_use'];
  return [
    { in: { ...interrupt, request: { subtype: 'interrupt' } } },
    { type: 'control_cancel_request', request_id: requestId },
    { out: successAnswer(interrupt, { still_queued: [] }) },
    rejected,
    toolResult('', { message: { role: 'user', content: [{ type: 'text', text }] } }),
    errorResult('error_during_execution', errors, {
      num_turns: 3,
      stop_reason: 'tool_use',
      terminal_reason: 'aborted_tools',
      permission_denials: [{ tool_name, tool_use_id, tool_input: Object(input) }],
    }),
  ];
}
