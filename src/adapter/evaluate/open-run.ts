import { firstOf } from '../../util/race.js';
import { brokenFrame } from '../errors/broken-frame.js';
import { PromptEvaluationError } from '../errors/evaluation-errors.js';
import { REINSTALL } from '../errors/missing-executable.js';
import { advise } from '../errors/retry-advice.js';
import { CallIdQueue } from '../hooks/call-id-queue.js';
import { createHooks } from '../hooks/create-hooks.js';
import type { HookRun } from '../hooks/hook-run.js';
import { resolveIsolation } from '../isolation/isolation-config.js';
import { hasManagedServers } from '../isolation/managed-machine.js';
import { readProjectServers } from '../isolation/project-servers.js';
import { deliver } from '../logging/log.js';
import { buildOutputFormat } from '../output/output-format.js';
import type { EvaluatingAdapter, Prompt, RenderedPrompt } from '../prompt/index.js';
import type { AgentRuntime } from '../runtime/agent-runtime.js';
import type { Session } from '../state/index.js';
import { createPromptRendered, ToolPermissions } from '../state/index.js';
import { createBridge } from '../tools/tool-bridge.js';
import type { AdapterConfig } from './adapter-config.js';
import { assembleOptions } from './assemble-options.js';
import { confirmRunSettings } from './confirm-run-settings.js';
import { executableOf } from './executable-of.js';
import { inlineSettings } from './inline-settings.js';
import { isolateRun, type RunSurroundings } from './isolate-run.js';
import { LiveRun } from './live-run.js';
import type { Run } from './run.js';
import { refuseAtOnce } from './run-request.js';
import { checkStart } from './start-checks.js';
import { UsageProbe } from './usage-probe.js';
import { UserInput } from './user-input.js';
import { refuseOtherWorkspace } from './working-directory.js';

/**
 * Takes a run from its checks to a CLI that is ready for the first user message, with its settings confirmed. What it made is
 * in the run, also when it throws: `run.close()` ends it.
 */
export async function openRun<T>(
  run: Run<T>,
  adapter: EvaluatingAdapter,
): Promise<{ readonly live: LiveRun; readonly rendered: RenderedPrompt<T> }> {
  const { config, request, watch } = run;
  await watch.race(checkStart(run));
  const runtime = await watch.race(load(run));
  // Probing and loading take their time.
  refuseAtOnce(request);
  const rendered = request.render({
    session: request.session,
    visibilityOverrides: request.options.visibilityOverrides,
    deadline: request.deadline,
  });
  run.rendered = rendered;
  refuseOtherWorkspace(rendered, request.prompt.template.places, run.place, request.session);
  publishRendered(run, rendered);
  const outputFormat = buildOutputFormat(rendered);
  const hookRun = hookRunOf(run);
  const { hooks, state } = createHooks(hookRun);
  run.turns.hookState = state;
  const bridge = createBridge({
    bridgeName: config.bridgeName,
    tools: rendered.tools,
    run: hookRun,
    prompt: request.prompt as Prompt<unknown>,
    renderedPrompt: rendered,
    adapter,
    onVisibilityRequest: (error) => {
      run.visibility ??= error;
    },
    // The answer of the call that asked leaves first.
    stopTurn: () => void setImmediate(() => void run.live?.interrupt()),
  });
  run.log.info('sdk.evaluate.start', {
    promptName: request.promptName,
    model: config.model,
    stateful: run.stateful,
    toolCount: bridge?.tools.length ?? 0,
    hasStructuredOutput: outputFormat !== undefined,
    isolated: config.client.isolation !== undefined,
  });
  run.recorder.hooks = state;
  const surroundings = await surroundingsOf(run);
  // It may have been stopped meanwhile; a home that is being made has to be waited for.
  watch.check();
  const live = start(run, runtime, {
    ...surroundings,
    config,
    text: rendered.text,
    cwd: run.place.cwd,
    addDirs: run.place.addDirs,
    outputFormat,
    hooks,
    bridge,
    stderr: (text) => run.stderr.add(text),
    onDiagnostic: (diagnostic) => run.live?.fail(brokenFrame(diagnostic)),
    resume: request.options.resume,
    executable: executableOf(config.client, run.host.env),
  });
  await watch.race(handshake(run, live, surroundings));
  return { live, rendered };
}

async function load({ config, request, redact }: Run<unknown>): Promise<AgentRuntime> {
  try {
    return await config.loadRuntime();
  } catch (error) {
    throw new PromptEvaluationError(
      `The SDK could not be loaded: ${redact.text(String(error))}. ${REINSTALL}`,
      {
        promptName: request.promptName,
        phase: 'request',
        cause: error,
        retryAdvice: advise('after_change', REINSTALL),
      },
    );
  }
}

