/** Programs that hand the SDK's types to dependents and back, by project. They are only checked, never run. */
export const TYPE_CONSUMERS: Readonly<Record<string, string>> = {
  'node-20': `
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAgentSDKInstrumentation } from '@arizeai/openinference-instrumentation-claude-agent-sdk';
import { ClaudeAgentSDKProvider } from '@composio/claude-agent-sdk';
import { instrument } from '@posthog/ai/claude-agent-sdk';
import * as braintrust from 'braintrust';
import { wrapClaudeAgentSDK } from 'langsmith/experimental/anthropic';
import { PostHog } from 'posthog-node';

const options: sdk.Options = { hooks: { Stop: [{ hooks: [async () => ({})] }] } };
const query: sdk.Query = instrument({ client: new PostHog('key') }).query({ prompt: 'Hello.', options });
for await (const message of query) {
  if (message.type === 'result' && message.subtype === 'success') console.log(message.result);
}
const traced: typeof sdk = wrapClaudeAgentSDK(sdk);
const logged: typeof sdk = braintrust.wrapClaudeAgentSDK(sdk);
const spanned = new ClaudeAgentSDKInstrumentation().manuallyInstrument(sdk);
const tools = new ClaudeAgentSDKProvider().wrapTools([], async () => ({ data: {}, error: null, successful: true }));
export const server: sdk.McpSdkServerConfigWithInstance = sdk.createSdkMcpServer({ name: 'tools', tools });
export { logged, spanned, traced };
`,
  'acp-0.2': `
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { ClaudeAcpAgent, runAcp } from '@zed-industries/claude-code-acp';

const options: Options = { permissionMode: 'plan' };
export const run = query({ prompt: 'Hello.', options });
export type Agent = ClaudeAcpAgent;
runAcp();
`,
  acp: `
import type { ClaudeAcpAgent } from '@agentclientprotocol/claude-agent-acp';
import { type Options, query } from '@anthropic-ai/claude-agent-sdk';

const options: Options = { permissionMode: 'plan' };
export const run = query({ prompt: 'Hello.', options });
export type Agent = ClaudeAcpAgent;
`,
  'ai-sdk': `
import * as sdk from '@anthropic-ai/claude-agent-sdk';
import * as provider from 'ai-sdk-provider-claude-code';

const options: sdk.Options = { hooks: { Stop: [{ hooks: [async () => ({})] }] } };
const warm: sdk.WarmQuery = await provider.startup({ options });
export const query: provider.Query = warm.query('Hello.');
export const rows: sdk.SDKSessionInfo[] = await provider.listSessions({ dir: '.' });
const server: sdk.McpServerConfig = provider.createAiSdkMcpServer('tools', {});
provider.createClaudeCode({ defaultSettings: { mcpServers: { server }, canUseTool: options.canUseTool } });
`,
  mastra: `
import { createSdkMcpServer, type Options, query } from '@anthropic-ai/claude-agent-sdk';
import { ClaudeSDKAgent } from '@mastra/claude';

const weather = createSdkMcpServer({ name: 'weather', tools: [] });
const sdkOptions: Options = { mcpServers: { weather }, canUseTool: async () => ({ behavior: 'allow' }) };
export const agent = new ClaudeSDKAgent({ id: 'claude', description: 'An agent.', sdkOptions });
export const run = query({ prompt: 'Hello.', options: agent.options.sdkOptions ?? {} });
`,
};
