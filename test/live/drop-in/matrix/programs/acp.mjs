/** An editor that plays a story of `../acp-stories.ts` with the agent that ACP_AGENT names. */
import { existsSync } from 'node:fs';
import { choose, startEditor } from './acp-editor.mjs';
import { say } from './say.mjs';

const story = process.argv[2];
const cwd = process.cwd();
// A suggestion is a further model call that the next prompt may or may not overtake.
const _meta = { claudeCode: { options: { promptSuggestions: false } } };

let editor = await start();
const { sessionId } = await editor.step('session/new', { cwd, mcpServers: [], _meta });
if (story === 'permission') {
  for (const [kind, text] of [
    ['allow_once', 'Make a file.'],
    ['reject_once', 'Make another file.'],
  ]) {
    editor.answers['session/request_permission'] = choose(kind);
    await prompt(text);
  }
  say('files', ['one.txt', 'two.txt'].filter(existsSync));
} else if (story === 'abort') {
  editor.onUpdate = ({ sessionUpdate }) => {
    if (sessionUpdate === 'agent_message_chunk') editor.notify('session/cancel', { sessionId });
  };
  await prompt('Tell me a long story.');
  editor.onUpdate = () => {};
  await prompt('Still there?');
} else if (story === 'resume') {
  await prompt('I am Ada.');
  await editor.end('SIGTERM');
  editor = await start();
  await editor.step('session/load', { sessionId, cwd, mcpServers: [], _meta });
  await prompt('Who am I?');
} else {
  await prompt('Say hello.');
}
await editor.end('SIGTERM');

async function start() {
  const started = startEditor(process.env.ACP_AGENT);
  const fs = { readTextFile: false, writeTextFile: false };
  await started.step('initialize', { protocolVersion: 1, clientCapabilities: { fs, terminal: false } });
  return started;
}

function prompt(text) {
  return editor.prompt(sessionId, text);
}
