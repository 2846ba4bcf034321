import type { DiagnosticListener, McpServerConfig, Options, PermissionMode } from '../../index.js';
import { type JsonObject, omitUndefined } from '../../util/json.js';
import { isBlocked, ruleName } from '../hooks/pre-tool-use.js';
import { withoutFileMonitor } from '../isolation/environment.js';
import type { ResolvedIsolation } from '../isolation/isolation-config.js';
import { prepareIsolation } from '../isolation/prepare-isolation.js';
import { readProjectServers } from '../isolation/project-servers.js';
import { buildInlineSettings } from '../isolation/settings.js';
import { hasManagedServers } from '../isolation/start-checks.js';
import type { RuntimeOptions, ToolServer } from '../runtime/agent-runtime.js';
import { type Session, ToolPermissions } from '../state/index.js';
import type { AdapterConfig } from './adapter-config.js';
import type { Run } from './run.js';

/** A CLI that sent its result, has no background task and stays silent this long will not exit unasked. */
const EXIT_GRACE_MS = 15_000;

/**
 * A managed `allowManagedPermissionRulesOnly` makes the settings' own denials void, but not those of the command line.
 */
const WEB_TOOLS = ['WebFetch', 'WebSearch'];

export interface RunOptionsInput extends RunSurroundings {
  readonly config: AdapterConfig;
  /** The rendered text. */
  readonly text: string;
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
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
  const { config, bridge, settings } = input;
  const { client, allowedTools } = config;
  const bridged = (bridge?.tools ?? []).map(({ name }) => `mcp__${bridge?.name}__${name}`);
  const approved = [...(allowedTools ?? []), ...bridged];
  const isClosed = client.isolation !== undefined || input.onlyOurServers === true;
  const disallowed = [...config.disallowedTools, ...(input.withoutWeb ? WEB_TOOLS : [])];
  return omitUndefined({
    model: config.model,
    permissionMode: client.permissionMode as PermissionMode,
    allowDangerouslySkipPermissions: client.permissionMode === 'bypassPermissions' || undefined,
    cwd: input.cwd,
    additionalDirectories: filled(input.addDirs),
    maxTurns: client.maxTurns,
    maxBudgetUsd: client.maxBudgetUsd,
    allowedTools: filled(approved),
    // The list above only approves; this one says what there is.
    tools: allowedTools && builtInNames(allowedTools),
    disallowedTools: filled(disallowed),
    settingSources: [...client.settingSources],
    settings: settings as Options['settings'],
    env: isClosed ? withoutFileMonitor(input.env) : { ...input.env },
    // The preset sends no system prompt: the CLI's own stays.
    systemPrompt: client.promptPlacement === 'system' ? input.text : { type: 'preset', preset: 'claude_code' },
    // The user was not asked, so `decline` would be wrong.
    unhandledElicitation: 'cancel',
    verbatimPrompts: !client.interpretPrompts || undefined,
    outputFormat: input.outputFormat,
    hooks: input.hooks,
    checksOnFailure: true,
    toolServers: bridge && [bridge],
    stderr: input.stderr,
    exitGraceMs: EXIT_GRACE_MS,
    onDiagnostic: input.onDiagnostic,
    // Any other server would get the child's whole environment.
    strictMcpConfig: isClosed || undefined,
    mcpServers: input.projectServers && { ...input.projectServers },
    includePartialMessages: client.includePartialMessages || undefined,
    resume: input.resume,
    pathToClaudeCodeExecutable: input.executable,
    spawnClaudeCodeProcess: client.spawnClaudeCodeProcess,
  } as const);
}

function filled(list: readonly string[]): string[] | undefined {
  return list.length === 0 ? undefined : [...list];
}

/** Built-in tools of a list of rules: `Bash(git:*)` is about `Bash`. Tools of servers are not among them. */
function builtInNames(rules: readonly string[]): string[] {
  return [...new Set(rules.map(ruleName).filter((name) => !name.startsWith('mcp__')))];
}

/** The child's environment and settings: those of the isolation, else the host's with what the caller adds. */
export async function surroundingsOf(run: Run<unknown>): Promise<RunSurroundings> {
  const { client } = run.config;
  if (client.isolation !== undefined) return isolateRun(run, client.isolation);
  const { config, request, place } = run;
  const names = client.projectMcpServers;
  const servers = await readProjectServers(place.cwd, names);
  return {
    env: { ...run.host.hostEnv, ...client.env },
    settings: inlineSettings(config, request.session),
    onlyOurServers:
      client.settingSources.length > 0 &&
      denies(config, request.session) &&
      !(await hasManagedServers(run.host.managedFolder)),
    ...(names.length === 0 ? {} : { projectServers: servers }),
  };
}

/** Whether anything is denied to the model. Then servers of the project must not start unasked. */
function denies({ client, disallowedTools }: AdapterConfig, session: Session): boolean {
  const { blocked = [] } = session.query(ToolPermissions).latest() ?? {};
  return client.permissionMode !== 'bypassPermissions' || disallowedTools.length > 0 || blocked.length > 0;
}

/** What the child is started with. */
export interface RunSurroundings {
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of a file, or the settings themselves; `undefined`: none are sent. */
  readonly settings: string | JsonObject | undefined;
  /** What the file holds. */
  readonly written?: JsonObject | undefined;
  /** No host may be reached: the web tools are not offered. */
  readonly withoutWeb?: boolean | undefined;
  /** Only the adapter's own servers start. */
  readonly onlyOurServers?: boolean | undefined;
  /** Servers of the project that the caller allows by name. */
  readonly projectServers?: Readonly<Record<string, McpServerConfig>> | undefined;
}

/** Makes the home of an isolated run, and what else it needs. `run.close()` removes it. */
async function isolateRun(run: Run<unknown>, isolation: ResolvedIsolation): Promise<RunSurroundings> {
  const { host, place, config, log } = run;
  const isolated = await prepareIsolation({
    ...host,
    ...place,
    isolation,
    outsideWorkspacePaths: config.client.outsideWorkspacePaths,
    log,
  });
  run.isolated = isolated;
  run.recorder.proxy = isolated.proxy;
  return {
    env: isolated.home.getEnv(),
    settings: isolated.home.settingsPath,
    written: isolated.home.settings,
    withoutWeb: isolation.networkPolicy.effectiveDomains.length === 0,
  };
}

/** Settings of a run without isolation; `undefined` when there is nothing to say. */
export function inlineSettings(
  { client, bridgeName }: Pick<AdapterConfig, 'client' | 'bridgeName'>,
  session: Session,
): JsonObject | undefined {
  const settings = buildInlineSettings({
    sandbox: client.sandbox as JsonObject | undefined,
    outsideWorkspacePaths: client.outsideWorkspacePaths,
  });
  // Skills from settings files can contain commands, and these do not pass the hooks.
  const blocksShell =
    client.settingSources.length > 0 &&
    ['Bash', 'PowerShell'].some((shell) => isBlocked(session, shell, `mcp__${bridgeName}__`));
  return blocksShell ? { ...settings, disableSkillShellExecution: true } : settings;
}
