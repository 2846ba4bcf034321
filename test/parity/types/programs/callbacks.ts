import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type Options,
  type PermissionResult,
  query,
  type SDKUserMessage,
  type Settings,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import type { BashInput, FileReadOutput } from '@anthropic-ai/claude-agent-sdk/sdk-tools';
import { z } from 'zod';

/** Options with everything that is called back, and the types of the tools. */

const server = createSdkMcpServer({
  name: 'math',
  tools: [
    tool('add', 'Adds', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
      content: [{ type: 'text', text: String(a + b) }],
    })),
  ],
});

const canUseTool: CanUseTool = async (toolName, input, { signal, suggestions }) => {
  const denied: PermissionResult = { behavior: 'deny', message: 'no' };
  if (signal.aborted || toolName !== 'Bash') return denied;
  const { command } = input as unknown as BashInput;
  return command.startsWith('ls')
    ? { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions ?? [] }
    : denied;
};

const onPreToolUse: HookCallback = async (input) =>
  input.hook_event_name === 'PreToolUse' && input.tool_name === 'Write'
    ? { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }
    : {};

const settings: Settings = { permissions: { defaultMode: 'plan', deny: ['WebFetch'] } };

const options: Options = {
  model: 'm',
  settings,
  canUseTool,
  hooks: { PreToolUse: [{ matcher: 'Write', hooks: [onPreToolUse] }] },
  mcpServers: { math: server, other: { command: 'node', args: ['server.js'] } },
  agents: { reviewer: { description: 'd', prompt: 'p', tools: ['Read'], model: 'sonnet' } },
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'more' },
  env: { ...process.env, A: '1' },
  stderr: (text) => console.error(text),
};

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  yield {
    type: 'user',
    message: { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    parent_tool_use_id: null,
    session_id: '',
  };
}

export async function run(): Promise<string[]> {
  const session = query({ prompt: prompts(), options });
  await session.setPermissionMode('acceptEdits');
  const lines: string[] = [];
  for await (const message of session) {
    if (message.type !== 'user') continue;
    const output = message.tool_use_result as FileReadOutput | undefined;
    if (output?.type === 'text') lines.push(output.file.content);
  }
  return lines;
}
