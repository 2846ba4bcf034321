/** A program on the AI SDK, whose model is Claude Code by way of a published provider. */
import { generateText, Output, streamText, tool } from 'ai';
import { createAiSdkMcpServer, createClaudeCode, getErrorMetadata, listSessions } from 'ai-sdk-provider-claude-code';
import { z } from 'zod';
import { say } from '../programs/say.mjs';

const weather = createAiSdkMcpServer('weather', {
  forecast: tool({
    description: 'Tells the weather of a city',
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      say('tool', city);
      if (city === 'Nowhere') throw new Error('No such city.');
      return { city, sky: 'clear' };
    },
  }),
});
const claude = createClaudeCode({ defaultSettings: { cwd: process.cwd() } });
const model = claude('sonnet');

const text = await generateText({ model, prompt: 'Say hello.', system: 'Be brief.' });
say('text', facts(text));

const streamed = streamText({
  model: claude('sonnet', { mcpServers: { weather }, allowedTools: ['mcp__weather__*'] }),
  prompt: 'How is the weather?',
});
for await (const { performance, ...part } of streamed.stream) say(`part: ${part.type}`, part);
say('streamed', facts({ text: await streamed.text, finishReason: await streamed.finishReason }));

const object = await generateText({
  model,
  prompt: 'Who is Ada?',
  output: Output.object({ schema: z.object({ name: z.string(), born: z.number() }) }),
});
say('object', object.output);

const asked = [];
const guarded = await generateText({
  model: claude('sonnet', {
    canUseTool: async (name, input) => {
      asked.push({ name, input });
      return { behavior: 'deny', message: 'Not now.' };
    },
    hooks: { PostToolUse: [{ hooks: [async (input) => say('hook', input.tool_name) ?? {}] }] },
    streamingInput: 'always',
  }),
  prompt: 'Make a file.',
});
say('guarded', { asked, ...facts(guarded) });

const stop = new AbortController();
const aborted = streamText({
  model,
  prompt: 'Tell me a long story.',
  abortSignal: stop.signal,
  onAbort: () => say('aborted', true),
});
for await (const part of aborted.stream) {
  if (part.type === 'text-delta') stop.abort();
}

const missing = await failure({ pathToClaudeCodeExecutable: '/nowhere/claude' }, 'Hello?');
// The text names the file in each package's own words.
say('no executable', { ...missing, message: missing.message.includes('/nowhere/claude') });
say('api error', await failure({}, 'Fail, please.'));
say('bad flag', await failure({ extraArgs: { 'no-such-flag': null } }, 'Hello?'));
say('no session', await failure({ resume: '00000000-0000-4000-8000-000000000000' }, 'Hello?'));
say('sessions', (await listSessions({ dir: process.cwd() })).length);

/** What the provider makes of the SDK's error. */
async function failure(settings, prompt) {
  try {
    return (await generateText({ model: claude('sonnet', settings), prompt, maxRetries: 0 })).text;
  } catch (error) {
    const { name, message, isRetryable } = error;
    return { name, message, isRetryable, metadata: getErrorMetadata(error) };
  }
}

function facts({ text: said, finishReason, usage, warnings, providerMetadata, toolCalls, toolResults }) {
  return { said, finishReason, usage, warnings, providerMetadata, toolCalls, toolResults };
}
