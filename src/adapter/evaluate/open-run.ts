import type { Diagnostic } from '../../diagnostics.js';
import { isClaudeSDKError } from '../../errors/claude-sdk-error.js';
import { CLIJSONDecodeError } from '../../errors/transport-errors.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { firstOf } from '../../util/race.js';
import { AdapterConfigError, advise } from '../errors/adapter-error.js';
import { PromptEvaluationError } from '../errors/evaluation-errors.js';
import { REINSTALL } from '../errors/missing-executable.js';
import { CallIdQueue } from '../hooks/call-id-queue.js';
import { createHooks } from '../hooks/create-hooks.js';
import type { HookRun } from '../hooks/hook-run.js';
import { confirmSettings } from '../isolation/confirm-settings.js';
import { childEnvironment } from '../isolation/environment.js';
import { DEFAULT_PREFIX } from '../isolation/ephemeral-home.js';
import { checkManagedMachine, refuseBypassAsRoot, requireSandbox } from '../isolation/start-checks.js';
import { deliver } from '../logging/log.js';
import { buildOutputFormat } from '../output/output-format.js';
import type { EvaluatingAdapter, Prompt, RenderedPrompt } from '../prompt/index.js';
import type { AgentRuntime } from '../runtime/agent-runtime.js';
import { createPromptRendered } from '../state/internal.js';
import { createBridge } from '../tools/tool-bridge.js';
import { ClaudeAgentWorkspaceSection } from '../workspace/index.js';
import { LiveRun, UsageProbe, UserInput } from './live-run.js';
import type { Run } from './run.js';
import { confirmGuarantees } from './run-guarantees.js';
import { assembleOptions, type RunSurroundings, surroundingsOf } from './run-options.js';
import { assertNotOver } from './run-request.js';

/**
 * Takes a run to a CLI that is ready for the first user message, with its settings confirmed. Also when it throws,
 * `run.close()` cleans up.
 */
export async function openRun<T>(
  run: Run<T>,
  adapter: EvaluatingAdapter,
): Promise<{ readonly live: LiveRun; readonly rendered: RenderedPrompt<T> }> {
  const { config, request, watch } = run;
  await watch.race(checkStart(run));
  const runtime = await watch.race(load(run));
  // Probing and loading take their time.
  assertNotOver(request);
  const rendered = request.render({
    session: request.session,
    visibilityOverrides: request.options.visibilityOverrides,
    deadline: request.deadline,
  });
  run.rendered = rendered;
  refuseOtherWorkspace(run, rendered);
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
    // More than one turn is to come, or was before.
    stateful: run.turns.isConversation || request.options.resume !== undefined,
    toolCount: bridge?.tools.length ?? 0,
    hasStructuredOutput: outputFormat !== undefined,
    isolated: config.client.isolation !== undefined,
  });
  run.recorder.hooks = state;
  const surroundings = await surroundingsOf(run);
  // Not a race: a home that is being made must be finished, so that it can be removed.
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
    executable: run.host.executable,
  });
  await watch.race(handshake(run, live, surroundings));
  return { live, rendered };
}

/**
 * Refuses a prompt that describes another workspace: tools would change the host's own files, which the model takes for
 * copies.
 * @throws {@link AdapterConfigError}
 */
function refuseOtherWorkspace({ place, request }: Run<unknown>, { sections }: RenderedPrompt<unknown>): void {
  for (const { section, path } of request.prompt.template.places) {
    if (!(section instanceof ClaudeAgentWorkspaceSection)) continue;
    const isShown = sections.some((each) => each.path === path);
    if (!isShown || section.tempDir === place.workspace?.tempDir) continue;
    const [why, hint] =
      section.session === request.session
        ? ['its session has another workspace by now', 'Use one workspace section for each session.']
        : [
            'the evaluation has another session',
            'Pass the session that the workspace was created with, or `clone()` the section for this one.',
          ];
    throw new AdapterConfigError(
      `The run would not work in the workspace of section "${path}": ${why}`,
      ['options.session'],
      { hint },
    );
  }
}

async function load({ config, request, redact }: Run<unknown>): Promise<AgentRuntime> {
  try {
    return await config.loadRuntime();
  } catch (error) {
    throw new PromptEvaluationError(`The SDK could not be loaded: ${redact.text(String(error))}. ${REINSTALL}`, {
      promptName: request.promptName,
      phase: 'request',
      cause: error,
      retryAdvice: advise('after_change', REINSTALL),
    });
  }
}

function publishRendered({ request, config, log }: Run<unknown>, rendered: RenderedPrompt<unknown>): void {
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
        tools: rendered.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        now: config.clock.now(),
      }),
    ),
  );
}

function hookRunOf(run: Run<unknown>): HookRun {
  const { config, request, place } = run;
  const { client } = config;
  const { isolation } = client;
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
    isolation: isolation && {
      allowUnsandboxedCommands: isolation.sandbox.allowUnsandboxedCommands,
      networkPolicy: isolation.networkPolicy,
    },
    contextProviders: client.contextProviders,
    callIds: new CallIdQueue(),
  };
}

