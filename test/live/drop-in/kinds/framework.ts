/** An agent framework that turns content blocks into parts of its own. */

import { query, type SDKAssistantMessage, type SDKMessage, type SDKUserMessage } from '@anthropic-ai/claude-agent-sdk';
import type {
  BetaContentBlock,
  BetaMessage,
  BetaTextBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages.mjs';
import { say } from './say.js';

type Part = { kind: 'text'; text: string } | { kind: 'call'; name: string; input: unknown } | { kind: 'other' };

const isText = (block: BetaContentBlock): block is BetaTextBlock => block.type === 'text';

function partOf(block: BetaContentBlock): Part {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'tool_use':
      return { kind: 'call', name: block.name, input: block.input };
    default:
      return { kind: 'other' };
  }
}

const usageOf = ({ usage }: BetaMessage): number => usage.input_tokens + usage.output_tokens;
const isAssistant = (message: SDKMessage): message is SDKAssistantMessage => message.type === 'assistant';

function toolResults(message: SDKUserMessage): string[] {
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

const messages: SDKMessage[] = [];
const run = query({ prompt: 'Say and do.', options: { allowedTools: ['Bash(echo:*)'] } });
for await (const message of run) messages.push(message);
const assistants = messages.filter(isAssistant);
say(
  'parts',
  assistants.flatMap((message) => message.message.content.map(partOf)),
);
say(
  'texts',
  assistants.flatMap((message) => message.message.content.filter(isText).map(({ text }) => text)),
);
say(
  'tokens',
  assistants.map((message) => usageOf(message.message)),
);
say(
  'results',
  messages.flatMap((message) => (message.type === 'user' ? toolResults(message).length : [])),
);
