/** Plays an editor: speaks the Agent Client Protocol with the agent whose script is given, over its stdio. */
import { choose, startEditor } from '../programs/acp-editor.mjs';

const cwd = process.cwd();
const editor = startEditor(process.argv[2]);
const { answers, step } = editor;

await step('initialize', {
  protocolVersion: 1,
  clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
});
// A suggestion is a further model call that the next prompt may or may not overtake.
const _meta = { claudeCode: { options: { promptSuggestions: false } } };
const { sessionId } = await step('session/new', { cwd, mcpServers: [], _meta });
await editor.heard('available_commands_update');

await prompt('Say hello.');
answers['session/request_permission'] = choose('allow_once');
await prompt('Make a file.');
answers['session/request_permission'] = choose('reject_once');
await prompt('Make another file.');
answers['session/request_permission'] = choose('allow_always');
await prompt('Make a third file.');
editor.onUpdate = (update) => {
  if (update.sessionUpdate === 'agent_message_chunk') editor.notify('session/cancel', { sessionId });
};
await prompt('Tell me a long story.');
editor.onUpdate = () => {};
await step('session/set_mode', { sessionId, modeId: 'acceptEdits' });
await step('session/set_config_option', { sessionId, configId: 'model', value: 'haiku' });
await prompt('Still there?');
await prompt('/compact');
await step('session/list', { cwd });
await step('session/fork', { sessionId, cwd, mcpServers: [], _meta });
await step('session/close', { sessionId });
await step('session/load', { sessionId, cwd, mcpServers: [], _meta });
await prompt('After loading.');
await step('session/close', { sessionId });
await step('session/resume', { sessionId, cwd, mcpServers: [], _meta });
await prompt('After resuming.');
await step('session/load', { sessionId: '00000000-0000-4000-8000-000000000000', cwd, mcpServers: [] });
await step('session/delete', { sessionId });
await editor.end();

function prompt(text) {
  return editor.prompt(sessionId, text);
}
