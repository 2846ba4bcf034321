/** A guard made of hooks: it blocks, rewrites, counts and reports. */
import { type HookCallback, type HookEvent, type HookInput, type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

const seen: HookEvent[] = [];
const count: HookCallback = async ({ hook_event_name }) => {
  seen.push(hook_event_name);
  return {};
};
type PreToolUse = Extract<HookInput, { hook_event_name: 'PreToolUse' }>;
const isPreToolUse = (input: HookInput): input is PreToolUse => input.hook_event_name === 'PreToolUse';

const guard: HookCallback = async (input, toolUseID) => {
  if (!isPreToolUse(input)) return {};
  const { command = '' } = input.tool_input as { command?: string };
  say('call', [input.tool_name, command, toolUseID === input.tool_use_id]);
  if (command.includes('rm ')) {
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Nothing is removed here.',
      },
    };
  }
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { ...(input.tool_input as object), command: `${command} guarded` },
    },
  };
};

const hooks: NonNullable<Options['hooks']> = { PreToolUse: [{ matcher: 'Bash', hooks: [guard, count] }] };
for (const event of ['UserPromptSubmit', 'PostToolUse', 'Stop'] as const)
  hooks[event] = [{ hooks: [count], timeout: 30 }];

for await (const message of query({ prompt: 'Go.', options: { hooks } })) {
  if (message.type === 'user' && Array.isArray(message.message.content)) {
    for (const block of message.message.content) if (block.type === 'tool_result') say('answer', block.content);
  }
}
say('seen', seen);
