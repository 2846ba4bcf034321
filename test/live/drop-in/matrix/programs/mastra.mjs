/** A Mastra application whose agent is Claude Code, by `@mastra/claude`: outputs, streams, spans with cost. */
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import { ClaudeSDKAgent } from '@mastra/claude';
import { Mastra } from '@mastra/core/mastra';
import { Observability, TestExporter } from '@mastra/observability';
import { z } from 'zod';
import { errorFacts, say } from './say.mjs';

const weather = createSdkMcpServer({
  name: 'weather',
  version: '1.0.0',
  tools: [
    tool('forecast', 'Tells the weather of a city', { city: z.string() }, async ({ city }) => {
      say('tool', city);
      if (city === 'Nowhere') throw new Error('No such city.');
      return { content: [{ type: 'text', text: `${city}: clear` }] };
    }),
  ],
});
const claude = new ClaudeSDKAgent({
  id: 'claude',
  name: 'Claude',
  description: 'Claude Code as an agent of Mastra.',
  sdkOptions: { model: 'sonnet', cwd: process.cwd() },
});
const exporter = new TestExporter({ logLevel: 'none', storeLogs: false });
const observability = new Observability({ configs: { default: { serviceName: 'drop-in', exporters: [exporter] } } });
const mastra = new Mastra({ agents: { claude }, observability, logger: false });
const agent = mastra.getAgent('claude');

const STORIES = {
  async results() {
    say('generate', await output(agent.generate('Say hello.')));
    const partial = { sdkOptions: { includePartialMessages: true } };
    await streamed('stream', await agent.stream('Say hello again.', partial));
  },
  async tools() {
    const sdkOptions = { mcpServers: { weather }, allowedTools: ['mcp__weather__forecast'] };
    await streamed('stream', await agent.stream('How is the weather?', { sdkOptions }));
  },
  async structured() {
    const schema = z.object({ name: z.string(), born: z.number() });
    say('generate', await output(agent.generate('Who is Ada?', { structuredOutput: { schema } })));
    await streamed('stream', await agent.stream('Who is Ada?', { structuredOutput: { schema } }));
  },
  async permissions() {
    const behaviours = [{ behavior: 'allow' }, { behavior: 'deny', message: 'Not now.' }];
    for (const answer of behaviours) {
      const canUseTool = async (name, input, { signal, ...context }) => {
        say('asked', { name, input, context, isAborted: signal.aborted });
        return answer.behavior === 'allow' ? { ...answer, updatedInput: input } : answer;
      };
      say(answer.behavior, await output(agent.generate('Make a file.', { sdkOptions: { canUseTool } })));
    }
    say('not asked', await output(agent.generate('Make a file.')));
  },
  async abort() {
    const stop = new AbortController();
    const stream = await agent.stream('Tell me a long story.', {
      abortSignal: stop.signal,
      sdkOptions: { includePartialMessages: true },
    });
    await streamed('stream', stream, (chunk) => {
      if (chunk.type === 'text-delta') stop.abort();
    });
  },
  async resume() {
    const sessionId = '11111111-1111-4111-8111-111111111111';
    say('first', await output(agent.generate('Say hello.', { sdkOptions: { sessionId } })));
    say('resumed', await output(agent.resumeGenerate({ sessionId, message: 'And again.' })));
    await streamed('forked', await agent.resumeStream({ sessionId, forkSession: true, message: 'And apart.' }));
    say('continued', await output(agent.resumeGenerate({ continue: true, message: 'And on.' })));
    await failed('nobody', agent.resumeGenerate({ sessionId: sessionId.replaceAll('1', '2'), message: 'Hello?' }));
  },
  async errors() {
    for (const status of [400, 429, 500]) {
      await failed(`generate ${status}`, agent.generate(`Fail with ${status}.`));
      await streamed(`stream ${status}`, await agent.stream(`Fail with ${status}.`));
    }
    await failed(
      'no executable',
      agent.generate('Hello?', { sdkOptions: { pathToClaudeCodeExecutable: '/nowhere/claude' } }),
    );
    await failed('turns', agent.generate('Make a file.', { sdkOptions: { maxTurns: 1 } }));
  },
};

await STORIES[process.argv[2]]();
for (const { name, type, input, output: made, attributes, metadata, errorInfo } of exporter.getAllSpans()) {
  // Where it was thrown, and the name of its class, are each package's own.
  const { stack: _, name: __, ...error } = errorInfo ?? {};
  say(`span: ${type}`, { name, input, output: made, attributes, metadata, error });
}
await mastra.shutdown();

async function output(promise) {
  const { response, steps, ...rest } = await promise;
  const { text, object, usage, totalUsage, finishReason, providerMetadata, warnings, error } = rest;
  const shown = { text, object, usage, totalUsage, finishReason, providerMetadata, warnings, error };
  return { ...shown, model: response?.modelId, steps: steps?.length };
}

async function streamed(label, stream, onChunk = () => {}) {
  for await (const chunk of stream.fullStream) {
    say(
      `${label}: ${chunk.type}`,
      chunk.type === 'error' ? errorFacts(chunk.payload.error) : (chunk.payload ?? chunk.object),
    );
    onChunk(chunk);
  }
  say(`${label}: text`, await Promise.resolve(stream.text).catch(errorFacts));
}

async function failed(label, promise) {
  say(label, await output(promise).catch(errorFacts));
}
