import { createMcpEndpointFactory } from '../mcp/endpoint-factory.js';
import { observeTransport } from '../transport/observed-transport.js';
import { warnOnce } from '../util/warn-once.js';
import { VERSION } from '../version.js';
import { abortError } from './abort.js';
import { createDiagnosticSink } from './diagnostic-sink.js';
import { environmentLogger } from './environment-logger.js';
import { planLaunch } from './launch/launch-plan.js';
import type { LaunchPlan } from './launch/plan.js';
import { MCP_SERVERS_NOT_APPLIED } from './launch/warnings.js';
import { openTransport } from './open-transport.js';
import type { Options } from './options.js';
import { assertPrompt } from './prompt.js';
import type { PromptItems } from './prompt-pump.js';
import { QuerySession } from './query-session.js';
import { createSessionLog, type SessionLog } from './session-log/session-log.js';
import type { TallyEnd } from './summary/run-tally.js';
import { activeTraceContext } from './trace-context.js';

export interface OpenSessionRequest {
  readonly front: 'query' | 'client' | 'warm';
  readonly prompt: string | PromptItems | undefined;
  readonly options: Options | null | undefined;
  /** Whether the time of SessionStart and Setup hooks counts towards `initializeTimeoutMs`. @defaultValue false */
  readonly countsStartHooks?: boolean;
  /** Codes of warnings that are not emitted. */
  readonly silences?: readonly string[] | undefined;
}

/**
 * Plans, builds and starts a session. Synchronous.
 *
 * @throws InvalidOptionError, AbortError (the signal had fired already): nothing was started.
 */
export function openSession(request: OpenSessionRequest): QuerySession {
  const { front, prompt, options, silences = [] } = request;
  assertPrompt(prompt, front);
  const plan = planLaunch(options, {
    env: process.env,
    platform: process.platform,
    sdkVersion: VERSION,
    front,
    prompt: prompt === undefined ? 'none' : typeof prompt === 'string' ? 'string' : 'stream',
    traceContext: activeTraceContext(),
    createMcpEndpointFactory,
  });
  const { abortSignal, onDiagnostic: listener, logger, incompleteStream } = plan.means;
  if (abortSignal?.aborted) throw abortError(abortSignal);
  for (const warning of plan.warnings) if (!silences.includes(warning.code)) warnOnce(warning);
  const log = createSessionLog(plan, logger ?? environmentLogger(process.env));
  const onDiagnostic = createDiagnosticSink(listener, log?.logger);
  const opened = openTransport(plan, onDiagnostic);
  const session = new QuerySession({
    plan,
    ...opened,
    transport: log === undefined ? opened.transport : observeTransport(opened.transport, log),
    prompt,
    abortSignal,
    onDiagnostic,
    incompleteStream,
    countsStartHooks: request.countsStartHooks,
  });
  if (log !== undefined) tellEnd(session, log);
  session.start();
  warnOfUnappliedServers(session, plan);
  return session;
}

/** Tells the log how the run ended: before the loop over a run that ended by itself goes on. */
function tellEnd(session: QuerySession, log: SessionLog): void {
  let end: TallyEnd | undefined;
  void session.over.then((decided) => {
    end = decided;
  });
  void session.exited.then(async () => {
    log.onOver(session.tally.summary(end ?? (await session.over)));
  });
}

/** A CLI that got servers in `initialize` may say that it did not start them: the run goes on without their tools. */
function warnOfUnappliedServers(session: QuerySession, { policy }: LaunchPlan): void {
  if (!policy.initializeMustConfirm.includes('mcpServers')) return;
  session.initialization.then(
    (answer) => {
      if (answer.mcp_servers_applied === false) warnOnce(MCP_SERVERS_NOT_APPLIED);
    },
    () => {},
  );
}
