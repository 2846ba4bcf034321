import type { JsonObject } from '../../src/util/json.js';
import type { Step } from './scripted-cli.js';

/** Frames as the CLI sends them, cut to what readers look at. For scenario steps given in code. */

export const SESSION_ID = '5f0c7d1e-0000-4000-8000-000000000001';

export function initFrame(over: JsonObject = {}): JsonObject {
  return {
    type: 'system',
    subtype: 'init',
    cwd: '$cwd',
    session_id: SESSION_ID,
    tools: ['Bash', 'Read'],
    mcp_servers: [],
    model: 'claude-opus-5-5',
    permissionMode: 'default',
    slash_commands: [],
    apiKeySource: 'none',
    claude_code_version: '2.1.330',
    output_style: 'default',
    agents: [],
    skills: [],
    plugins: [],
    uuid: '$uuid',
    ...over,
  };
}

export function assistantFrame(text: string, over: JsonObject = {}): JsonObject {
  return {
    type: 'assistant',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text }],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    },
    parent_tool_use_id: null,
    session_id: SESSION_ID,
    uuid: '$uuid',
    ...over,
  };
}

export function resultFrame(over: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    duration_ms: 20,
    duration_api_ms: 10,
    num_turns: 1,
    result: 'Hello.',
    stop_reason: 'end_turn',
    terminal_reason: 'completed',
    session_id: SESSION_ID,
    total_cost_usd: 0.0011,
    usage: { input_tokens: 10, output_tokens: 5 },
    modelUsage: {},
    permission_denials: [],
    uuid: '$uuid',
    ...over,
  };
}

/** One whole turn: waits for a user message, then `init`, one text answer and the result. */
export function turn(text = 'Hello.'): readonly Step[] {
  return [
    { in: { type: 'user' } },
    { out: initFrame() },
    { out: assistantFrame(text) },
    { out: resultFrame({ result: text }) },
  ];
}
