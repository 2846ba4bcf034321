/** The control requests that the fake CLI asks, in the shape of the real ones, and what a right answer is. */

const TOOL_USE_ID = 'toolu_fake_0001';

export const QUESTIONS = {
  permission: () => ({
    request: (index) => ({
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      display_name: 'Bash',
      input: { command: `touch ${index}.txt`, description: 'Make a file' },
      description: 'Make a file',
      permission_suggestions: [
        {
          type: 'addRules',
          rules: [{ toolName: 'Bash', ruleContent: 'touch one.txt' }],
          behavior: 'allow',
          destination: 'localSettings',
        },
      ],
      tool_use_id: TOOL_USE_ID,
    }),
    isRight: (index, answer) => answer.behavior === 'allow' && answer.updatedInput.command === `touch ${index}.txt`,
  }),

  hook: (initialize) => ({
    request: (index) => ({
      subtype: 'hook_callback',
      callback_id: initialize.hooks.PreToolUse[0].hookCallbackIds[0],
      input: {
        session_id: '0a2cd603-9a40-42c7-9816-f4b3099f1e62',
        transcript_path: '/home/user/.claude/projects/a/0a2cd603.jsonl',
        cwd: '/home/user/a',
        permission_mode: 'default',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: `echo ${index}`, description: 'Run a command' },
        tool_use_id: TOOL_USE_ID,
      },
      tool_use_id: TOOL_USE_ID,
    }),
    isRight: (index, answer) => answer.systemMessage === `echo ${index}`,
  }),

  tool: () => ({
    handshake: [
      mcp({
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'claude-code', version: '2.1.330' },
        },
        id: 'initialize',
      }),
      mcp({ method: 'notifications/initialized' }),
      mcp({ method: 'tools/list', id: 'list' }),
    ],
    request: (index) =>
      mcp({
        method: 'tools/call',
        params: {
          name: 'add',
          arguments: { a: index, b: 1 },
          _meta: { 'claudecode/toolUseId': TOOL_USE_ID, progressToken: index },
        },
        id: index,
      }),
    isRight: (index, answer) =>
      answer.mcp_response.id === index && answer.mcp_response.result.content[0].text === String(index + 1),
  }),
};

function mcp(message) {
  return { subtype: 'mcp_message', server_name: 'calc', message: { jsonrpc: '2.0', ...message } };
}
