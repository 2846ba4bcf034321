import { createMcpEndpointFactory } from '../mcp/endpoint-factory.js';
import { VERSION } from '../version.js';
import { abortError } from './abort.js';
import { createDiagnosticSink } from './diagnostic-sink.js';
import { emitWarnings } from './emit-warnings.js';
import { environmentLogger } from './environment-logger.js';
import { executePlan } from './execute-plan.js';
import { planLaunch } from './launch/launch-plan.js';
import type { Options } from './options.js';
import { assertPrompt } from './prompt.js';
import type { PromptItems } from './prompt-pump.js';
import { QuerySession } from './query-session.js';
import { activeTraceContext } from './trace-context.js';

export interface OpenSessionRequest {
  readonly front: 'query' | 'client';
  readonly prompt: string | PromptItems | undefined;
  readonly options: Options | null | undefined;
}

/**
 * Plans, builds and starts a session. Synchronous.
 *
 * @throws InvalidOptionError, AbortError (the signal had fired already): nothing was started.
 */
export function openSession({ front, prompt, options }: OpenSessionRequest): QuerySession {
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
  const abortSignal = options?.abortController?.signal;
  if (abortSignal?.aborted) throw abortError(abortSignal);
  emitWarnings(plan.warnings);
  const onDiagnostic = createDiagnosticSink(
    options?.onDiagnostic ?? undefined,
    options?.logger ?? environmentLogger(process.env),
  );
  const transport = executePlan(plan, {
    // `null` means "not given" in every option.
    transport: options?.transport ?? undefined,
    spawnClaudeCodeProcess: options?.spawnClaudeCodeProcess ?? undefined,
    stderr: options?.stderr ?? undefined,
    onDiagnostic,
  });
  const session = new QuerySession({
    plan,
    transport,
    prompt,
    abortSignal,
    onDiagnostic,
    incompleteStream: options?.incompleteStream ?? 'end',
  });
  session.start();
  return session;
}
