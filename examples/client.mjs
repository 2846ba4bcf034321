/** A conversation that stays open: ask, read one answer, leave. */
import { ClaudeClient, isClaudeSDKError } from 'claudewire';

const client = new ClaudeClient();
try {
  await client.connect();
  await client.query('Say hello in one sentence.');
  for await (const message of client.receiveResponse()) {
    if (message.type === 'result') console.log(message.subtype, `$${message.total_cost_usd}`);
  }
} catch (error) {
  if (!isClaudeSDKError(error)) throw error;
  console.error(`${error.errorClass}: ${error.message}\n${error.hint ?? ''}`);
  process.exitCode = 1;
} finally {
  await client.disconnect();
}
