import {
  type CanUseTool,
  createSdkMcpServer,
  type HookCallback,
  type HookCallbackMatcher,
  type HookEvent,
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

/** Options with a log of their callbacks, which a program puts around those that it was given. */
export function logged({ canUseTool, hooks, ...rest }: Options, log: (line: string) => void): Options {
  const wrapped =
    (hook: HookCallback): HookCallback =>
    async (input, toolUseID, { signal }) => {
      const output = await hook(input, toolUseID, { signal });
      log(`${input.hook_event_name} ${'decision' in output ? output.decision : 'none'}`);
      return output;
    };
  const table: Partial<Record<HookEvent, HookCallbackMatcher[]>> = {};
  for (const event of Object.keys(hooks ?? {}) as HookEvent[]) {
    table[event] = hooks?.[event]?.map((matcher) => ({ ...matcher, hooks: matcher.hooks.map(wrapped) })) ?? [];
  }
  const asked: CanUseTool = (name, input, details) => {
    if (canUseTool === undefined) return Promise.resolve(null);
    return canUseTool(name, input, details).then((answer) => {
      log(`${name} ${answer?.behavior}`);
      return answer;
    });
  };
  return { ...rest, hooks: { ...hooks, ...table }, canUseTool: asked };
}

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
