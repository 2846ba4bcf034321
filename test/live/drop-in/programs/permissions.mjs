/** A permission prompt that allows, edits, remembers and denies. */
import { existsSync, readFileSync } from 'node:fs';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { errorFacts, say } from './say.mjs';

let stderr = '';

const run = query({
  prompt: 'Make some files.',
  options: {
    permissionMode: 'default',
    maxTurns: 20,
    canUseTool: async (toolName, input, options) => {
      say('question', { toolName, input, options });
      return decide(toolName, input, options);
    },
    stderr: (data) => {
      stderr += data;
    },
  },
});
try {
  for await (const message of run) say('message', message);
} catch (error) {
  say('errorClass', error.errorClass);
  say('error', errorFacts(error));
}
say('stderr', stderr);
say(
  'files',
  ['allowed.txt', 'asked.txt', 'edited.txt', 'denied.txt', 'written.txt'].map((name) => ({
    name,
    text: existsSync(name) ? readFileSync(name, 'utf8') : null,
  })),
);

function decide(toolName, input, { suggestions }) {
  if (toolName === 'Write') {
    return { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions };
  }
  if (input.command.includes('asked.txt')) {
    return { behavior: 'allow', updatedInput: { ...input, command: 'touch edited.txt' } };
  }
  if (input.command.includes('denied.txt')) {
    return { behavior: 'deny', message: 'That file is not wanted.' };
  }
  if (input.command.includes('stop.txt')) {
    return { behavior: 'deny', message: 'Stop here.', interrupt: true };
  }
  return { behavior: 'allow', updatedInput: input };
}
