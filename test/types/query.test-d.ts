import type {
  AccountInfo,
  AgentInfo,
  AnyZodRawShape,
  InferShape,
  McpServerConfig,
  McpServerStatus,
  McpSetServersResult,
  McpStdioServerConfig,
  ModelInfo,
  Query,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SDKControlMcpReadResourceResponse,
  SDKControlReadFileResponse,
  SDKControlReloadOutputStylesResponse,
  SDKControlReloadPluginsResponse,
  SDKControlReloadSkillsResponse,
  SDKMessage,
  SDKUserMessage,
  SdkPluginConfig,
  Settings,
  SlashCommand,
} from '../../src/index.js';
import { fits, type Same } from './assignable.js';

/** A `Query` and its messages as programs for the official SDK use them. Compiled, not run. */

type Mode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';

/** The official surface, as a program that passes queries around would declare it. */
interface OfficialQuery extends AsyncGenerator<SDKMessage, void> {
  interrupt(): Promise<SDKControlInterruptResponse | undefined>;
  setPermissionMode(mode: Mode): Promise<void>;
  setMcpPermissionModeOverride(serverName: string, mode: 'default' | 'auto' | null): Promise<{ warning?: string }>;
  setModel(model?: string): Promise<void>;
  setMaxThinkingTokens(tokens: number | null, display?: 'summarized' | 'omitted' | 'highlights' | null): Promise<void>;
  applyFlagSettings(settings: { model?: string | null; effortLevel?: 'low' | null }): Promise<void>;
  updateSettings(source: 'localSettings' | 'userSettings', settings: Record<string, unknown>): Promise<void>;
  initializationResult(): Promise<SDKControlInitializeResponse>;
  reinitialize(): Promise<SDKControlInitializeResponse>;
  supportedCommands(): Promise<SlashCommand[]>;
  supportedModels(): Promise<ModelInfo[]>;
  supportedAgents(): Promise<AgentInfo[]>;
  accountInfo(): Promise<AccountInfo>;
  mcpServerStatus(): Promise<McpServerStatus[]>;
  getContextUsage(options?: { detail?: 'summary' | 'full' }): Promise<SDKControlGetContextUsageResponse>;
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(options?: {
    skipBehaviors?: boolean;
  }): Promise<SDKControlGetUsageResponse>;
  readFile(
    path: string,
    options?: { maxBytes?: number; encoding?: 'utf-8' | 'base64' },
  ): Promise<SDKControlReadFileResponse | null>;
  reloadPlugins(options?: {
    holdOnCacheImpact?: boolean;
    addPlugins?: SdkPluginConfig[];
    refuseIfBusy?: boolean;
  }): Promise<SDKControlReloadPluginsResponse>;
  reloadSkills(): Promise<SDKControlReloadSkillsResponse>;
  reloadOutputStyles(): Promise<SDKControlReloadOutputStylesResponse>;
  rewindFiles(userMessageId: string, options?: { dryRun?: boolean }): Promise<RewindFilesResult>;
  seedReadState(path: string, mtime: number): Promise<void>;
  reconnectMcpServer(serverName: string): Promise<void>;
  toggleMcpServer(serverName: string, enabled: boolean): Promise<void>;
  readMcpResource(serverName: string, uri: string): Promise<SDKControlMcpReadResourceResponse>;
  setMcpServers(servers: Record<string, McpServerConfig>): Promise<McpSetServersResult>;
  streamInput(stream: AsyncIterable<SDKUserMessage>): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  close(): void;
}
declare const query: Query;
fits<OfficialQuery>(query);
// Nothing more but what is ours on purpose: a method that the official SDK does not have belongs in `Ours`.
type Ours = 'request' | typeof Symbol.asyncDispose;
fits<Same<Exclude<keyof Query, keyof OfficialQuery>, Ours>>(true);
// @ts-expect-error Settings of the project are not written this way.
void query.updateSettings('projectSettings', {});

/** What a program commonly takes from the stream. */
export function lineOf(message: SDKMessage): string | undefined {
  switch (message.type) {
    case 'assistant':
      return message.message.content
        .map((block) => {
          if (block.type === 'text') return block.text;
          if (block.type === 'tool_use') return `${block.name} ${block.id}`;
          return block.type === 'thinking' ? block.thinking : '';
        })
        .join(` ${message.message.usage.output_tokens} ${message.parent_tool_use_id ?? ''}`);
    case 'user':
      return typeof message.message.content === 'string' ? message.message.content : undefined;
    case 'result':
      return message.subtype === 'success'
        ? `${message.result} ${message.total_cost_usd} ${message.usage.input_tokens}`
        : `${message.subtype}: ${message.errors.join()} ${message.permission_denials.length}`;
    case 'system':
      if (message.subtype === 'init') return `${message.model} ${message.tools.join()}`;
      if (message.subtype === 'compact_boundary') return message.compact_metadata.trigger;
      return message.subtype === 'status' ? String(message.status) : undefined;
    case 'stream_event': {
      const { event } = message;
      if (event.type !== 'content_block_delta') return undefined;
      return event.delta.type === 'text_delta' ? event.delta.text : undefined;
    }
    default:
      return message.session_id;
  }
}

fits<SDKUserMessage>({
  type: 'user',
  message: { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
  parent_tool_use_id: null,
});

type Shape = { a: { '~standard': Standard<number> }; b: { '~standard': Standard<string> } };
interface Standard<Output> {
  version: 1;
  vendor: string;
  validate(value: unknown): { value: Output };
  types?: { input: unknown; output: Output };
}
fits<AnyZodRawShape>({} as Shape);
fits<Same<InferShape<Shape>, { a: number; b: string }>>(true);

/** The control requests of `query.request()` and `client.request()`: known ones are checked, newer ones pass. */
export async function requests(
  q: Query,
  subtype: string,
  settings: Settings,
  servers: Record<string, McpStdioServerConfig>,
): Promise<void> {
  fits<{ model?: string } | undefined>(await q.request('set_model', { model: 'opus' }, { timeoutMs: 5000 }));
  fits<{ mcpServers: McpServerStatus[] }>(await q.request('mcp_status'));
  await q.request('rename_session', { title: 'A walk', source: 'host' });
  await q.request('mcp_call', { tool: 'mcp__library__pages', timeout_ms: 1000 });
  await q.request('apply_flag_settings', { settings });
  await q.request('mcp_set_servers', { servers });

  // @ts-expect-error no such field
  await q.request('set_model', { modle: 'opus' });
  // @ts-expect-error the mode is missing
  await q.request('set_permission_mode', {});
  // @ts-expect-error not a boolean
  await q.request('mcp_toggle', { serverName: 'a', enabled: 'yes' });

  fits<Record<string, unknown> | undefined>(await q.request('from_the_future', { anything: 1 }));
  fits<Record<string, unknown> | undefined>(await q.request(subtype, { modle: 'opus' }));
}
