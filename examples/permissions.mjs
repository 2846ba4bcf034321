/** Decides about every tool call; the reason of a denial is what the model reads. */
import { query } from 'claudewire';

const asked = [];
const run = query({
  prompt: 'Delete the build folder.',
  options: {
    canUseTool: async (toolName, input) => {
      asked.push(toolName);
      console.log('asked:', toolName, JSON.stringify(input));
      return { behavior: 'deny', message: 'Nothing is deleted here.' };
    },
  },
});
for await (const message of run) {
  if (message.type !== 'result' || message.subtype !== 'success') continue;
  console.log(message.result);
  console.log('denied:', message.permission_denials.map((denial) => denial.tool_name).join(', '));
}
if (asked.length === 0) process.exitCode = 1;