function publishRendered(
  { request, config, log }: Run<unknown>,
  rendered: RenderedPrompt<unknown>,
): void {
  const { session, prompt } = request;
  deliver(log, { handler: 'bus', type: 'promptRendered' }, () =>
    session.bus.publish(
      createPromptRendered({
        adapter: config.adapterName,
        sessionId: session.sessionId,
        promptNs: prompt.ns,
        promptKey: prompt.key,
        promptName: prompt.name ?? null,
        renderedPrompt: rendered.text,
        renderInputs: rendered.renderInputs,
        tools: rendered.tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          inputSchema,
        })),
        now: config.clock.now(),
      }),
    ),
  );
}

function hookRunOf(run: Run<unknown>): HookRun {
  const { config, request, host, place } = run;
  const { client } = config;
  const isolation =
    client.isolation === undefined ? undefined : resolveIsolation(client.isolation, host.platform);
  return {
    session: request.session,
    adapterName: config.adapterName,
    promptName: request.promptName,
    bridgePrefix: `mcp__${config.bridgeName}__`,
    deadline: request.deadline,
    budgetTracker: request.tracker,
    usageKnown: () => usageKnown(run),
    log: run.log,
    signal: run.watch.signal,
    timeouts: client.hookTimeouts,
    failureMode: client.hookFailureMode,
    stopOnStructuredOutput: client.stopOnStructuredOutput,
    outsideWorkspacePaths: client.outsideWorkspacePaths,
    insideDirs: place.insideDirs,
    mounts: place.mounts,
    isolation:
      isolation === undefined
        ? undefined
        : {
            allowUnsandboxedCommands: isolation.sandbox.allowUnsandboxedCommands,
            networkPolicy: isolation.networkPolicy,
          },
    contextProviders: client.contextProviders,
    callIds: new CallIdQueue(),
  };
}

/** The CLI answers within milliseconds; one that does not must not hold every tool call. */
const USAGE_PATIENCE_MS = 1_000;

async function usageKnown({ probe, config }: Run<unknown>): Promise<void> {
  if (probe === undefined) return;
  await firstOf<unknown, void>(
    () => probe.ask(),
    ({ resolve }) => config.clock.setTimer(USAGE_PATIENCE_MS, () => resolve()),
  );
}

/** The child's environment and settings: those of the isolation, else the host's with what the caller adds. */
async function surroundingsOf(run: Run<unknown>): Promise<RunSurroundings> {
  const { client } = run.config;
  if (client.isolation !== undefined) return isolateRun(run, client.isolation);
  const { config, request, place } = run;
  const names = client.projectMcpServers;
  const servers = await readProjectServers(place.cwd, names);
  return {
    env: { ...run.host.env, ...client.env },
    settings: inlineSettings(config, request.session),
    onlyOurServers:
      client.settingSources.length > 0 &&
      denies(config, request.session) &&
      !(await hasManagedServers(run.host.managedFolder)),
    ...(names.length === 0 ? {} : { projectServers: servers }),
  };
}

/** Not everything that the model may ask for is allowed: then no server of the project starts by itself. */
function denies({ client, disallowedTools }: AdapterConfig, session: Session): boolean {
  const { blocked = [] } = session.query(ToolPermissions).latest() ?? {};
  return (
    client.permissionMode !== 'bypassPermissions' ||
    disallowedTools.length > 0 ||
    blocked.length > 0
  );
}

function start(
  run: Run<unknown>,
  runtime: AgentRuntime,
  options: Parameters<typeof assembleOptions>[0],
): LiveRun {
  const input = new UserInput(run.request.promptName);
  run.startedAt = run.config.clock.monotonic();
  const query = runtime.query(input, assembleOptions(options));
  const { clock } = run.config;
  run.live = new LiveRun({ query, input, clock, onMessage: (message) => run.onMessage(message) });
  if (run.hasBudget) {
    run.probe = new UsageProbe(query, (table) => run.onUsageTable(table));
  }
  return run.live;
}

/** Nothing is said to the model before the CLI has named the settings in force. */
async function handshake(
  run: Run<unknown>,
  live: LiveRun,
  surroundings: RunSurroundings,
): Promise<void> {
  await live.initialized();
  run.isReady = true;
  run.recorder.mark('initialized');
  // What earlier runs of the session used is not this run's.
  if (run.request.options.resume !== undefined) await run.probe?.ask();
  if (surroundings.settings !== undefined) await confirmRunSettings(run, live, surroundings);
}
