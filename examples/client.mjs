/** A conversation that stays open: three turns, and the second one is interrupted. */
import { ClaudeClient, isClaudeSDKError, outcomeOf } from 'claudewire';

const client = new ClaudeClient({ includePartialMessages: true });
const kinds = [];
try {
  await client.connect();
  for (const prompt of ['Say hello.', 'Tell me a very long story.', 'Where did you stop?']) {
    let mayInterrupt = prompt.includes('story');
    await client.query(prompt);
    for await (const message of client.receiveResponse()) {
      if (message.type === 'stream_event' && mayInterrupt) {
        mayInterrupt = false;
        await client.interrupt();
      }
      if (message.type !== 'result') continue;
      kinds.push(outcomeOf(message).kind);
      console.log(`${prompt} ${kinds.at(-1)}`);
    }
  }
} catch (error) {
  if (!isClaudeSDKError(error)) throw error;
  console.error(`${error.errorClass}: ${error.message}`);
} finally {
  await client.disconnect();
}
if (kinds.join() !== 'completed,interrupted,completed') process.exitCode = 1;
