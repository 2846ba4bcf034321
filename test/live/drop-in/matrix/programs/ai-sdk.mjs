/** A program on the AI SDK, whose model is Claude Code by way of `ai-sdk-provider-claude-code`. */
import { generateText, Output, streamText, tool } from 'ai';
import { createAiSdkMcpServer, createClaudeCode, getErrorMetadata, listSessions } from 'ai-sdk-provider-claude-code';
import { z } from 'zod';
import { errorFacts, say } from './say.mjs';

const forecast = tool({
  description: 'Tells the weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    say('tool', city);
    if (city === 'Nowhere') throw new Error('No such city.');
    return { city, sky: 'clear' };
  },
});
const claude = createClaudeCode({ defaultSettings: { cwd: process.cwd() } });
const SESSION = '11111111-1111-4111-8111-111111111111';

const STORIES = {
  async results() {
    say('text', facts(await generateText({ model: claude('sonnet'), prompt: 'Say hello.', system: 'Be brief.' })));
    await stream({}, 'Say hello again.');
  },
  async tools() {
    const weather = createAiSdkMcpServer('weather', { forecast });
    await stream({ mcpServers: { weather }, allowedTools: ['mcp__weather__*'] }, 'How is the weather?');
  },
  async structured() {
    const output = Output.object({ schema: z.object({ name: z.string(), born: z.number() }) });
    const { output: object } = await generateText({ model: claude('sonnet'), prompt: 'Who is Ada?', output });
    say('object', object);
  },
  async permissions() {
    for (const behavior of ['allow', 'deny']) {
      const canUseTool = async (name, input) => {
        say('asked', { name, input });
        return behavior === 'allow' ? { behavior, updatedInput: input } : { behavior, message: 'Not now.' };
      };
      const hooks = { PostToolUse: [{ hooks: [async (input) => say('hook', input.tool_name) ?? {}] }] };
      await stream({ canUseTool, hooks, streamingInput: 'always' }, 'Make a file.');
    }
  },
  async denied() {
    await stream({ disallowedTools: ['Bash(touch:*)'], permissionMode: 'dontAsk' }, 'Make a file.');
  },
  async abort() {
    const stop = new AbortController();
    await stream({}, 'Tell me a long story.', {
      abortSignal: stop.signal,
      onAbort: () => say('aborted', true),
      onPart: ({ type }) => {
        if (type === 'text-delta') stop.abort();
      },
    });
  },
  async resume() {
    say('first', await answer({ sessionId: SESSION }, 'Say hello.'));
    say('resumed', await answer({ resume: SESSION }, 'And again.'));
    say('continued', await answer({ continue: true }, 'And on.'));
    say('nobody', await answer({ resume: SESSION.replaceAll('1', '2') }, 'Hello?'));
    const sessions = await listSessions({ dir: process.cwd() });
    // As JSON: a field without a value is undefined in one package and left out in the other (D-134).
    say('sessions', JSON.parse(JSON.stringify(sessions)));
  },
  async errors() {
    for (const status of [400, 429, 500]) say(`error ${status}`, await answer({}, `Fail with ${status}.`));
    say('bad flag', await answer({ extraArgs: { 'no-such-flag': null } }, 'Hello?'));
    const missing = await answer({ pathToClaudeCodeExecutable: '/nowhere/claude' }, 'Hello?');
    say('no executable', missing);
  },
};

await STORIES[process.argv[2]]();

async function stream(settings, prompt, { onPart = () => {}, ...more } = {}) {
  const streamed = streamText({ model: claude('sonnet', settings), prompt, maxRetries: 0, onError: () => {}, ...more });
  // How long it took.
  for await (const { performance, error, ...part } of streamed.stream) {
    say(`part: ${part.type}`, error === undefined ? part : errorFacts(error));
    onPart(part);
  }
}

/** What the provider makes of the SDK's answer or error. */
async function answer(settings, prompt) {
  try {
    return facts(await generateText({ model: claude('sonnet', settings), prompt, maxRetries: 0 }));
  } catch (error) {
    const { name, message, isRetryable } = error;
    return { name, message, isRetryable, metadata: getErrorMetadata(error) };
  }
}

function facts({ text, finishReason, usage, warnings, providerMetadata, toolCalls, toolResults }) {
  return { text, finishReason, usage, warnings, providerMetadata, toolCalls, toolResults };
}
