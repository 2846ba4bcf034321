/** One question, one answer, and how it went. */
import { outcomeOf, query } from 'claudewire';

const messages = [];
let error;
try {
  for await (const message of query({ prompt: 'Say hello in one sentence.' })) {
    messages.push(message);
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) if (block.type === 'text') console.log(block.text);
  }
} catch (thrown) {
  error = thrown;
}
const outcome = outcomeOf(messages, error);
console.log(`${outcome.kind}, retryable: ${outcome.retryable}`);
if (outcome.kind !== 'completed') process.exitCode = 1;
