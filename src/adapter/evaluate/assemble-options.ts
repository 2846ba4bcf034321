import type { DiagnosticListener, Options, PermissionMode } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { withoutFileMonitor } from '../isolation/without-file-monitor.js';
import type { RuntimeOptions, ToolServer } from '../runtime/agent-runtime.js';
import type { AdapterConfig } from './adapter-config.js';
import type { RunSurroundings } from './isolate-run.js';

/** A CLI that has given its result, has no background task and is silent this long will not leave by itself. */
const EXIT_GRACE_MS = 15_000;

/** A managed `allowManagedPermissionRulesOnly` makes the settings' own denials void, but not those of the command line. */
const WEB_TOOLS = ['WebFetch', 'WebSearch'];

export interface RunOptionsInput
  extends Pick<RunSurroundings, 'withoutWeb' | 'onlyOurServers' | 'projectServers'> {
  readonly config: AdapterConfig;
  /** The rendered text. */
  readonly text: string;
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A path, or the settings themselves; `undefined`: none are sent. */
  readonly settings: string | JsonObject | undefined;
  readonly outputFormat: Options['outputFormat'];
  readonly hooks: Options['hooks'];
  readonly bridge: ToolServer | undefined;
  readonly stderr: (text: string) => void;
  readonly onDiagnostic?: DiagnosticListener | undefined;
  readonly resume: string | undefined;
  /** `undefined`: looked for. */
  readonly executable: string | undefined;
}

/** The SDK's options for a run. Pure. */
export function assembleOptions(input: RunOptionsInput): RuntimeOptions {
  const { config, bridge, outputFormat, settings } = input;
  const { client, allowedTools } = config;
  const bridged = (bridge?.tools ?? []).map(({ name }) => `mcp__${bridge?.name}__${name}`);
  const approved = [...(allowedTools ?? []), ...bridged];
  const isClosed = client.isolation !== undefined || input.onlyOurServers === true;
  const disallowed = [...config.disallowedTools, ...(input.withoutWeb ? WEB_TOOLS : [])];
  return {
    ...given('model', config.model),
    permissionMode: client.permissionMode as PermissionMode,
    ...(client.permissionMode === 'bypassPermissions' && { allowDangerouslySkipPermissions: true }),
    ...given('cwd', input.cwd),
    ...(input.addDirs.length > 0 && { additionalDirectories: [...input.addDirs] }),
    ...given('maxTurns', client.maxTurns),
    ...given('maxBudgetUsd', client.maxBudgetUsd),
    ...(approved.length > 0 && { allowedTools: approved }),
    // The list above only approves; this one says what there is.
    ...(allowedTools !== undefined && { tools: builtInNames(allowedTools) }),
    ...(disallowed.length > 0 && { disallowedTools: disallowed }),
    settingSources: [...client.settingSources],
    ...given('settings', settings as Options['settings']),
    env: isClosed ? withoutFileMonitor(input.env) : { ...input.env },
    // The preset sends no system prompt: the CLI's own stays.
    systemPrompt:
      client.promptPlacement === 'system' ? input.text : { type: 'preset', preset: 'claude_code' },
    // Nobody was asked, so nobody declined.
    unhandledElicitation: 'cancel',
    ...(!client.interpretPrompts && { verbatimPrompts: true }),
    ...given('outputFormat', outputFormat),
    ...given('hooks', input.hooks),
    ...(bridge !== undefined && { toolServers: [bridge] }),
    stderr: input.stderr,
    exitGraceMs: EXIT_GRACE_MS,
    ...given('onDiagnostic', input.onDiagnostic),
    // A server of anybody else would get the child's whole environment.
    ...(isClosed && { strictMcpConfig: true }),
    ...given('mcpServers', input.projectServers && { ...input.projectServers }),
    ...(client.includePartialMessages && { includePartialMessages: true }),
    ...given('resume', input.resume),
    ...given('pathToClaudeCodeExecutable', input.executable),
    ...given('spawnClaudeCodeProcess', client.spawnClaudeCodeProcess),
  };
}

/** Built-in tools of a list of rules: `Bash(git:*)` is about `Bash`. Tools of servers are not among them. */
function builtInNames(rules: readonly string[]): string[] {
  const names = rules
    .map((rule) => rule.replace(/\(.*/s, '').trim())
    .filter((name) => !name.startsWith('mcp__'));
  return [...new Set(names)];
}

function given<K extends string, V>(name: K, value: V | undefined): { [Key in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in K]: V });
}
