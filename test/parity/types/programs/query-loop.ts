import { query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk';

/** Every member of the union has its place; a member more or less does not compile. */
export function describe(message: SDKMessage): string {
  switch (message.type) {
    case 'assistant':
      return message.message.content.map((block) => (block.type === 'text' ? block.text : block.type)).join('');
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : 'blocks';
    case 'result':
      return message.subtype === 'success' ? message.result : message.errors.join('\n');
    case 'stream_event':
      return message.event.type === 'content_block_delta' ? message.event.delta.type : '';
    case 'system':
      return describeSystem(message);
    case 'tool_progress':
      return `${message.tool_name} ${message.elapsed_time_seconds}`;
    case 'tool_use_summary':
      return message.summary;
    case 'auth_status':
      return message.output.join('\n');
    case 'rate_limit_event':
      return message.rate_limit_info.status;
    case 'prompt_suggestion':
      return message.suggestion;
    case 'conversation_reset':
      return message.new_conversation_id;
    default:
      return impossible(message);
  }
}

function describeSystem(message: Extract<SDKMessage, { type: 'system' }>): string {
  switch (message.subtype) {
    case 'init':
      return message.tools.join();
    case 'api_retry':
    case 'background_tasks_changed':
    case 'commands_changed':
    case 'compact_boundary':
    case 'control_request_progress':
    case 'elicitation_complete':
    case 'files_persisted':
    case 'hook_progress':
    case 'hook_response':
    case 'hook_started':
    case 'informational':
    case 'local_command_output':
    case 'memory_recall':
    case 'mirror_error':
    case 'model_refusal_fallback':
    case 'model_refusal_no_fallback':
    case 'notification':
    case 'permission_denied':
    case 'plugin_install':
    case 'session_state_changed':
    case 'session_writes_lost':
    case 'status':
    case 'task_notification':
    case 'task_progress':
    case 'task_started':
    case 'task_updated':
    case 'thinking_tokens':
    case 'worker_shutting_down':
      return message.subtype;
    default:
      return impossible(message);
  }
}

function impossible(message: never): never {
  throw new Error(`Unknown message: ${JSON.stringify(message)}`);
}

export async function run(prompt: string): Promise<number> {
  let cost = 0;
  for await (const message of query({ prompt, options: { maxTurns: 3 } })) {
    console.log(describe(message));
    if (message.type === 'result') cost = message.total_cost_usd;
  }
  return cost;
}
