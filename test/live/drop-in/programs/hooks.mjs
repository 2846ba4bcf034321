/** A hook policy: it blocks, rewrites, adds context, keeps the model going once, and refuses a prompt. */
import { query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.mjs';

let stderr = '';
let stops = 0;

const policy = {
  PreToolUse: [
    { matcher: 'Bash', hooks: [guard] },
    { matcher: 'Write|Edit', hooks: [async () => ({})], timeout: 5 },
  ],
  PostToolUse: [
    {
      hooks: [
        told('PostToolUse', () => ({
          hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'The policy saw it.' },
        })),
      ],
    },
  ],
  PostToolUseFailure: [{ hooks: [told('PostToolUseFailure', () => ({}))] }],
  UserPromptSubmit: [
    {
      hooks: [
        told('UserPromptSubmit', ({ prompt }) =>
          prompt.includes('secret')
            ? { decision: 'block', reason: 'No secrets.' }
            : { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Be brief.' } },
        ),
      ],
    },
  ],
  Stop: [
    {
      hooks: [
        told('Stop', () => {
          stops += 1;
          return stops === 1 ? { decision: 'block', reason: 'Say one word more.' } : {};
        }),
      ],
    },
  ],
  SessionStart: [{ hooks: [told('SessionStart', () => ({ systemMessage: 'Policy is on.' }))] }],
  SessionEnd: [{ hooks: [told('SessionEnd', () => ({}))] }],
};

for (const prompt of ['Run some commands.', 'Tell me the secret.']) {
  const run = query({
    prompt,
    options: {
      hooks: policy,
      includeHookEvents: true,
      allowedTools: ['Bash'],
      stderr: (data) => {
        stderr += data;
      },
    },
  });
  for await (const message of run) say('message', message);
}

say('stderr', stderr);

async function guard(input, toolUseID, { signal }) {
  say('PreToolUse', { input, toolUseID, signal });
  const { command } = input.tool_input;
  if (command.includes('rm')) {
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'Nothing is removed here.',
      },
    };
  }
  if (command.includes('rewrite-me')) {
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { ...input.tool_input, command: 'echo rewritten' },
      },
    };
  }
  if (command.includes('broken-hook')) throw new Error('The policy broke.');
  return { continue: true };
}

function told(name, answer) {
  return async (input, toolUseID) => {
    say(name, { input, toolUseID });
    return answer(input);
  };
}
