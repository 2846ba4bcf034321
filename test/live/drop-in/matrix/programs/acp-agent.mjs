/** An editor whose agent is Claude Code, by way of `@agentclientprotocol/claude-agent-acp`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { choose, startEditor } from './acp-editor.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const cwd = process.cwd();
// A new session asks the user; the agent's own default is `auto`, where a classifier of the API decides.
const settings = { permissions: { defaultMode: 'default' } };
writeFileSync(join(process.env.CLAUDE_CONFIG_DIR, 'settings.json'), JSON.stringify(settings));
const editor = startEditor('@agentclientprotocol/claude-agent-acp/dist/index.js');
// A suggestion is a further model call that the next prompt may or may not overtake.
const _meta = { claudeCode: { options: { promptSuggestions: false } } };
const NOBODY = '00000000-0000-4000-8000-000000000000';

const STORIES = {
  async permissions() {
    const sessionId = await open();
    await editor.prompt(sessionId, 'Say hello.');
    for (const kind of ['allow_once', 'reject_once', 'allow_always', 'none of them']) {
      editor.answers['session/request_permission'] = choose(kind);
      await editor.prompt(sessionId, 'Make a file.');
    }
    await editor.step('session/set_mode', { sessionId, modeId: 'acceptEdits' });
    await editor.step('session/set_config_option', { sessionId, configId: 'model', value: 'haiku' });
    await editor.prompt(sessionId, 'Still there?');
    await editor.prompt(sessionId, '/compact');
  },
  async abort() {
    const sessionId = await open();
    editor.onUpdate = (update) => {
      if (update.sessionUpdate === 'agent_message_chunk') editor.notify('session/cancel', { sessionId });
    };
    await editor.prompt(sessionId, 'Tell me a long story.');
    editor.onUpdate = () => {};
    await editor.prompt(sessionId, 'Still there?');
  },
  async resume() {
    const sessionId = await open();
    await editor.prompt(sessionId, 'Say hello.');
    await editor.step('session/list', { cwd });
    await editor.step('session/fork', { sessionId, cwd, mcpServers: [], _meta });
    await editor.step('session/close', { sessionId });
    await editor.step('session/load', { sessionId, cwd, mcpServers: [], _meta });
    await editor.prompt(sessionId, 'After loading.');
    await editor.step('session/close', { sessionId });
    await editor.step('session/resume', { sessionId, cwd, mcpServers: [], _meta });
    await editor.prompt(sessionId, 'After resuming.');
    await editor.step('session/load', { sessionId: NOBODY, cwd, mcpServers: [] });
    await editor.step('session/delete', { sessionId });
  },
  async elicitation() {
    const server = { name: 'asker', command: process.execPath, args: [here('mcp-asker.mjs')], env: [] };
    const sessionId = await open({ mcpServers: [server] });
    editor.answers['session/request_permission'] = choose('allow_once');
    const answers = [{ action: 'accept', content: { name: 'Ada' } }, { action: 'decline' }, { action: 'cancel' }];
    for (const answer of answers) {
      editor.answers['elicitation/create'] = () => answer;
      await editor.prompt(sessionId, 'Greet me.');
    }
    delete editor.answers['elicitation/create'];
    await editor.prompt(sessionId, 'Greet me.');
    editor.answers['elicitation/create'] = () => ({ action: 'accept', content: { question_0: 'Blue' } });
    await editor.prompt(sessionId, 'Ask for a colour.');
  },
  async steering() {
    const sessionId = await open();
    const prompt = [{ type: 'text', text: 'Be quick.' }];
    await editor.step('_session/steering', {
      sessionId,
      prompt,
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
    let steered;
    editor.onUpdate = (update) => {
      if (update.sessionUpdate === 'agent_message_chunk')
        steered ??= editor.step('_session/steering', { sessionId, prompt });
    };
    await editor.prompt(sessionId, 'Tell me a long story.');
    await steered;
    await editor.prompt(sessionId, 'Still there?');
  },
  async errors() {
    const sessionId = await open();
    await editor.prompt(sessionId, 'Fail with 400.');
    for (const status of [429, 500]) await editor.prompt(await openSession(), `Fail with ${status}.`);
    await editor.prompt(NOBODY, 'Hello?');
  },
};

await STORIES[process.argv[2]]();
await editor.end();

async function open({ mcpServers = [] } = {}) {
  await editor.step('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {}, url: {} },
    },
  });
  return openSession({ mcpServers });
}

async function openSession({ mcpServers = [] } = {}) {
  const { sessionId } = await editor.step('session/new', { cwd, mcpServers, _meta });
  await editor.heard('available_commands_update');
  return sessionId;
}
