import { tmpdir } from 'node:os';
import type { DiagnosticListener } from '../diagnostics.js';
import { createMcpEndpointFactory } from '../mcp/endpoint-factory.js';
import type { RunSummary, TallyEnd } from '../parser/run-summary.js';
import { projectKeyForDirectory, realDirectory } from '../transcripts/files/project-folder.js';
import { DeferredTransport } from '../transport/deferred-transport.js';
import { observeTransport } from '../transport/observed-transport.js';
import type { FrameTransport } from '../transport/transport.js';
import { configLocation } from '../util/config-folder.js';
import { ignoreRejection } from '../util/deferred.js';
import { absolutePath } from '../util/host-places.js';
import type { JsonObject } from '../util/json.js';
import { sweepNowAndThen } from '../util/stale-directories.js';
import { warnOnce } from '../util/warn-once.js';
import { VERSION } from '../version.js';
import { RunChannels } from './channels/run-channels.js';
import { executePlan } from './execute-plan.js';
import type { LaunchHost, LaunchPlan, SessionLoadPlan, SessionStorePlan, TraceContext } from './launch/launch-plan.js';
import { planLaunch } from './launch/plan-launch.js';
import { MCP_SERVERS_NOT_APPLIED } from './launch/warnings.js';
import { createDiagnosticSink, environmentLogger } from './logging.js';
import type { Options } from './options.js';
import { assertPrompt, type PromptItems } from './prompt.js';
import { abortError, QuerySession, type QuerySessionOptions } from './query-session.js';
import { createSessionLog } from './session-log/session-log.js';
import { summaryOfSession } from './session-summary.js';
import { type LoadedSession, loadSession } from './stored-session/load-session.js';
import { TranscriptFolder } from './transcript-mirror/transcript-folder.js';

interface OpenSessionRequest {
  readonly front: 'query' | 'client' | 'warm';
  readonly prompt: string | PromptItems | undefined;
  readonly options: Options | null | undefined;
  /** Whether the time of SessionStart and Setup hooks counts towards `initializeTimeoutMs`. @defaultValue false */
  readonly countsStartHooks?: boolean;
  /** Codes of warnings that are not emitted. */
  readonly silences?: readonly string[] | undefined;
  /** See {@link LaunchHost.checksOnFailure}. */
  readonly checksOnFailure?: boolean | undefined;
  /** See {@link LaunchHost.checksVerbatim}. */
  readonly checksVerbatim?: boolean | undefined;
}

/**
 * Plans, builds and starts a session. Synchronous.
 * @throws InvalidOptionError, AbortError (the signal had fired already): nothing was started.
 */
export function openSession(request: OpenSessionRequest): QuerySession {
  const { front, prompt, options } = request;
  assertPrompt(prompt, front);
  const channels = RunChannels.open(front, options?.model);
  try {
    return startSession(request, channels);
  } catch (error) {
    channels?.onRefused(error);
    throw error;
  }
}

function startSession(request: OpenSessionRequest, channels: RunChannels | undefined): QuerySession {
  const { front, prompt, options, silences = [] } = request;
  const plan = planLaunch(options, {
    env: process.env,
    platform: process.platform,
    sdkVersion: VERSION,
    front,
    checksOnFailure: request.checksOnFailure,
    checksVerbatim: request.checksVerbatim,
    prompt: prompt === undefined ? 'none' : typeof prompt === 'string' ? 'string' : 'stream',
    traceContext: channels?.traceContext ?? activeTraceContext(),
    createMcpEndpointFactory,
  });
  const { abortSignal, onDiagnostic: listener, logger } = plan.means;
  if (abortSignal?.aborted) throw abortError(abortSignal);
  for (const warning of plan.warnings) if (!silences.includes(warning.code)) warnOnce(warning);
  const log = createSessionLog(plan, logger ?? environmentLogger(process.env), channels?.run);
  const sink = createDiagnosticSink(listener, log?.logger);
  const onDiagnostic: DiagnosticListener = channels === undefined ? sink : both(sink, channels);
  const { transport, peerStarted, mirror } = openTransport(plan, onDiagnostic);
  const logged = log === undefined ? transport : observeTransport(transport, log);
  const session = new QuerySession({
    plan,
    peerStarted,
    mirror,
    transport: channels === undefined ? logged : channels.observe(logged, plan),
    prompt,
    onDiagnostic,
    countsStartHooks: request.countsStartHooks,
  });
  if (log !== undefined) tellEnd(session, (summary) => log.onOver(summary));
  if (channels !== undefined) tellChannels(session, channels);
  session.start();
  if (plan.means.transport === undefined) sweepBeside(session);
  if (plan.policy.initializeMustConfirm.includes('mcpServers')) warnOfLostServers(session);
  return session;
}

function both(sink: DiagnosticListener, channels: RunChannels): DiagnosticListener {
  return (diagnostic) => {
    channels.onDiagnostic(diagnostic);
    sink(diagnostic);
  };
}

