/** `ask.py` as somebody ported it, with two mistakes that docs/from-python.md finds. */
import { ClaudeClient } from 'claudewire';

const client = new ClaudeClient({
  systemPrompt: 'Answer in one sentence.',
  allowedTools: ['Read', 'Grep'],
  env: { ...process.env, REPORT_LANGUAGE: 'en' },
  canUseTool: async (_name, input) =>
    String(input.command).startsWith('wc ')
      ? { behavior: 'allow' }
      : { behavior: 'deny', message: 'Only reading is allowed.' },
});
await client.connect();
try {
  await client.query('How many lines does README.md have?');
  for await (const message of client.receiveResponse()) {
    if (message.type === 'assistant') {
      for (const block of message.message.content)
        if (block.type === 'text') console.log(block.text);
    } else if (message.type === 'result') {
      console.log(`${message.num_turns} turns, $${message.total_cost_usd.toFixed(2)}`);
    }
  }
} finally {
  await client.disconnect();
}
