/** A chat in one session: the prompt is an iterable, and each message waits for the answer before it. */
import { query } from 'claudewire';

let endTurn = () => {};

/**
 * The session stays open until this returns.
 * @returns {AsyncGenerator<import('claudewire').SDKUserMessage>}
 */
async function* ask() {
  for (const content of ['What is a pipe?', 'And who reads it?']) {
    const turn = new Promise((resolve) => {
      endTurn = () => resolve(undefined);
    });
    console.log(`you     ${content}`);
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
    await turn;
  }
}

// Ctrl-C ends the turn, not the chat.
const run = query({ prompt: ask(), options: { ownProcessGroup: true } });
process.on('SIGINT', () => void run.interrupt());
process.once('SIGTERM', () => run.close()).once('SIGHUP', () => run.close());

let turns = 0;
for await (const message of run) {
  if (message.type === 'assistant') {
    for (const block of message.message.content) {
      if (block.type === 'text') console.log(`claude  ${block.text}`);
    }
  }
  if (message.type !== 'result') continue;
  turns += 1;
  endTurn();
}
if (turns !== 2) process.exitCode = 1;
