/** The host's side of the stories in `../stories.ts`, for whatever stands in for the SDK's functions. */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { errorFacts, say } from './say.mjs';

/**
 * Plays a story to its end.
 *
 * @param {string} story
 * @param {object} sdk its module, or what a dependent made of it
 */
export async function play(story, sdk) {
  const scene = SCENES[story] ?? fail;
  await scene(sdk);
}

const SCENES = { tool, permission, denied, abort, resume };

async function tool({ query, tool, createSdkMcpServer }) {
  const forecast = tool('forecast', 'Tells the weather of a city', { city: z.string() }, async ({ city }) => {
    say('tool', city);
    return { content: [{ type: 'text', text: `It is sunny in ${city}.` }] };
  });
  const weather = createSdkMcpServer({ name: 'weather', tools: [forecast] });
  const options = {
    mcpServers: { weather },
    allowedTools: ['mcp__weather__forecast', 'Bash(echo:*)'],
    hooks: { PostToolUse: [{ hooks: [async ({ tool_name: name }) => say('hook', name) ?? {}] }] },
  };
  await show(query({ prompt: 'How is the weather?', options }));
}

async function permission({ query }) {
  const canUseTool = async (name, input, { suggestions, ...options }) => {
    say('question', { name, input, options });
    if (input.command.includes('denied')) return { behavior: 'deny', message: 'That file is not wanted.' };
    const command = input.command.replace('asked', 'changed');
    return { behavior: 'allow', updatedInput: { ...input, command } };
  };
  await show(query({ prompt: 'Make some files.', options: { permissionMode: 'default', canUseTool } }));
  say('files', ['allowed.txt', 'asked.txt', 'changed.txt', 'denied.txt'].filter(existsSync));
}

async function denied({ query }) {
  const options = { permissionMode: 'dontAsk', disallowedTools: ['Bash(rm:*)'] };
  await show(query({ prompt: 'Remove everything.', options }));
}

async function abort({ query }) {
  const abortController = new AbortController();
  const run = query({ prompt: 'Tell me a long story.', options: { abortController, includePartialMessages: true } });
  await show(run, ({ type, event }) => {
    if (type === 'stream_event' && event.type === 'content_block_delta') abortController.abort();
  });
}

async function resume({ query }) {
  const first = await show(query({ prompt: 'I am Ada.' }));
  const second = await show(query({ prompt: 'Who am I?', options: { resume: first } }));
  say('resumed', first === second);
}

/** Whatever the API answers. */
async function fail({ query }) {
  await show(query({ prompt: 'Say hello.' }));
}

/** Reads a query to its end; an error is printed, as a program would. */
async function show(run, react = () => {}) {
  let sessionId;
  try {
    for await (const message of run) {
      sessionId = message.session_id;
      say('message', message);
      if (message.type === 'result') say('cost', { usd: message.total_cost_usd, usage: message.usage });
      react(message);
    }
  } catch (error) {
    say('error', errorFacts(error));
  }
  return sessionId;
}
