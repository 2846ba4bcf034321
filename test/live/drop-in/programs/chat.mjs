/** A streaming chat of three turns; the second one is interrupted after its first words. */
import { query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.mjs';

let stderr = '';

const QUESTIONS = ['Say hello.', 'Tell me a long story.', 'What did I ask first?'];
let turnOver = deferred();

async function* questions() {
  for (const text of QUESTIONS) {
    yield {
      type: 'user',
      message: { role: 'user', content: [{ type: 'text', text }] },
      parent_tool_use_id: null,
      session_id: '',
    };
    await turnOver.promise;
    turnOver = deferred();
  }
}

const chat = query({
  prompt: questions(),
  options: {
    model: 'claude-sonnet-5',
    systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Answer in one sentence.' },
    includePartialMessages: true,
    stderr: (data) => {
      stderr += data;
    },
  },
});

let turn = 0;
for await (const message of chat) {
  say('message', message);
  if (message.type === 'system' && message.subtype === 'init' && turn === 0) {
    const started = await chat.initializationResult();
    say('initialize', started);
    say('models', await chat.supportedModels());
    say('commands', await chat.supportedCommands());
    say('agents', await chat.supportedAgents());
    say('account', await chat.accountInfo());
    say('mcp', await chat.mcpServerStatus());
  }
  if (turn === 1 && isTextDelta(message)) say('interrupt', await chat.interrupt());
  if (message.type === 'result') {
    turn += 1;
    if (turn === 1) say('mode', await chat.setPermissionMode('acceptEdits'));
    if (turn === 2) say('model', await chat.setModel('claude-haiku-4-5'));
    turnOver.resolve();
  }
}
say('end', turn);
say('stderr', stderr);

function isTextDelta(message) {
  return (
    message.type === 'stream_event' &&
    message.event.type === 'content_block_delta' &&
    message.event.delta.type === 'text_delta'
  );
}

function deferred() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
