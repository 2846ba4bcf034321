import type { SessionStore } from '../../transcripts/store/session-store.js';
import { isSessionId } from '../../transcripts/transcript/entry.js';
import { acceptableSchema } from '../../util/cli-schema.js';
import { toTimerLimit } from '../../util/timer-limit.js';
import type { Options } from '../options.js';
import { buildArgv } from './argv.js';
import { collectCallbacks, NO_HOOKS, planHooks } from './callbacks.js';
import { buildEnvironment, withVariable } from './environment.js';
import { buildInitializePayload } from './initialize.js';
import type { LaunchHost, LaunchPlan, SessionLaunch, SessionStorePlan } from './launch-plan.js';
import {
  mcpConfigArgument,
  NO_AGENTS,
  NO_SERVERS,
  planAgents,
  sdkMcpServerConfigs,
  splitMcpServers,
} from './mcp-servers.js';
import { planPolicy } from './policy.js';
import { planReliance } from './reliance.js';
import { NO_SETTINGS, planSettings } from './settings.js';
import { assertNoConflicts, type GivenOptions, validateOptions } from './validate-options.js';
import { planWarnings } from './warnings.js';
import { toJsonText, toWireJson } from './wire-json.js';

/**
 * Turns public options into everything that crosses the process boundary. Pure: no I/O, no clock, and neither argument
 * is changed; no callback is called and no MCP instance read.
 * @throws InvalidOptionError a value that cannot be used; no other error but one of a getter in `options`.
 * @see docs/reference/options.md in the repository
 */
export function planLaunch(options: Options | null | undefined, host: LaunchHost): LaunchPlan {
  const given = validateOptions(options);
  assertNoConflicts(given);

  // A file of this machine is of no use to a spawner that starts the CLI on another one.
  const mayUseFile = given.spawnClaudeCodeProcess === undefined && given.transport === undefined;
  // Only what a run uses is called: in a fresh process each function is compiled on its first call.
  const servers = given.mcpServers === undefined ? NO_SERVERS : splitMcpServers(given.mcpServers);
  const delivers = planDelivery(given, servers.external !== undefined);
  const hooks = given.hooks === undefined ? NO_HOOKS : planHooks(given.hooks);
  const agents = given.agents === undefined ? NO_AGENTS : planAgents(given.agents);
  const hasSettings = (given.settings ?? given.sandbox ?? given.extraArgs) !== undefined;
  const settings = hasSettings ? planSettings(given, mayUseFile) : NO_SETTINGS;
  const mcpConfig =
    servers.external === undefined || delivers.servers
      ? undefined
      : mcpConfigArgument(servers.external, mayUseFile && given.mcpServersDelivery !== 'argv');
  const outputSchema =
    given.outputFormat && acceptableSchema(toWireJson<object>(given.outputFormat.schema, 'outputFormat.schema'));

  const argvParts = {
    mcpConfig,
    settings: settings.argument,
    outputSchema,
    managedSettings: given.managedSettings && toJsonText(given.managedSettings, 'managedSettings'),
    awaitInitialize: delivers.servers || delivers.plugins,
    dropsExtraSettings: settings.replacesExtraArg,
  };
  // With a store, `--continue` is never sent: it would go on with the newest of the CLI's own files.
  const argvOptions = given.sessionStore === undefined ? given : omitContinue(given);
  const { args, files } = buildArgv(argvOptions, argvParts);
  const env = buildEnvironment(given, host);

  return {
    command: {
      path: given.pathToClaudeCodeExecutable || undefined,
      runtime: given.executable || 'node',
      runtimeArgs: [...(given.executableArgs ?? [])],
    },
    args,
    files,
    env,
    cwd: given.cwd || undefined,
    ownProcessGroup: given.ownProcessGroup === true,
    reliance: planReliance(given, settings.argument?.text, host),
    initialize: buildInitializePayload(given, {
      hooks: hooks.wire,
      sdkMcpServers: [...servers.inProcess.keys()],
      sdkMcpServerConfigs: servers.inProcess.size === 0 ? undefined : sdkMcpServerConfigs(servers.inProcess),
      outputSchema,
      agents: agents.wire,
      plugins: delivers.plugins ? toWireJson(given.plugins, 'plugins') : undefined,
      mcpServers: delivers.servers ? servers.external : undefined,
    }),
    callbacks: collectCallbacks(given, hooks, servers.inProcess, host.createMcpEndpointFactory),
    policy: planPolicy(
      given,
      host,
      [
        ...(hooks.needsOnFailure ? ([host.checksOnFailure === true ? 'hooksApplied' : 'hookOnFailure'] as const) : []),
        ...(delivers.servers ? (['mcpServers'] as const) : []),
      ],
      env,
    ),
    warnings: planWarnings(given, {
      hasServersOnArgv: mcpConfig !== undefined && !mcpConfig.isPrivate,
      agentServers: agents.inProcessServers,
    }),
    sessionStore:
      given.sessionStore === undefined
        ? undefined
        : planSessionStore(given, given.sessionStore, {
            launch: (resumed) => buildArgv({ ...argvOptions, ...resumed }, argvParts),
            env,
            platform: host.platform,
          }),
    means: {
      transport: given.transport,
      spawnClaudeCodeProcess: given.spawnClaudeCodeProcess,
      stderr: given.stderr,
      abortSignal: given.abortController?.signal,
      onDiagnostic: given.onDiagnostic,
      logger: given.logger,
      incompleteStream: given.incompleteStream ?? 'end',
    },
  };
}

