import type { Options } from '../options.js';
import { buildArgv } from './argv.js';
import { collectCallbacks, planHooks } from './callbacks.js';
import { buildEnvironment } from './environment.js';
import { buildInitializePayload } from './initialize.js';
import { mcpConfigArgument, planAgents, sdkMcpServerConfigs, splitMcpServers } from './mcp-servers.js';
import type { LaunchHost, LaunchPlan, LaunchPolicy } from './plan.js';
import { planPolicy } from './policy.js';
import { planSessionStore, withStoreChoice } from './session-store-plan.js';
import { planSettings } from './settings.js';
import { assertNoConflicts, type GivenOptions, validateOptions } from './validate-options.js';
import { planWarnings } from './warnings.js';
import { toJsonText, toWireJson } from './wire-json.js';

/**
 * Turns public options into everything that crosses the process boundary. Pure: no I/O, no clock, and neither
 * argument is changed; no callback is called and no MCP instance read.
 *
 * @throws InvalidOptionError a value that cannot be used; no other error but one of a getter in `options`.
 * @see docs/options.md in the repository
 */
export function planLaunch(options: Options | null | undefined, host: LaunchHost): LaunchPlan {
  const given = validateOptions(options);
  assertNoConflicts(given);

  // A file of this machine is of no use to a spawner that starts the CLI on another one.
  const mayUseFile = given.spawnClaudeCodeProcess === undefined && given.transport === undefined;
  const servers = splitMcpServers(given.mcpServers);
  const delivers = planDelivery(given, servers.external !== undefined);
  const hooks = planHooks(given.hooks);
  const agents = planAgents(given.agents);
  const settings = planSettings(given, mayUseFile);
  const mcpConfig =
    servers.external === undefined || delivers.servers
      ? undefined
      : mcpConfigArgument(servers.external, mayUseFile && given.mcpServersDelivery !== 'argv');
  const outputSchema = given.outputFormat && toWireJson<object>(given.outputFormat.schema, 'outputFormat.schema');

  const argvParts = {
    mcpConfig,
    settings: settings.argument,
    outputSchema,
    managedSettings: given.managedSettings && toJsonText(given.managedSettings, 'managedSettings'),
    awaitInitialize: delivers.servers || delivers.plugins,
    dropsExtraSettings: settings.replacesExtraArg,
  };
  const env = buildEnvironment(given, host);

  return {
    command: {
      path: given.pathToClaudeCodeExecutable || undefined,
      runtime: given.executable || 'node',
      runtimeArgs: [...(given.executableArgs ?? [])],
    },
    ...buildArgv(withStoreChoice(given), argvParts),
    env,
    cwd: given.cwd || undefined,
    initialize: buildInitializePayload(given, {
      hooks: hooks.wire,
      sdkMcpServers: [...servers.inProcess.keys()],
      sdkMcpServerConfigs: sdkMcpServerConfigs(servers.inProcess),
      outputSchema,
      agents: agents.wire,
      plugins: delivers.plugins ? toWireJson(given.plugins, 'plugins') : undefined,
      mcpServers: delivers.servers ? servers.external : undefined,
    }),
    callbacks: collectCallbacks(given, hooks, servers.inProcess, host.createMcpEndpointFactory),
    policy: planPolicy(given, host, mustConfirm(hooks.needsOnFailure, delivers.servers)),
    warnings: planWarnings(given, {
      hasServersOnArgv: mcpConfig !== undefined && !mcpConfig.isPrivate,
      agentServers: agents.inProcessServers,
    }),
    sessionStore: planSessionStore(given, {
      launch: (options) => buildArgv(options, argvParts),
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

function mustConfirm(needsOnFailure: boolean, deliversServers: boolean): LaunchPolicy['initializeMustConfirm'] {
  return [
    ...(needsOnFailure ? (['hookOnFailure'] as const) : []),
    ...(deliversServers ? (['mcpServers'] as const) : []),
  ];
}
