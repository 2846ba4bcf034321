/** An agent on Vercel's AI SDK harness: its bridge runs Claude Code, the sandbox is this machine. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessAgent } from '@ai-sdk/harness/agent';
import { createClaudeCode } from '@ai-sdk/harness-claude-code';
import { tool } from 'ai';
import { z } from 'zod';
import { createLocalSandbox } from './local-sandbox.mjs';
import { errorFacts, say } from './say.mjs';

const root = process.cwd();
const packages = fileURLToPath(new URL('../node_modules', import.meta.url));
const sandbox = createLocalSandbox({ root, packages });
const forecast = tool({
  description: 'Tells the weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    say('tool', city);
    if (city === 'Nowhere') throw new Error('No such city.');
    return { city, sky: 'clear' };
  },
});

const STORIES = {
  async results() {
    const agent = createAgent();
    const session = await agent.createSession({ sessionId: 'results' });
    await show(agent.stream({ session, prompt: 'Say hello.' }));
    await generate(agent, session, 'Say hello again.');
    await session.destroy();
  },
  async tools() {
    const agent = createAgent({ tools: { forecast } });
    const session = await agent.createSession({ sessionId: 'tools' });
    await show(agent.stream({ session, prompt: 'Ask the harness.' }));
    await session.destroy();
  },
  async permissions() {
    const agent = createAgent({ permissionMode: 'allow-reads' });
    const session = await agent.createSession({ sessionId: 'permissions' });
    for (const approved of [true, false]) {
      const toolApprovalContinuations = [];
      await show(agent.stream({ session, prompt: 'Make a file.' }), ({ type, approvalId, toolCall }) => {
        if (type !== 'tool-approval-request') return;
        const approvalResponse = { type: 'tool-approval-response', approvalId, approved, reason: 'As I said.' };
        toolApprovalContinuations.push({ approvalResponse, toolCall });
      });
      await show(agent.continueStream({ session, toolApprovalContinuations }));
      say('made', existsSync(join(root, 'permissions', 'claude-code-permissions', 'one.txt')));
    }
    await session.destroy();
  },
  async denied() {
    const agent = createAgent({ inactiveTools: ['bash'] });
    const session = await agent.createSession({ sessionId: 'denied' });
    await show(agent.stream({ session, prompt: 'Make a file.' }));
    await session.destroy();
  },
  async abort() {
    const agent = createAgent();
    const session = await agent.createSession({ sessionId: 'abort' });
    const stop = new AbortController();
    await show(agent.stream({ session, prompt: 'Tell me a long story.', abortSignal: stop.signal }), ({ type }) => {
      if (type === 'text-delta') stop.abort();
    });
    await show(agent.stream({ session, prompt: 'Still there?' }));
    await session.destroy();
  },
  async resume() {
    const agent = createAgent();
    const sessionId = 'resume';
    const session = await agent.createSession({ sessionId });
    await generate(agent, session, 'Say hello.');
    const parked = await session.detach();
    const attached = await agent.createSession({ sessionId, resumeFrom: parked });
    await generate(agent, attached, 'And again.');
    const stopped = await attached.stop();
    const restarted = await agent.createSession({ sessionId, resumeFrom: stopped });
    await generate(agent, restarted, 'And on.');
    await restarted.compact();
    await generate(agent, restarted, 'Still there?');
    await restarted.destroy();
  },
  async errors() {
    const agent = createAgent({}, { maxTurns: 1 });
    for (const status of [400, 429, 500]) {
      const session = await agent.createSession({ sessionId: `errors-${status}` });
      await show(agent.stream({ session, prompt: `Fail with ${status}.` }));
      await session.destroy();
    }
    const session = await agent.createSession({ sessionId: 'turns' });
    await show(agent.stream({ session, prompt: 'Make a file.' }));
    await session.destroy();
  },
};

await STORIES[process.argv[2]]();

function createAgent(settings = {}, harness = {}) {
  return new HarnessAgent({
    harness: createClaudeCode({ model: 'sonnet', ...harness }),
    id: 'drop-in',
    permissionMode: 'allow-edits',
    sandbox,
    ...settings,
  });
}

async function show(started, onPart = () => {}) {
  try {
    const result = await started;
    for await (const part of result.stream) {
      // How long it took.
      const { error, performance, ...rest } = part;
      say(`part: ${part.type}`, error === undefined ? rest : errorFacts(error));
      onPart(part);
    }
  } catch (error) {
    say('error', errorFacts(error));
  }
}

async function generate(agent, session, prompt) {
  try {
    say('generated', facts(await agent.generate({ session, prompt })));
  } catch (error) {
    say('error', errorFacts(error));
  }
}

function facts({ text, content, finishReason, totalUsage, warnings, providerMetadata }) {
  return { text, content, finishReason, totalUsage, warnings, providerMetadata };
}