function omitContinue({ continue: _, ...others }: GivenOptions): GivenOptions {
  return others;
}

/** What travels in `initialize` instead of on the command line. */
function planDelivery(
  { plugins, pluginDelivery, mcpServersDelivery, extraArgs }: GivenOptions,
  hasExternalServers: boolean,
): { readonly servers: boolean; readonly plugins: boolean } {
  // With `--sdk-url` the CLI's `initialize` comes from elsewhere (TS-058).
  const isRemote = extraArgs !== undefined && 'sdk-url' in extraArgs;
  return {
    servers: hasExternalServers && mcpServersDelivery === 'initialize' && !isRemote,
    plugins: plugins !== undefined && plugins.length > 0 && pluginDelivery === 'initialize',
  };
}

const LOAD_TIMEOUT_MS = 60_000;

/** What the launch with a loaded session is made from. */
interface LaunchParts {
  /** Arguments and private files. */
  readonly launch: (resumed?: Pick<GivenOptions, 'resume'>) => Pick<SessionLaunch, 'args' | 'files'>;
  /** The environment without a loaded session. */
  readonly env: SessionLaunch['env'];
  readonly platform: NodeJS.Platform;
}

/**
 * What the session store takes part in. A session is loaded when `resume` is a UUID or `continue` asks for the newest
 * one, and the CLI is started by us: over a `transport` nothing is written for it (PY-274).
 */
function planSessionStore(given: GivenOptions, store: SessionStore, parts: LaunchParts): SessionStorePlan {
  const { sessionStoreFlush: flush = 'batched', resume } = given;
  const isWanted = resume ? isSessionId(resume) : given.continue === true;
  if (!isWanted || given.transport !== undefined) return { store, flush, load: undefined };
  return {
    store,
    flush,
    load: {
      sessionId: resume || undefined,
      timeoutMs: toTimerLimit(given.loadTimeoutMs ?? LOAD_TIMEOUT_MS),
      launchWith: (found) => {
        // Nothing found: `resume` is for the CLI's own files to try, `continue` has nothing to go on with.
        if (found === undefined) return { ...parts.launch(), env: parts.env };
        return {
          ...parts.launch({ resume: found.sessionId }),
          env: withVariable(parts.env, 'CLAUDE_CONFIG_DIR', found.configFolder, parts.platform),
        };
      },
    },
  };
}

/** Flags by which a process begins with a session that has used something, or may be given one. */
const WITH_HISTORY = /^--(?:resume|continue|from-pr|teleport|await-claim)(?:=|$)/;

/** Whether the CLI's running totals may begin with what was used before this run. Unknown for a custom transport. */
export function maySpendBefore({
  args,
  means,
  sessionStore,
}: Pick<LaunchPlan, 'args' | 'means' | 'sessionStore'>): boolean {
  const isLoaded = sessionStore?.load !== undefined;
  return means.transport !== undefined || isLoaded || args.some((arg) => WITH_HISTORY.test(arg));
}