/** The CLI answers within milliseconds. One that does not must not delay every tool call. */
const USAGE_PATIENCE_MS = 1_000;

async function usageKnown({ probe, config }: Run<unknown>): Promise<void> {
  if (probe === undefined) return;
  await firstOf<unknown, void>(
    () => probe.ask(),
    ({ resolve }) => config.clock.setTimer(USAGE_PATIENCE_MS, () => resolve()),
  );
}

function start(run: Run<unknown>, runtime: AgentRuntime, options: Parameters<typeof assembleOptions>[0]): LiveRun {
  const input = new UserInput(run.request.promptName);
  run.startedAt = run.config.clock.monotonic();
  const query = runtime.query(input, assembleOptions(options));
  const { clock } = run.config;
  run.live = new LiveRun({
    ...{ query, input, clock },
    onMessage: (message) => run.onMessage(message),
    stopReason: () => run.watch.reason,
  });
  if (run.hasBudget) run.probe = new UsageProbe(query, (table) => run.onUsageTable(table));
  return run.live;
}

/** Nothing is sent to the model before the CLI has confirmed its settings. */
async function handshake(run: Run<unknown>, live: LiveRun, surroundings: RunSurroundings): Promise<void> {
  await live.query.initialized();
  run.isReady = true;
  run.recorder.mark('initialized');
  await confirmGuarantees(run, live);
  // What earlier runs of the session used is not this run's.
  if (run.request.options.resume !== undefined) await run.probe?.ask();
  if (surroundings.settings !== undefined) await confirmRunSettings(run, live, surroundings);
}

/** Refuses what cannot run, before anything is rendered, published or started. @throws {@link AdapterConfigError} */
async function checkStart(run: Run<unknown>): Promise<void> {
  const { config, host, place, log } = run;
  const { client, sandboxProbe: probe } = config;
  const { platform, uid, tempRoot } = host;
  const { permissionMode, isolation } = client;
  if (isolation === undefined) {
    refuseBypassAsRoot({ permissionMode, uid, childEnv: { ...host.hostEnv, ...client.env } });
    return;
  }
  // The home is made later; these checks do not depend on it.
  const { env: childEnv } = childEnvironment({ ...host, ...place, isolation, prefix: DEFAULT_PREFIX });
  refuseBypassAsRoot({ permissionMode, uid, childEnv });
  const { texts } = await checkManagedMachine(host.managedFolder, childEnv);
  const { sandbox } = isolation;
  const path = childEnv.PATH ?? childEnv.Path;
  run.recorder.isolation = {
    requested: sandbox.enabled,
    settingsConfirmed: false,
    ...(await requireSandbox({ sandbox, platform, path, tempRoot, probe, log })),
    managedSources: texts,
  };
}

/**
 * Compares the settings in force with those that were written. Called before the first user message.
 * @throws {@link AdapterConfigError} they are not what was written.
 */
async function confirmRunSettings(
  run: Run<unknown>,
  live: LiveRun,
  { env, settings, written }: RunSurroundings,
): Promise<void> {
  const { config, recorder, log } = run;
  const { isolation } = config.client;
  const { confirmed, reason, effective, ...others } = confirmSettings({
    written: written ?? (isJsonObject(settings) ? settings : {}),
    answer: await askForSettings(live),
    isolated: isolation !== undefined,
    childEnv: env,
    sandboxRequired: isolation?.sandbox.required === true,
    file: typeof settings === 'string' ? settings : 'inline settings',
  });
  recorder.effectiveSettings = effective;
  const managedSources = [...(recorder.isolation?.managedSources ?? []), ...others.managedSources];
  if (recorder.isolation !== undefined) {
    recorder.isolation = { ...recorder.isolation, settingsConfirmed: confirmed, managedSources };
  }
  if (confirmed) log.debug('isolation.settings_confirmed', { keys: Object.keys(effective ?? {}) });
  else log.warn('isolation.settings_unconfirmed', { reason });
  if (managedSources.length > 0) log.warn('isolation.managed_settings', { sources: managedSources });
}

/** `undefined`: the CLI does not know the request. */
async function askForSettings(live: LiveRun): Promise<JsonObject | undefined> {
  try {
    return await live.query.getSettings();
  } catch (error) {
    if (isClaudeSDKError(error) && error.errorClass === 'control_request_failed') return undefined;
    throw error;
  }
}

/** Enough to recognize the message, too little to reveal its content. */
const SHOWN = 40;

/**
 * The error for a line that begins like a message and is not JSON; `undefined` for other diagnostics. The SDK skips
 * such lines, but this one may be the result that the run waits for.
 */
function brokenFrame({ code, details }: Diagnostic): CLIJSONDecodeError | undefined {
  const excerpt = details?.excerpt;
  if (code !== 'line_not_json' || typeof excerpt !== 'string') return undefined;
  const line = excerpt.trimStart();
  return line.startsWith('{') ? new CLIJSONDecodeError(line.slice(0, SHOWN)) : undefined;
}
