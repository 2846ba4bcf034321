/**
 * The unified agent: reads, asks before each shell command, writes nothing. Prints every event on a line.
 *
 *   node examples/adapter/agent.mjs [FOLDER]
 */
import { ClaudeCodeAdapter } from 'claudewire/adapter';

const agent = new ClaudeCodeAdapter();
if (!(await agent.isAvailable())) throw new Error('npm install -g @anthropic-ai/claude-code');

const seen = new Set();
const run = agent.run('Delete the build folder, or say why it is still there.', {
  cwd: process.argv[2] ?? process.cwd(),
  permissions: { fileWrite: 'deny', shellExecute: 'ask', networkAccess: 'deny' },
  onPermissionRequest: ({ toolName, input }) =>
    toolName === 'Bash' && /^(?:ls|cat|git status)\b[^;&|<>$`]*$/.test(String(input.command))
      ? 'allow'
      : { behavior: 'deny', message: 'Only looking is allowed here.' },
});
for await (const { type, payload } of run) {
  seen.add(type);
  switch (type) {
    case 'text':
      console.log(`says     ${payload.content}`);
      break;
    case 'tool_use':
      console.log(`calls    ${payload.toolName} ${JSON.stringify(payload.input)}`);
      break;
    case 'tool_result':
      console.log(`${payload.status.padEnd(8)} ${payload.toolName}`);
      break;
    case 'error':
      console.log(`error    ${payload.code}: ${payload.message}`);
      break;
    case 'done':
      console.log(`done     ${payload.status}, ${payload.usage.outputTokens} tokens written`);
      break;
    // Types that are not known yet, and those of Claude Code alone (`claude-code:...`), pass.
  }
}
if (!seen.has('done')) process.exitCode = 1;
