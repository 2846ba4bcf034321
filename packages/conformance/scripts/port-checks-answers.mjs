/** Further questions of `port-checks.mjs`: what callbacks and tools may give back, and servers and options of other kinds. */
import { fileURLToPath } from 'node:url';
import { clock, hooksOf, NOW, TOUCH } from './port-checks-parts.mjs';

const prompt = 'Go.';
/** A PreToolUse hook that gives this back, and the call of a tool that makes a file. */
const hookGives = (value) => async (at) => {
  await at.start({ mode: 'query', prompt, options: hooksOf('PreToolUse'), callbacks: { hook: { returns: [value] } } });
  await at.over(15_000);
  at.tellCalls('hook');
  at.tellFile('made.txt');
};

/** @type {import('./port-checks.mjs').Checks} */
export const ANSWERS = {
  'hook-gives-text': {
    about: 'A PreToolUse hook gives a text.',
    turns: [TOUCH, 'Done.'],
    play: hookGives({ $raw: 'allow' }),
  },
  'hook-gives-nothing': {
    about: 'A PreToolUse hook gives nothing back.',
    turns: [TOUCH, 'Done.'],
    play: hookGives(null),
  },
  'structured-content': {
    about: 'A tool of an in-process server gives a text and structured content.',
    turns: [NOW, 'Done.'],
    play: async (at) => {
      const given = { content: [{ type: 'text', text: 'noon' }], structuredContent: { hour: 12 } };
      await at.start({ mode: 'query', prompt, ...clock, callbacks: { now: { returns: [given] } } });
      await at.over(15_000);
      at.tellAnswerToModel('hour');
    },
  },
  'call-without-arguments': {
    about: 'The model calls a tool of an in-process server that takes nothing.',
    turns: [NOW, 'Done.'],
    play: async (at) => {
      await at.start({ mode: 'query', prompt, ...clock });
      await at.over(15_000);
      at.tellInput('now');
      at.tellAnswerToModel('noon');
    },
  },
  'server-asks-the-user': {
    about: 'A tool of an MCP server asks the user (an elicitation); the host has no callback for that.',
    turns: [{ blocks: [{ type: 'tool_use', name: 'mcp__side__ask', input: {} }] }, 'Done.'],
    play: async (at) => {
      const server = fileURLToPath(new URL('eliciting-server.mjs', import.meta.url));
      const side = { type: 'stdio', command: process.execPath, args: [server] };
      await at.start({ mode: 'query', prompt, options: { mcpServers: { side }, allowedTools: ['mcp__side__ask'] } });
      await at.over(15_000);
      at.tellMessages();
      at.tellAnswerToModel('answered');
    },
  },
  'continue-with-an-empty-store': {
    about:
      'A session without a store has said "heron"; then the newest session of a store is to be continued, which is empty.',
    turns: ['Hello.', 'Again.'],
    play: async (at) => {
      await at.start({ mode: 'query', prompt: 'Say heron.' });
      await at.over(15_000);
      const options = { continue: true, sessionStore: { $store: 'memory' } };
      await at.start({ run: 'two', mode: 'query', prompt, options });
      await at.results(2, 15_000);
      at.tellMessages();
      at.tellRequestHas('heron');
    },
  },
  'thinking-zero-haiku': {
    about: 'A limit of 0 thinking tokens, and a model that can be told not to think.',
    turns: ['Hello.'],
    play: async (at) => {
      await at.start({ mode: 'query', prompt, options: { model: 'claude-haiku-4-5', maxThinkingTokens: 0 } });
      await at.over();
      at.tellRequest('thinking');
    },
  },
  'thinking-disabled-haiku': {
    about: 'Thinking is switched off with `thinking`, and the model can be told not to think.',
    turns: ['Hello.'],
    play: async (at) => {
      await at.start({ mode: 'query', prompt, options: { model: 'claude-haiku-4-5', thinking: { type: 'disabled' } } });
      await at.over();
      at.tellRequest('thinking');
    },
  },
  'thinking-unset-haiku': {
    about: 'Nothing is said about thinking, and the model can be told not to think.',
    turns: ['Hello.'],
    play: async (at) => {
      await at.start({ mode: 'query', prompt, options: { model: 'claude-haiku-4-5' } });
      await at.over();
      at.tellRequest('thinking');
    },
  },
};
