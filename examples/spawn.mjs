/** Starts the Claude Code process in a way of its own; here the same program, with a lower priority. */
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { query } from 'claudewire';

let started = '';
const run = query({
  prompt: 'Say hello in one sentence.',
  options: {
    spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
      const child = spawn(command, args, { cwd, env, signal, stdio: ['pipe', 'pipe', 'pipe'] });
      started = args.find((argument) => argument.startsWith('--')) ?? '';
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
      return child;
    },
  },
});
for await (const message of run) {
  if (message.type === 'result') console.log(message.subtype, started);
}
if (started === '') process.exitCode = 1;