/** The run's operations end even if the end of its process is never reported. */
function tellChannels(session: QuerySession, channels: RunChannels): void {
  let isTold = false;
  const tell = (summary: RunSummary): void => {
    if (isTold) return;
    isTold = true;
    channels.onOver(summary);
  };
  void session.over.then((end) => channels.onDecided(end));
  tellEnd(session, tell);
  void summaryOfSession(session).then(tell);
}

/** Tells how the run ended: before the loop over a run that ended by itself goes on. */
function tellEnd(session: QuerySession, tell: (summary: RunSummary) => void): void {
  let end: TallyEnd | undefined;
  void session.over.then((decided) => {
    end = decided;
  });
  void session.exited.then(async () => {
    tell(session.tally.summary(end ?? (await session.over)));
  });
}

/** By then the first messages are through. */
const SWEEP_AFTER_MS = 1_000;

/** A second after the start, and when the run is over: a program may end with it. */
function sweepBeside({ exited }: QuerySession): void {
  const sweep = (): void => sweepNowAndThen(tmpdir);
  const timer = setTimeout(sweep, SWEEP_AFTER_MS).unref();
  void exited.then(() => {
    clearTimeout(timer);
    sweep();
  });
}

function warnOfLostServers(session: QuerySession): void {
  const warn = (answer: JsonObject): void => {
    // Then the run goes on without their tools.
    if (answer.mcp_servers_applied === false) warnOnce(MCP_SERVERS_NOT_APPLIED);
  };
  ignoreRejection(session.initialization.then(warn));
}

/** A transport that is not yet opened, and what its session has to know of the store behind it. */
type SessionTransport = Pick<QuerySessionOptions, 'transport' | 'peerStarted' | 'mirror'>;

/**
 * Carries a plan out as far as that can be done before anything runs.
 * @throws InvalidOptionError a path is relative, and the working directory of this process does not exist any more.
 */
function openTransport(plan: LaunchPlan, onDiagnostic: DiagnosticListener): SessionTransport {
  return plan.sessionStore === undefined
    ? opened(executePlan(plan, { onDiagnostic }))
    : openStored(plan, plan.sessionStore, onDiagnostic);
}

function opened(transport: FrameTransport): Pick<SessionTransport, 'transport' | 'peerStarted'> {
  return transport instanceof DeferredTransport ? { transport, peerStarted: transport.started } : { transport };
}

function openStored(
  plan: LaunchPlan,
  { store, flush, load }: SessionStorePlan,
  onDiagnostic: DiagnosticListener,
): SessionTransport {
  const cwd = absolutePath('cwd', plan.cwd ?? '.');
  const location = configLocation(plan.env, cwd);
  const folder = new TranscriptFolder(location.folder, cwd);
  const mirror = { store, flush, folder };
  if (load === undefined) return { ...opened(executePlan(plan, { onDiagnostic })), mirror };
  const transport = new DeferredTransport(async (signal) => {
    const found = await loadSession({
      store,
      projectKey: projectKeyForDirectory(cwd),
      directory: realDirectory(cwd),
      sessionId: load.sessionId,
      limits: { timeoutMs: load.timeoutMs, signal },
      userFiles: location,
      onDiagnostic,
    });
    if (found !== undefined) folder.moveTo(found.folder.path, found);
    return launch(plan, load, found, onDiagnostic);
  });
  return { transport, peerStarted: transport.started, mirror };
}

function launch(
  plan: LaunchPlan,
  load: SessionLoadPlan,
  found: LoadedSession | undefined,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const session = found && { sessionId: found.sessionId, configFolder: found.folder.path };
  return executePlan(
    { ...plan, ...load.launchWith(session) },
    { onDiagnostic, onGone: () => found?.folder.remove(onDiagnostic) },
  );
}

/** Where `@opentelemetry/api` 1.x keeps what was registered, so that all of its copies share it. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

interface Registry {
  readonly context?: { active(): unknown };
  readonly propagation?: {
    inject(
      context: unknown,
      carrier: Record<string, string>,
      setter: { set(carrier: Record<string, string>, key: string, value: string): void },
    ): void;
  };
}

/**
 * The W3C trace context of the active span, when the program uses OpenTelemetry. Nothing is imported: an API that is
 * not loaded has no active span. Tracing never fails a run.
 */
export function activeTraceContext(): TraceContext | undefined {
  try {
    const registry: Registry | undefined = Reflect.get(globalThis, REGISTRY);
    if (registry?.context === undefined || registry.propagation === undefined) return undefined;
    const carrier: Record<string, string> = {};
    registry.propagation.inject(registry.context.active(), carrier, {
      set: (target, key, value) => {
        target[key] = value;
      },
    });
    const { traceparent, tracestate } = carrier;
    return traceparent === undefined ? undefined : { traceparent, tracestate };
  } catch {
    return undefined;
  }
}
