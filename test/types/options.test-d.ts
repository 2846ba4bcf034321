import type {
  AgentDefinition,
  CanUseTool,
  CanUseToolOptions,
  ElicitationRequest,
  McpServerConfig,
  Options,
  PermissionUpdate,
  SandboxSettings,
  SpawnedProcess,
  SpawnOptions,
  UserDialogRequest,
} from '../../src/index.js';
import { fits } from './assignable.js';

/** Options as programs for the official SDK write them, in the types those programs have. Compiled, not run. */

// A callback typed by hand with the parameter list that the official one has.
const decide = async (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    mcpServer?: { name: string; source: string };
    decisionReason?: string;
    title?: string;
    displayName?: string;
    description?: string;
    defaultToNo?: boolean;
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    agentID?: string;
    requestId: string;
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
  },
) => {
  if (options.mcpServer?.source === 'project') {
    return { behavior: 'deny' as const, message: `${toolName}: not from a project`, interrupt: true };
  }
  return {
    behavior: 'allow' as const,
    updatedInput: { ...input, seen: true },
    updatedPermissions: options.suggestions ?? [],
  };
};
fits<CanUseTool>(decide);
fits<CanUseTool>(async () => null);
// @ts-expect-error A denial needs its message.
fits<CanUseTool>(async () => ({ behavior: 'deny' }));
// @ts-expect-error There is no such decision.
fits<CanUseTool>(async () => ({ behavior: 'maybe' }));
fits<(options: CanUseToolOptions) => string | undefined>(({ mcpServer }) => mcpServer?.name);

const servers = {
  files: { command: 'files', args: ['--read'], env: { TOKEN: 't' }, timeout: 1000 },
  web: { type: 'http', url: 'https://mcp.example', headers: { authorization: 'x' } },
  old: {
    type: 'sse',
    url: 'https://sse.example',
    alwaysLoad: true,
    tools: [
      { name: 'read', permission_policy: 'always_allow' },
      { name: 'write', org_max_permission: 'ask' },
      { name: 'bare' },
    ],
  },
} satisfies Record<string, McpServerConfig>;
// @ts-expect-error There is no such policy.
fits<McpServerConfig>({ type: 'http', url: '', tools: [{ name: 'a', permission_policy: 'yes' }] });

const agents = {
  reviewer: {
    description: 'Reviews code',
    prompt: 'Be strict.',
    tools: ['Read'],
    disallowedTools: ['Bash'],
    model: 'haiku',
    mcpServers: ['files', { own: { command: 'own' } }, { inProcess: { type: 'sdk', name: 'p' } }],
    effort: 3,
    permissionMode: 'plan',
    memory: 'project',
    maxTurns: 4,
    background: true,
  },
} satisfies Record<string, AgentDefinition>;
// @ts-expect-error An agent needs a prompt.
fits<AgentDefinition>({ description: 'x' });

/** As a schema library types what it parsed: every optional field may be there and `undefined`. */
declare const parsed: { enabled?: boolean | undefined; network?: { httpProxyPort?: number | undefined } | undefined };
fits<SandboxSettings>(parsed);

/** A launcher that knows the official parameter types only. */
declare function launch(options: {
  command: string;
  args: string[];
  cwd?: string;
  env: { [name: string]: string | undefined };
  signal: AbortSignal;
}): SpawnedProcess;
fits<SpawnOptions>({ command: 'claude', args: [], env: {}, signal: new AbortController().signal });

declare const form: {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]> | undefined;
};

fits<Options>({
  abortController: new AbortController(),
  additionalDirectories: ['/data'],
  agent: 'reviewer',
  agents,
  allowedTools: ['Read', 'Bash(git:*)'],
  betas: ['context-1m-2025-08-07'],
  canUseTool: decide,
  continue: true,
  cwd: '/src',
  debugFile: '/tmp/debug.log',
  effort: 'xhigh',
  env: { ...process.env, EXTRA: undefined },
  executable: 'bun',
  extraArgs: { verbose: null, name: 'value' },
  fallbackModel: 'sonnet',
  forwardSubagentText: false,
  hooks: {
    PreToolUse: [{ matcher: 'Bash', hooks: [async () => ({ continue: true })], timeout: 5 }],
    SessionEnd: [
      {
        hooks: [
          async (input, toolUseID, { signal }) => ({ systemMessage: `${input.cwd} ${toolUseID} ${signal.aborted}` }),
        ],
      },
    ],
  },
  includePartialMessages: true,
  managedSettings: { permissions: { deny: ['WebFetch'] } },
  maxBudgetUsd: 1.5,
  mcpServers: servers,
  onElicitation: async (request: ElicitationRequest, { signal }) =>
    signal.aborted || request.mode === 'url' ? null : form,
  onUserDialog: async (request: UserDialogRequest) =>
    request.dialogKind === 'known'
      ? { behavior: 'completed', result: request.payload.answer }
      : { behavior: 'cancelled' },
  outputFormat: { type: 'json_schema', schema: { type: 'object' } },
  permissionMode: 'acceptEdits',
  plugins: [{ type: 'local', path: './plugin', skipMcpDiscovery: true }],
  resume: 'id',
  sandbox: parsed,
  settings: { model: 'opus', permissions: { allow: ['Read'] } },
  settingSources: ['user', 'project', 'local'],
  skills: 'all',
  spawnClaudeCodeProcess: launch,
  stderr: (data: string) => void data,
  supportedDialogKinds: ['known'],
  systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Be brief.', snapshot: true },
  thinking: { type: 'enabled', budgetTokens: 1024, display: 'omitted' },
  toolConfig: { askUserQuestion: { previewFormat: 'html' } },
  tools: { type: 'preset', preset: 'claude_code' },
});
fits<Options>({ systemPrompt: ['fixed', 'changing'], tools: [], skills: [], settings: './s.json' });
// @ts-expect-error There is one preset.
fits<Options>({ systemPrompt: { type: 'preset', preset: 'other' } });
// @ts-expect-error There is no such option.
fits<Options>({ allowTools: [] });
