import {
  type CanUseTool,
  createSdkMcpServer,
  type PermissionUpdate,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKMessageOrigin,
  type SDKUserMessage,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import type {
  BetaContentBlock,
  BetaMessage,
  BetaTextBlock,
} from '@anthropic-ai/sdk/resources/beta/messages/messages.mjs';

/** Unions as programs take them apart: by `Extract`, `find`, `filter` and `switch`. */
type Rules = Extract<PermissionUpdate, { type: 'addRules' }>;

export const rulesOf = (updates: PermissionUpdate[]): Rules | undefined =>
  updates.find((update): update is Rules => update.type === 'addRules');

export function describeUpdate(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules.map((rule) => rule.toolName).join();
    case 'setMode':
      return update.mode;
    default:
      return update.directories.join();
  }
}

export const fromPeers = (origins: SDKMessageOrigin[]): string[] =>
  origins
    .filter((origin): origin is Extract<SDKMessageOrigin, { kind: 'peer' }> => origin.kind === 'peer')
    .map((origin) => origin.from);
export const human: Extract<SDKMessageOrigin, { kind: 'human' }> = { kind: 'human' };

/** Messages of the API go in and out of functions that are written for its own SDK. */
export const toApi = (message: SDKAssistantMessage): BetaMessage => message.message;
export const fromApi = (message: BetaMessage): SDKAssistantMessage['message'] => message;
export const textsOf = (message: SDKAssistantMessage): string[] =>
  message.message.content.filter((block): block is BetaTextBlock => block.type === 'text').map((block) => block.text);
export const blocksOf = (messages: SDKMessage[]): BetaContentBlock[] =>
  messages.flatMap((message) => (message.type === 'assistant' ? message.message.content : []));
export const answer = (text: string): SDKUserMessage => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text }] },
  parent_tool_use_id: null,
});

/** Tools are pushed onto the list before the server is made. */
type ServerOptions = Parameters<typeof createSdkMcpServer>[0];
export function server(names: readonly string[]): ReturnType<typeof createSdkMcpServer> {
  const options: ServerOptions = { name: 'tools', tools: [] };
  for (const name of names) {
    options.tools?.push(tool(name, name, {}, async () => ({ content: [{ type: 'text', text: name }] })));
  }
  options.version = '2.0.0';
  return createSdkMcpServer(options);
}

/** A test calls the callback itself. */
export async function ask(canUseTool: CanUseTool): Promise<string> {
  const { signal } = new AbortController();
  const result = await canUseTool('Bash', {}, { signal, toolUseID: 'a', requestId: 'r' });
  return result?.behavior ?? 'none';
}
